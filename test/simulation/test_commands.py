"""Commands, joint by joint: what counts as one, and what happens without."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulation.textbook_robots import double_chain, pendulum

from dynamics_core import ArgumentError, UnknownNameError
from dynamics_core.model import Limits
from dynamics_core.simulation import CommandPolicy, Commands, Physics, Simulator
from dynamics_core.simulation.commands import BRAKE, interface_joints, servo_gains

NAMES = ("a", "b", "c")
WEIGHT = np.array([3.0, 2.0, 1.0])


def drive(commands, now=0.0, q=(0.0, 0.0, 0.0), v=(0.0, 0.0, 0.0)):
    return commands.drive(np.array(q), np.array(v), now, 1e-3, lambda: WEIGHT)


def test_joints_are_braked_until_each_has_had_a_command():
    commands = Commands(NAMES)
    assert drive(commands).braked.all()
    assert commands.offer(["b"], effort=[1.5], now=0.0)
    asked = drive(commands)
    assert asked.braked.tolist() == [True, False, True]
    assert asked.tau.tolist() == [0.0, 1.5, 0.0]
    assert asked.impedance.tolist() == [BRAKE, 0.0, BRAKE]


@pytest.mark.parametrize(("start", "tau"), [("gravity", [3.0, 2.0, 1.0]), ("free", [0.0] * 3)])
def test_other_starts(start, tau):
    asked = drive(Commands(NAMES, CommandPolicy(start=start)))
    assert not asked.braked.any()
    assert asked.tau.tolist() == tau


def test_what_is_not_finite_is_no_command():
    commands = Commands(NAMES)
    assert not commands.offer_effort([math.nan, math.inf, -math.inf], now=0.0)
    assert not commands.ever
    assert commands.offer_effort([1.0, math.nan, 2.0], now=0.5)
    assert commands.offer_effort([math.nan, 5.0, math.nan], now=0.6)
    assert drive(commands, 0.6).tau.tolist() == [1.0, 5.0, 2.0]
    assert commands.last_time == 0.6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"names": ["a", "x"], "effort": [1, 2]}, UnknownNameError, "'x'"),
        ({"names": ["a", "a"], "effort": [1, 2]}, ArgumentError, "twice: a"),
        ({"names": ["a", "b"], "effort": [1]}, ArgumentError, "1 values of effort for 2 names"),
        ({"names": ["a"], "position": [1, 2]}, ArgumentError, "2 values of position"),
    ],
)
def test_bad_commands_change_nothing(arguments, error, message):
    commands = Commands(NAMES)
    commands.offer_effort([1.0, 1.0, 1.0], now=0.0)
    with pytest.raises(error, match=message):
        commands.offer(**arguments, now=1.0)
    with pytest.raises(ArgumentError, match="2 values for 3 joints"):
        commands.offer_effort([7.0, 7.0], now=1.0)
    assert drive(commands).tau.tolist() == [1.0, 1.0, 1.0]
    assert commands.last_time == 0.0


def test_short_arrays_are_understood_where_the_description_says_how():
    urdf = """<robot name="r"><ros2_control name="s" type="system">
      <joint name="a"><command_interface name="position"/></joint>
      <joint name="b"><command_interface name="effort"/></joint>
      <joint name="c"><command_interface name="effort"/></joint></ros2_control></robot>"""
    commands = Commands(NAMES, interface_joints=interface_joints(urdf))
    commands.offer(["c", "b", "a"], position=[0.2], effort=[4.0, 5.0], now=0.0)
    asked = drive(commands, q=[0.2, 0.0, 0.0])
    assert asked.tau.tolist() == pytest.approx([WEIGHT[0], 5.0, 4.0])
    with pytest.raises(ArgumentError, match="one for each of \\[c, b\\]"):
        commands.offer(["c", "b", "a"], effort=[4.0], now=0.0)


@pytest.mark.parametrize(
    ("silence", "tau"),
    [("hold_last", [1.0, 1.0, 0.0]), ("zero", [0.0] * 3), ("gravity", [3.0, 2.0, 0.0])],
)
def test_silence_applies_to_joints_that_have_been_told(silence, tau):
    commands = Commands(NAMES, CommandPolicy(silence=silence, timeout=0.1))
    commands.offer(["a", "b"], effort=[1.0, 1.0], now=0.0)
    assert drive(commands, 0.1).tau.tolist() == [1.0, 1.0, 0.0]
    assert not commands.silent
    asked = drive(commands, 0.2)
    assert commands.silent
    assert asked.tau.tolist() == tau
    assert asked.braked.tolist() == [False, False, True]
    commands.offer(["a"], effort=[6.0], now=0.3)
    assert drive(commands, 0.3).tau.tolist()[0] == 6.0


def test_brake_after_silence():
    commands = Commands(NAMES, CommandPolicy(silence="brake", timeout=0.1))
    commands.offer_effort([1.0, 1.0, 1.0], now=0.0)
    assert drive(commands, 1.0).braked.all()


def test_locked_joints_take_no_commands():
    commands = Commands(NAMES)
    commands.lock(["b"])
    commands.offer_effort([1.0, 1.0, 1.0], now=0.0)
    assert drive(commands).braked.tolist() == [False, True, False]
    commands.reset()
    commands.offer_effort([1.0, 1.0, 1.0], now=0.0)
    assert drive(commands).braked.tolist() == [False, True, False]


def test_servo_takes_the_short_way_round_for_a_continuous_joint():
    policy = CommandPolicy(kp=10.0, kd=0.0, servo_gravity=False)
    commands = Commands(NAMES, policy, continuous=["a"])
    commands.offer(["a", "b"], position=[3.0, 3.0], now=0.0)
    tau = drive(commands, q=[-3.0, -3.0, 0.0]).tau
    assert tau[0] == pytest.approx(10.0 * (6.0 - 2.0 * np.pi))
    assert tau[1] == pytest.approx(60.0)


def test_position_servo_of_the_simulator_holds_against_gravity():
    robot = double_chain()
    kp, kd = servo_gains(robot, 5.0)
    simulator = Simulator(robot, 1e-3, policy=CommandPolicy(kp=kp, kd=kd))
    simulator.commands.offer(robot.joint_names, [0.5, -0.8], now=0.0)
    for _ in range(1500):
        sample = simulator.step()
    assert sample.position == pytest.approx([0.5, -0.8], abs=1e-4)
    assert sample.effort == pytest.approx(robot.gravity_torque([0.5, -0.8]), abs=1e-2)


@pytest.mark.parametrize("gain", [1e2, 1e5, 1e9])
def test_servo_of_any_stiffness_is_stable(gain):
    policy = CommandPolicy(kp=gain, kd=2.0 * np.sqrt(gain))
    simulator = Simulator(pendulum(Limits(-2, 2)), 5e-3, policy=policy)
    simulator.commands.offer(["j0"], [1.0], now=0.0)
    for _ in range(1000):
        sample = simulator.step()
        assert abs(sample.velocity[0]) <= 1.01 / 5e-3
    assert sample.position == pytest.approx([1.0], abs=2e-2)
    assert abs(sample.velocity[0]) < 0.02


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "heun", "rk4"])
def test_brakes_hold_and_report_what_they_hold(integrator):
    robot = double_chain()
    simulator = Simulator(robot, 1e-3, physics=Physics(integrator))
    simulator.reset([0.4, -0.9])
    simulator.push("l1", [5.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0.05)
    for _ in range(30):
        sample = simulator.step()
    pushed = simulator.ground_truth().external
    assert sample.position.tolist() == [0.4, -0.9]
    assert sample.velocity.tolist() == [0.0, 0.0]
    held = robot.gravity_torque([0.4, -0.9]) - pushed
    assert sample.effort == pytest.approx(held, abs=1e-3)
    assert np.abs(pushed).max() > 1.0


def test_effort_stays_within_the_limit():
    simulator = Simulator(pendulum(Limits(effort=3.0)), 1e-3)
    simulator.commands.offer_effort([100.0], now=0.0)
    assert simulator.step().effort.tolist() == [3.0]
    simulator.commands.offer_effort([-100.0], now=0.0)
    assert simulator.step().effort.tolist() == [-3.0]


def test_drive_runs_out_of_voltage_at_the_velocity_limit_but_still_brakes():
    robot = pendulum(Limits(velocity=4.0), gravity=0.0)
    simulator = Simulator(robot, 1e-3)
    simulator.commands.offer_effort([20.0], now=0.0)
    fastest = max(simulator.step().velocity[0] for _ in range(1000))
    assert 3.8 < fastest <= 4.0
    simulator.commands.offer_effort([-20.0], now=simulator.time)
    before = simulator.step().velocity[0]
    assert before - simulator.step().velocity[0] == pytest.approx(0.02, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"start": "fly"}, "start"), ({"silence": "x"}, "silence"), ({"timeout": -1.0}, "timeout")],
)
def test_bad_policies_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        CommandPolicy(**arguments)
