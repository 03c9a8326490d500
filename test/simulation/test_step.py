"""One step: compiled code against the formulas on numbers; followers, free bases, planar joints."""

from __future__ import annotations

import numpy as np
import pytest
from backends import NumpyRobot
from simulation.textbook_robots import GRIPPER, LIMITED, double_chain

from dynamics_core import Model, Robot
from dynamics_core.functions import FUNCTIONS, evaluate
from dynamics_core.model import Body, Frame, Joint, JointType
from dynamics_core.simulation import INTEGRATORS, Physics, Simulator, Stepper, simulate
from dynamics_core.spatial import Inertia, Matrix, Transform, Vector


def random_inputs(robot, rng, rows):
    n = robot.nv
    return {
        "q": rng.uniform(-0.9, 0.9, (rows, robot.nq)),
        "v": rng.uniform(-4.0, 4.0, (rows, n)),
        "tau": rng.uniform(-60.0, 60.0, (rows, n)),
        "impedance": rng.uniform(0.0, 5.0, (rows, n)),
        "damping": rng.uniform(0.0, 1.0, (rows, n)),
        "friction": rng.uniform(0.0, 1.0, (rows, n)),
        "rotor": rng.uniform(0.0, 1.0, (rows, n)),
        "dt": np.full((rows, 1), 2e-3),
    }


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("make", [lambda: double_chain(LIMITED), lambda: Robot.from_urdf(GRIPPER)])
def test_compiled_step_is_the_formula(make, integrator):
    robot = make()
    physics = Physics(integrator)
    inputs = random_inputs(robot, np.random.default_rng(0), 64)
    options = {"integrator": integrator, "bounds": physics.bounds}
    reference = evaluate(
        FUNCTIONS["simulation_step"], robot.model, [*inputs.values(), np.zeros((64, 0))], options
    )
    batch = robot._evaluate("simulation_step", inputs, options)
    for got, want in zip(batch, reference, strict=True):
        assert got == pytest.approx(want, rel=1e-7, abs=1e-7)
    for row in range(0, 64, 9):
        one = {k: np.ascontiguousarray(x[row]) for k, x in inputs.items()}
        for got, want in zip(robot._evaluate("simulation_step", one, options), batch, strict=True):
            assert got == pytest.approx(want[row], rel=1e-7, abs=1e-7)
    # The states chosen do meet drives at their limits, and end stops.
    assert (np.abs(reference[4]) > 0.0).any()
    assert (reference[2] != inputs["tau"]).any()


def test_following_joint_is_reported_where_its_master_puts_it():
    simulator = Simulator(Robot.from_urdf(GRIPPER), 1e-3)
    assert simulator.joint_names == ("lift", "finger")
    assert simulator.state_names == ("lift", "finger", "finger_mirror")
    simulator.reset([0.1, 0.02])
    simulator.commands.offer(["finger", "finger_mirror"], effort=[0.5, 9.0], now=0.0)
    for _ in range(20):
        sample = simulator.step()
    assert sample.position[2] == pytest.approx(0.01 - sample.position[1])
    assert sample.velocity[2] == pytest.approx(-sample.velocity[1])
    assert sample.effort[2] == 0.0
    # Both fingers weigh on the one drive: 0.5 N move 0.2 + 0.3 kg.
    assert sample.velocity[1] == pytest.approx(0.02 * 0.5 / 0.5, rel=1e-3)
    # A command for the follower alone is none.
    fresh = Simulator(Robot.from_urdf(GRIPPER), 1e-3)
    assert not fresh.commands.offer(["finger_mirror"], effort=[9.0], now=0.0)


def test_free_base_falls_and_keeps_its_quaternion():
    robot = Robot.from_urdf(GRIPPER, floating_base=True)
    simulator = Simulator(robot, 1e-3)
    assert simulator.joint_names == ("lift", "finger")
    for _ in range(200):
        simulator.step()
    q = simulator.ground_truth().q
    assert q[2] == pytest.approx(-0.5 * 9.81 * 0.2**2, rel=0.02)
    assert np.linalg.norm(q[3:7]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_planar_body_slides_straight_on_while_it_turns(integrator):
    inertia = Inertia.from_com(2.0, Vector(), Matrix.diagonal(0.1, 0.1, 0.2))
    body = Body("puck", -1, Joint("plane", JointType.PLANAR, 0, 0), Transform.identity(), inertia)
    frames = (Frame("world", -1, Transform.identity()), Frame("puck", 0, Transform.identity()))
    robot = Robot(Model("puck", (body,), frames))
    run = simulate(
        robot, [0.0, 0.0, 0.3], [1.0, 0.5, 2.0], seconds=1.0, dt=1e-3,
        physics=Physics.ideal(integrator),
    )  # fmt: skip
    c, s = np.cos(0.3), np.sin(0.3)
    straight = [c * 1.0 - s * 0.5, s * 1.0 + c * 0.5]
    assert run.q[-1, :2] == pytest.approx(straight, abs=3e-3)
    assert run.q[-1, 2] == pytest.approx(2.3)


def test_rows_may_differ_in_friction():
    stepper = Stepper(double_chain(), 1e-3, Physics(damping=np.array([[0.0, 0.0], [9.0, 9.0]])))
    step = stepper.step(np.zeros((2, 2)), np.ones((2, 2)), np.zeros((2, 2)))
    assert step.friction[1] == pytest.approx(-9.0 * step.v[1])
    assert np.abs(step.v[0] - step.v[1]).max() > 1e-3
    assert step.friction[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("substeps", [1, 3])
def test_simulation_without_a_compiler_is_the_same(substeps):
    robot = double_chain(LIMITED)
    plain = NumpyRobot(robot.model)
    tau = np.random.default_rng(1).uniform(-9.0, 9.0, (40, 2))
    runs = [
        simulate(r, [0.3, 0.2], seconds=0.08, dt=2e-3, tau=tau, substeps=substeps)
        for r in (robot, plain)
    ]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-10)
    assert runs[1].energy == pytest.approx(runs[0].energy, abs=1e-9)
