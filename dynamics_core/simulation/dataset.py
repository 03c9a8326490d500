"""Transitions (state, action, next state) by the million, on disk, for learning.

A data set is a folder of Parquet files, ``part-00000.parquet`` and so on, which pyarrow, pandas,
polars and DuckDB read as one table. Each part has random numbers of its own, so that any part can
be made alone: an interrupted run goes on with the parts that are missing, and gives the same bytes
as one that was not. A part is written under another name and renamed when it is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..calls.compiled import describe
from ..errors import ArgumentError
from ..robot import Robot
from .domains import Domain, Randomisation, draw, drive_scale
from .physics import Physics
from .rollout import rollout

__all__ = ["COLUMNS", "DatasetSettings", "make_dataset"]

#: Columns of a data set. ``episode`` and ``domain`` are numbered through all parts.
COLUMNS = ("episode", "domain", "step", "q", "v", "action", "q_next", "v_next")
#: What settles a data set; in the folder and in the metadata of every part.
SETTINGS_FILE = "_settings.json"
#: Values of the random robots of a part.
DOMAINS_FOLDER = "_domains"


@dataclass(frozen=True)
class DatasetSettings:
    """What a data set holds.

    Attributes:
        transitions: Number of rows.
        seed: Of all random numbers.
        dt: Time between states, s; an action is held over it.
        substeps: Steps of integration for it.
        episode: Transitions from a random state to the next one.
        action_scale: Actions are uniform within this share of the effort limits.
        speed_scale: Velocities at the start are uniform within this share of the limits.
        randomisation: How much robots differ.
        robots_per_part: Number of different robots in a part, if they differ.
        episodes_per_part: Number of episodes in a part, a multiple of the robots.
    """

    transitions: int
    seed: int = 0
    dt: float = 0.01
    substeps: int = 10
    episode: int = 100
    action_scale: float = 1.0
    speed_scale: float = 0.5
    randomisation: Randomisation = Randomisation()  # noqa: RUF009 - immutable
    robots_per_part: int = 16
    episodes_per_part: int = 512

    def __post_init__(self) -> None:
        for name in ("transitions", "substeps", "episode", "robots_per_part", "episodes_per_part"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"dataset: {name} is {getattr(self, name)}; expected 1 or more")
        if self.episodes_per_part % self.robots_per_part:
            raise ArgumentError(
                f"dataset: {self.episodes_per_part} episodes a part cannot be shared among "
                f"{self.robots_per_part} robots"
            )
        if self.seed < 0:
            raise ArgumentError(f"dataset: seed is {self.seed}; expected 0 or more")

    @property
    def rows_per_part(self) -> int:
        """Rows of every part but the last."""
        return self.episode * self.episodes_per_part

    @property
    def parts(self) -> int:
        """Number of parts."""
        return -(-self.transitions // self.rows_per_part)


def make_dataset(
    robot: Robot,
    path: str | os.PathLike[str],
    settings: DatasetSettings,
    physics: Physics = Physics(),
    progress: Callable[[int], Any] = lambda rows: None,
) -> int:
    """Write a data set, or what is missing of it.

    Args:
        robot: The robot.
        path: Folder of the data set.
        settings: What it holds.
        physics: What the simulation takes into account.
        progress: Called with the number of rows that have come to be there.

    Returns:
        The number of rows that were there already.

    Raises:
        ArgumentError: The folder holds another data set, or pyarrow is missing.
    """
    if any(j.type.nv != 1 for j in robot.model.joints):
        raise ArgumentError("dataset: every joint must have one degree of freedom")
    folder = Path(path)
    facts = _facts(robot, settings, physics)
    _claim(folder, facts)
    for left_over in (*folder.glob(".part-*"), *folder.glob(f"{DOMAINS_FOLDER}/.part-*")):
        left_over.unlink()
    found = 0
    for part in range(settings.parts):
        rows = min(settings.rows_per_part, settings.transitions - part * settings.rows_per_part)
        file = folder / f"part-{part:05d}.parquet"
        if file.exists():
            found += rows
        else:
            _write_part(robot, settings, physics, part, rows, file, facts)
        progress(rows)
    return found


def _write_part(
    robot: Robot,
    settings: DatasetSettings,
    physics: Physics,
    part: int,
    rows: int,
    file: Path,
    facts: dict[str, Any],
) -> None:
    s = settings
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(s.seed, spawn_key=(part,))))
    count = s.robots_per_part if s.randomisation.any else 1
    domains = [draw(robot, physics, s.randomisation, rng) for _ in range(count)]
    q, v = robot.random_state(rng, s.episodes_per_part)
    v *= s.speed_scale
    shape = (s.episodes_per_part, s.episode, robot.nv)
    actions = s.action_scale * drive_scale(robot) * rng.uniform(-1.0, 1.0, shape)
    each = s.episodes_per_part // count
    runs = []
    for k, domain in enumerate(domains):
        own = slice(k * each, (k + 1) * each)
        run = rollout(
            domain.robot,
            q[own],
            v[own],
            seconds=s.episode * s.dt,
            dt=s.dt,
            tau=actions[own],
            physics=_with_friction(physics, domain),
            substeps=s.substeps,
            energy=False,
        )
        runs.append((run.q, run.v))
    qs, vs = (np.concatenate(x) for x in zip(*runs, strict=True))
    episode = part * s.episodes_per_part + np.repeat(np.arange(s.episodes_per_part), s.episode)
    columns: dict[str, Any] = {
        "episode": episode,
        "domain": part * count + (episode - part * s.episodes_per_part) // each,
        "step": np.tile(np.arange(s.episode), s.episodes_per_part),
        "q": qs[:, :-1],
        "v": vs[:, :-1],
        "action": actions,
        "q_next": qs[:, 1:],
        "v_next": vs[:, 1:],
    }
    if s.randomisation.any:
        _write(
            {
                "domain": part * count + np.arange(count),
                "damping": np.array([d.damping for d in domains]),
                "friction": np.array([d.friction for d in domains]),
                "inertia_factor": np.array([d.factors for d in domains]),
                "payload": np.array([d.payload for d in domains]),
                "payload_com": np.array([d.payload_com for d in domains]),
            },
            count,
            file.parent / DOMAINS_FOLDER / file.name,
            facts,
        )
    _write(columns, rows, file, {**facts, "part": part})


def _write(columns: dict[str, Any], rows: int, file: Path, facts: dict[str, Any]) -> None:
    """Write a table; it is there whole or not at all."""
    pa, parquet = _pyarrow()
    arrays = []
    for values in columns.values():
        if values.ndim == 1:
            arrays.append(pa.array(values[:rows]))
        else:
            flat = np.ascontiguousarray(values).reshape(-1, values.shape[-1])[:rows]
            arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1]))
    table = pa.Table.from_arrays(arrays, names=list(columns))
    table = table.replace_schema_metadata({"urdf_dynamics": json.dumps(facts)})
    file.parent.mkdir(exist_ok=True)
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    # Random numbers do not compress; a dictionary would only take time.
    parquet.write_table(table, unfinished, compression="none", use_dictionary=False)
    os.replace(unfinished, file)


def _facts(robot: Robot, settings: DatasetSettings, physics: Physics) -> dict[str, Any]:
    """What settles every number of a data set."""
    model = robot.model
    digest = hashlib.sha256(describe(model).encode()).hexdigest()
    return json.loads(  # type: ignore[no-any-return]
        json.dumps(
            {
                "robot": model.name,
                "source": model.source,
                "joints": list(model.joint_names),
                "gravity": list(model.gravity),
                "model_sha256": digest,
                "settings": asdict(settings),
                "physics": asdict(physics),
            },
            default=lambda x: np.asarray(x).tolist(),
        )
    )


def _claim(folder: Path, facts: dict[str, Any]) -> None:
    """Make the folder, or make sure that it holds this data set."""
    note = folder / SETTINGS_FILE
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"dataset: {folder} is a file; a data set is a folder of Parquet files")
    folder.mkdir(parents=True, exist_ok=True)
    if note.exists():
        there = json.loads(note.read_text(encoding="utf-8"))
        different = [k for k in facts if k != "source" and there.get(k) != facts[k]]
        if different:
            details = "; ".join(f"{k}: {there.get(k)} there, {facts[k]} now" for k in different)
            raise ArgumentError(f"dataset: {folder} holds another data set: {details}")
    elif any(folder.iterdir()):
        raise ArgumentError(f"dataset: {folder} is not empty and holds no {SETTINGS_FILE}")
    else:
        unfinished = note.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(facts, indent=2), encoding="utf-8")
        os.replace(unfinished, note)


def _with_friction(physics: Physics, domain: Domain) -> Physics:
    return replace(physics, damping=domain.damping, friction=domain.friction)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ArgumentError("dataset needs pyarrow: pip install 'urdf_dynamics[dataset]'") from None
    return pyarrow, pyarrow.parquet
