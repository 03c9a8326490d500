"""Call builtins with all sorts of arguments: each call is right, or a clear error.

``python fuzz_calls.py [calls] [seed]`` prints what it did. Run it as a process of its own: what it
looks for is a crash.
"""

from __future__ import annotations

import collections
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[k]) for k in range(3)]

import numpy as np  # noqa: E402
import robots  # noqa: E402

from dynamics_core import DynamicsError, Robot  # noqa: E402
from dynamics_core.functions import FUNCTIONS, evaluate  # noqa: E402

SINGLE = {
    "inverse_dynamics": ("q", "v", "a"), "forward_dynamics": ("q", "v", "tau"),
    "mass_matrix": ("q",), "gravity_torque": ("q",), "bias_torque": ("q", "v"),
    "inverse_dynamics_derivatives": ("q", "v", "a"),
}  # fmt: skip


class Sub(np.ndarray):
    """A subclass of arrays."""


class Liar:
    """Something that fails when it is made into an array."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __len__(self):
        return 3


def _read_only(x):
    x.flags.writeable = False
    return x


def _misaligned(x):
    buffer = np.zeros(x.nbytes + 8, np.uint8)
    y = buffer[1 : 1 + x.nbytes].view(np.float64).reshape(x.shape)
    y[...] = x
    return y


#: Ways to give the same numbers.
SAME = [
    lambda rng, x: x,
    lambda rng, x: x.tolist(),
    lambda rng, x: tuple(x.tolist()),
    lambda rng, x: x.view(Sub),
    lambda rng, x: _read_only(x.copy()),
    lambda rng, x: np.repeat(x, 2, axis=-1)[..., ::2],
    lambda rng, x: x[..., ::-1].copy()[..., ::-1],
    lambda rng, x: x.astype(">f8"),
    lambda rng, x: x.astype(object),
    lambda rng, x: x.astype(np.longdouble),
    lambda rng, x: np.asfortranarray(x),
    lambda rng, x: _misaligned(x),
    lambda rng, x: memoryview(x),
]
#: Ways to give nonsense.
WRONG = [
    lambda rng, x: None,
    lambda rng, x: "text",
    lambda rng, x: b"bytes",
    lambda rng, x: Liar(),
    lambda rng, x: object(),
    lambda rng, x: {"q": 1.0},
    lambda rng, x: x[..., :-1],
    lambda rng, x: np.append(x, 0.0),
    lambda rng, x: x[..., :0],
    lambda rng, x: np.zeros(100_000),
    lambda rng, x: x[None, None],
    lambda rng, x: np.float64(1.0),
    lambda rng, x: 1j * x,
    lambda rng, x: x.astype("M8[s]"),
    lambda rng, x: x.astype("S8"),
    lambda rng, x: np.where(np.arange(x.size).reshape(x.shape) == x.size // 2, np.nan, x),
    lambda rng, x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.inf, x),
    lambda rng, x: np.zeros(x.size, dtype=[("a", "f8")]),
]
OUT = [
    lambda rng, shape, x: np.full(shape, np.nan),
    lambda rng, shape, x: np.full(shape, np.nan),
    lambda rng, shape, x: np.full((*shape[:-1], 2 * shape[-1]), np.nan)[..., ::2],
    lambda rng, shape, x: np.full(shape, np.nan, order="F"),
    lambda rng, shape, x: np.full(shape, np.nan).view(Sub),
    lambda rng, shape, x: x[0] if x[0].shape == shape else np.full(shape, np.nan),
    lambda rng, shape, x: _misaligned(np.full(shape, np.nan)),
]
WRONG_OUT = [
    lambda rng, shape, x: _read_only(np.zeros(shape)),
    lambda rng, shape, x: np.zeros(shape, np.float32),
    lambda rng, shape, x: np.zeros(shape, ">f8"),
    lambda rng, shape, x: np.zeros((1, *shape)),
    lambda rng, shape, x: np.zeros(0),
    lambda rng, shape, x: [0.0] * shape[0],
    lambda rng, shape, x: "out",
    lambda rng, shape, x: (),
]


def pick(rng, choices):
    return choices[rng.integers(len(choices))]


def outputs(rng, choices, shapes, x):
    """What to give as ``out``: an array, or a tuple of them with one of ``choices`` among them."""
    if len(shapes) == 1:
        return pick(rng, choices)(rng, shapes[0], x)
    arrays = [pick(rng, OUT)(rng, shape, x) for shape in shapes]
    at = rng.integers(len(shapes))
    arrays[at] = pick(rng, choices)(rng, shapes[at], x)
    return tuple(arrays)


def main(calls: int = 20_000, seed: int = 0) -> collections.Counter:
    """Make the calls; an AssertionError if one is wrong."""
    rng = np.random.default_rng(seed)
    bodies = [Robot(robots.model(kind)) for kind in robots.KINDS]
    bodies.append(bodies[0].with_payload(bodies[0].frame_names[-1], 0.4))
    expected = {}
    states = [robots.states(robot, 8, seed) for robot in bodies]
    count: collections.Counter = collections.Counter()
    kept: collections.deque = collections.deque(maxlen=7)
    for _ in range(calls):
        i = int(rng.integers(len(bodies)))
        robot, k = bodies[i], int(rng.integers(8))
        name = pick(rng, list(SINGLE))
        if rng.random() < 0.3:  # a batch
            k = slice(k, k + int(rng.integers(1, 10)))
        x = [states[i][min(j, 2)][k].copy() for j in range(len(SINGLE[name]))]
        if (i, name, str(k)) not in expected:
            fn = FUNCTIONS[name]
            padded = x + [np.zeros((*x[0].shape[:-1], 0))] * (len(fn.inputs) - len(x))
            expected[i, name, str(k)] = evaluate(fn, robot.model, padded, {})
        want = expected[i, name, str(k)]
        shapes = [w.shape for w in want]
        wrong = rng.random() < 0.3
        given = [pick(rng, SAME)(rng, y) if rng.random() < 0.4 else y for y in x]
        keywords = {}
        if rng.random() < 0.5:
            keywords["out"] = outputs(rng, OUT, shapes, x)
        if wrong:
            spoil = rng.integers(4)
            if spoil == 0:
                keywords["out"] = outputs(rng, WRONG_OUT, shapes, x)
            elif spoil == 1:
                given = given[: rng.integers(len(given))]
            elif spoil == 2:
                given = given + [x[0]] * int(rng.integers(1, 20))
            else:
                at = rng.integers(len(given))
                given[at] = pick(rng, WRONG)(rng, x[at])
        elif rng.random() < 0.1:
            split = int(rng.integers(len(given)))
            keywords |= dict(zip(SINGLE[name][split:], given[split:], strict=True))
            given = given[:split]
        if rng.random() < 0.02:
            keywords["nonsense"], wrong = 1, True
        try:
            result = getattr(robot, name)(*given, **keywords)
        except (DynamicsError, TypeError, ValueError, RuntimeError) as error:
            if not wrong:
                raise AssertionError(f"{name}({given}, {keywords})") from error
            count[type(error).__name__] += 1
            continue
        assert not wrong, f"{name}({given}, {keywords}) gave {result}"
        results, out = (
            y if isinstance(y, tuple) else (y,) for y in (result, keywords.get("out", result))
        )
        for r, o, w in zip(results, out, want, strict=True):
            assert r is o
            assert np.abs(r - w).max() <= 1e-11 * max(1.0, np.abs(w).max())
        kept.extend((r, np.array(r)) for r in results)
        for earlier, value in kept:
            assert np.array_equal(earlier, value), "a kept result changed"
        count["right"] += 1
    return count


if __name__ == "__main__":
    print(dict(main(*map(int, sys.argv[1:]))))
