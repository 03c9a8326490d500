"""The simulated robot as an object: sensors, efforts, pushes, resets, determinism."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulation.textbook_robots import double_chain, pendulum

from dynamics_core import ArgumentError, Robot, UnknownNameError
from dynamics_core.model import Limits
from dynamics_core.simulation import Physics, Sensors, SensorSettings, Simulator

ARM = Path(__file__).resolve().parents[2] / "urdf" / "planar_2r.urdf.xacro"
START = [0.4, -0.9]


def moving(**options) -> Simulator:
    """The double chain, let go."""
    simulator = Simulator(double_chain(), 1e-3, **options)
    simulator.reset(START)
    simulator.commands.offer_effort([0.0, 0.0], now=0.0)
    return simulator


def test_same_seed_gives_the_same_bits_and_another_seed_does_not():
    settings = {"position_noise": 1e-3, "velocity_noise": 1e-2, "effort_noise": 0.1, "dropout": 0.2}

    def run(seed):
        simulator = moving(sensors=SensorSettings(**settings, seed=seed))
        samples = [simulator.step() for _ in range(200)]
        return [s and np.concatenate(s[1:]).tobytes() for s in samples]

    first = run(3)
    assert first == run(3)
    assert first != run(4)
    lost = sum(s is None for s in first)
    assert 20 < lost < 65


def test_reset_starts_everything_anew():
    simulator = moving(sensors=SensorSettings(position_noise=1e-3, delay=0.01, seed=1))
    runs = []
    for _ in range(2):
        simulator.reset(START)
        simulator.commands.offer_effort([0.3, 0.1], now=0.0)
        simulator.push("l1", [1.0, 0, 0, 0, 0, 0], 0.02)
        runs.append([simulator.step() for _ in range(50)])
    for a, b in zip(*runs, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert a.position.tobytes() == b.position.tobytes()
    simulator.reset(START)
    assert simulator.time == 0.0
    assert not simulator.commands.ever


def test_noise_has_the_standard_deviation_asked_for():
    sensors = Sensors(SensorSettings(0.1, 0.2, 0.3, seed=5))
    zero = np.zeros(4)
    samples = [sensors.measure(k * 1e-3, zero, zero, zero) for k in range(5000)]
    for field, sigma in (("position", 0.1), ("velocity", 0.2), ("effort", 0.3)):
        values = np.array([getattr(s, field) for s in samples])
        assert values.std() == pytest.approx(sigma, rel=0.03)
        assert abs(values.mean()) < 5 * sigma / np.sqrt(values.size)


def test_quantisation_rounds_to_counts():
    sensors = Sensors(SensorSettings(position_resolution=0.01))
    sample = sensors.measure(0.0, np.array([0.1249, -0.126]), np.zeros(2), np.zeros(2))
    assert sample.position == pytest.approx([0.12, -0.13], abs=1e-15)


@pytest.mark.parametrize("delay", [0.005, 0.0055])
def test_samples_come_out_late_with_the_time_they_were_taken(delay):
    simulator = moving(sensors=SensorSettings(delay=delay))
    truth, out = [], []
    for _ in range(40):
        out.append(simulator.step())
        truth.append(simulator.ground_truth().q)
    late = int(np.ceil(delay / 1e-3 - 1e-9))
    assert all(s is None for s in out[:late])
    for k in range(late, 40):
        assert out[k].time == pytest.approx((k + 1 - late) * 1e-3)
        assert out[k].position.tolist() == truth[k - late].tolist()


def test_lost_samples_do_not_hold_up_those_on_their_way():
    sensors = Sensors(SensorSettings(delay=0.002, dropout=0.5, seed=2))
    zero = np.zeros(1)
    samples = [sensors.measure(k * 1e-3, zero, zero, zero) for k in range(1000)]
    times = [s.time for s in samples if s is not None]
    assert times == sorted(set(times))
    assert 400 < len(times) < 600


def test_effort_as_motor_as_joint_and_free_of_gravity():
    robot = double_chain()
    physics = Physics(damping=[1.0, 0.5], friction=[0.3, 0.2], rotor=[0.5, 0.2])
    tau, push = np.array([25.0, 4.0]), [2.0, 1.0, 0.0, 0.0, 0.0, 0.3]
    seen = {}
    for kind in ("motor", "joint", "gravity_free"):
        simulator = Simulator(robot, 1e-5, physics=physics, effort_kind=kind)
        simulator.reset(START, [0.5, -0.2])
        simulator.commands.offer_effort(tau, now=0.0)
        simulator.push("l1", push)
        for _ in range(20):
            seen[kind] = simulator.step().effort
    truth = simulator.ground_truth()
    assert seen["motor"] == pytest.approx(tau)
    # What reaches the links is what their motion takes, less what the environment gives.
    link = robot.inverse_dynamics(truth.q, truth.v, truth.a, f_ext={"l1": push})
    assert seen["joint"] == pytest.approx(link, abs=2e-3)
    assert seen["gravity_free"] == pytest.approx(link - robot.gravity_torque(truth.q), abs=2e-3)
    assert np.abs(seen["joint"] - tau).min() > 0.1


def test_external_torque_is_zero_in_free_motion_and_that_of_pushes_and_stops_else():
    simulator = moving()
    for _ in range(50):
        simulator.step()
    assert simulator.ground_truth().external.tolist() == [0.0, 0.0]
    simulator.push("l0", [1.0, 2.0, 0.0, 0.0, 0.0, 0.1], 0.01)
    simulator.push("l1", [-1.0, 0.5, 0.0, 0.0, 0.0, 0.2], 0.01)
    simulator.step()
    truth = simulator.ground_truth()
    robot = double_chain()
    expected = sum(
        robot.jacobian(truth.q, frame, "local").T @ w
        for frame, w in (
            ("l0", [1.0, 2.0, 0.0, 0.0, 0.0, 0.1]),
            ("l1", [-1.0, 0.5, 0.0, 0.0, 0.0, 0.2]),
        )
    )
    assert truth.external == pytest.approx(expected, abs=1e-12)
    for _ in range(10):
        simulator.step()
    assert simulator.ground_truth().wrenches == {}
    assert simulator.ground_truth().external.tolist() == [0.0, 0.0]


def test_external_torque_is_that_of_an_end_stop_too():
    simulator = Simulator(pendulum(Limits(-1.0, 1.0)), 1e-3)
    simulator.commands.offer_effort([20.0], now=0.0)
    for _ in range(3000):
        simulator.step()
    truth = simulator.ground_truth()
    assert truth.external == pytest.approx(9.81 * np.sin(truth.q) - 20.0, rel=1e-6)


def test_pushes_on_links_of_one_body_add_up_each_at_its_place():
    robot = Robot.from_urdf(ARM)
    simulator = Simulator(robot, 1e-3)
    simulator.reset([0.4, 0.9])
    pushes = {"link_2": [3.0, -1.0, 0.5, 0.1, 0.2, 0.3], "tool0": [0.5, 0.3, 2.0, 0.0, 0.0, 0.0]}
    for frame, wrench in pushes.items():
        simulator.push(frame, wrench)
    simulator.push("base_link", [9.0, 9.0, 9.0, 0.0, 0.0, 0.0])
    q = np.array([0.4, 0.9])
    expected = sum(robot.jacobian(q, f, "local").T @ w for f, w in pushes.items())
    assert simulator.ground_truth().external == pytest.approx(expected, abs=1e-12)
    assert np.abs(expected).min() > 0.1


def test_push_does_to_the_motion_what_forward_dynamics_says():
    robot = double_chain()
    simulator = moving()
    push = [4.0, -3.0, 0.0, 0.0, 0.0, 1.0]
    simulator.push("l1", push)
    simulator.step()
    a = robot.forward_dynamics(START, [0.0, 0.0], [0.0, 0.0], f_ext={"l1": push})
    assert simulator.ground_truth().v == pytest.approx(1e-3 * a, rel=1e-12)


def test_substeps_are_shorter_steps():
    coarse, fine = moving(substeps=4), Simulator(double_chain(), 1e-3)
    assert coarse.period == 4e-3
    fine.reset(START)
    fine.commands.offer_effort([0.0, 0.0], now=0.0)
    for _ in range(4):
        last = fine.step()
    assert coarse.step().position.tolist() == last.position.tolist()


def test_payload_while_running():
    simulator = moving()
    simulator.step()
    before = simulator.ground_truth().q.copy()
    simulator.robot = simulator.robot.with_payload("l1", 2.0, (1.0, 0.0, 0.0))
    assert simulator.ground_truth().q.tolist() == before.tolist()
    assert np.isfinite(simulator.step().position).all()


def test_bad_input_changes_nothing():
    simulator = moving()
    with pytest.raises(UnknownNameError, match="'l9'"):
        simulator.push("l9", [0] * 6)
    with pytest.raises(ArgumentError, match="expected 6 finite"):
        simulator.push("l1", [0, 0, np.nan, 0, 0, 0])
    with pytest.raises(ArgumentError, match="2 finite numbers"):
        simulator.reset([np.nan, 0.0])
    assert simulator.ground_truth().q.tolist() == START
    assert simulator.ground_truth().wrenches == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [({"effort_kind": "x"}, "effort_kind"), ({"substeps": 0}, "substeps")],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        Simulator(pendulum(), 1e-3, **options)


@pytest.mark.parametrize("arguments", [{"dropout": 1.5}, {"position_noise": -1.0}])
def test_bad_sensors_are_refused(arguments):
    with pytest.raises(ArgumentError, match="SensorSettings"):
        SensorSettings(**arguments)
