"""The Gymnasium environment, by Gymnasium's own checker and against the stepper."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from dynamics_core import ArgumentError, Robot
from dynamics_core.simulation import simulate

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from dynamics_core.gym import ReachEnv, ReachVectorEnv  # noqa: E402

ARM = str(Path(__file__).resolve().parents[2] / "urdf" / "planar_2r.urdf.xacro")


def test_gymnasiums_own_checker_is_content():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|render).*")
        check_env(ReachEnv(ARM), skip_render_check=True)


def test_made_by_name_alone_and_by_the_dozen():
    one = gymnasium.make("urdf_dynamics/Reach-v0", urdf=ARM)
    observation, _ = one.reset(seed=1)
    assert observation.shape == (6,)
    many = gymnasium.make_vec(
        "urdf_dynamics/Reach-v0", num_envs=12, urdf=ARM, vectorization_mode="vector_entry_point"
    )
    assert isinstance(many.unwrapped, ReachVectorEnv)
    assert many.reset(seed=1)[0].shape == (12, 6)
    assert many.step(many.action_space.sample())[0].shape == (12, 6)


def test_step_is_that_of_the_simulation():
    env = ReachEnv(ARM, dt=0.02, substeps=4)
    env.reset(seed=3)
    robot = Robot.from_urdf(ARM)
    q = env._q[0].copy()
    after, reward, terminated, truncated, _ = env.step(np.array([0.1, -0.2], np.float32))
    tau = robot.effort_limits * np.array([0.1, -0.2], np.float32)
    run = simulate(robot, q, seconds=0.02, dt=0.02, substeps=4, tau=tau)
    assert after[:2] == pytest.approx(run.q[-1], abs=1e-6)
    assert after[2:4] * robot.velocity_limits == pytest.approx(run.v[-1], abs=1e-5)
    assert reward < 0.0
    assert not terminated
    assert not truncated


def test_rows_of_the_vectorised_one_are_single_ones():
    many, one = ReachVectorEnv(5, ARM), ReachEnv(ARM)
    many.reset(seed=2)
    one.reset(seed=2)
    one._q, one._v, one._target = (x[3:4].copy() for x in (many._q, many._v, many._target))
    rng = np.random.default_rng(0)
    for _ in range(10):
        actions = rng.uniform(-1, 1, (5, 2)).astype(np.float32)
        rows, rewards, _, _, _ = many.step(actions)
        alone, reward, _, _, _ = one.step(actions[3])
        assert rows[3] == pytest.approx(alone, abs=1e-5)
        assert rewards[3] == pytest.approx(reward, abs=1e-9)


def test_episodes_end_and_begin_anew_with_the_next_step():
    many = ReachVectorEnv(3, ARM, steps=2)
    many.reset(seed=0)
    action = np.zeros((3, 2), np.float32)
    assert not many.step(action)[3].any()
    target = many._target.copy()
    assert many.step(action)[3].all()
    _, reward, _, truncated, _ = many.step(np.ones((3, 2), np.float32))
    assert reward.tolist() == [0.0, 0.0, 0.0]
    assert not truncated.any()
    assert many._v.tolist() == np.zeros((3, 2)).tolist()
    assert np.abs(many._target - target).max() > 0.01


def test_seed_repeats_an_episode():
    def run(seed):
        env = ReachEnv(ARM)
        first, _ = env.reset(seed=seed)
        return first.tobytes() + env.step(np.ones(2, np.float32))[0].tobytes()

    assert run(5) == run(5) != run(6)


@pytest.mark.parametrize("options", [{"substeps": 0}, {"steps": 0}, {"dt": 0.0}])
def test_bad_options_are_refused(options):
    with pytest.raises(ArgumentError):
        ReachEnv(ARM, **options)


def test_action_that_is_not_finite_is_refused():
    env = ReachEnv(ARM)
    env.reset(seed=0)
    with pytest.raises(ArgumentError, match="not finite"):
        env.step(np.array([np.nan, 0.0], np.float32))
