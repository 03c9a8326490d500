"""What the launch files start, without ROS."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from dynamics_nodes.launch_plan import NODES, PLANS, resolve
from dynamics_nodes.resources import ROBOTS, describe, share


def only(nodes, executable):
    return next(n for n in nodes if n.executable == executable)


def test_every_launch_file_has_a_plan_and_every_plan_a_file():
    files = {p.name.removesuffix(".launch.py") for p in (share() / "launch").glob("*.launch.py")}
    assert files == set(PLANS)


def test_demo_starts_the_four_nodes_once_each():
    assert [n.name for n in resolve(PLANS["demo"], {})] == list(NODES)


@pytest.mark.parametrize("name", NODES)
def test_a_node_alone(name):
    (node,) = resolve(PLANS[name], {"rate": "250"})
    assert node.executable == node.name == name
    assert node.parameters["rate"] == 250.0


def test_rates_go_to_their_nodes():
    nodes = resolve(PLANS["demo"], {"sim_rate": "800", "control_rate": "400"})
    rates = {n.name: n.parameters.get("rate") for n in nodes}
    assert rates == {
        "forward_dynamics_sim": 800.0,
        "gravity_compensation": 400.0,
        "inverse_dynamics_feedforward": 400.0,
        "external_wrench_estimator": None,
    }


def test_one_controller_commands():
    for controller in ("gravity_compensation", "inverse_dynamics_feedforward", "none"):
        nodes = resolve(PLANS["demo"], {"controller": controller})
        commanding = [n.name for n in nodes if n.parameters.get("enable_on_start")]
        assert commanding == [c for c in (controller,) if c != "none"]


@pytest.mark.parametrize("simulated", [True, False])
def test_the_simulated_robot_keeps_the_clock_that_all_follow(simulated):
    nodes = resolve(PLANS["demo"], {"use_sim_time": str(simulated).lower()})
    assert {n.parameters["use_sim_time"] for n in nodes} == {simulated}
    clocks = {n.name: n.parameters.get("publish_clock", False) for n in nodes}
    assert clocks == {name: simulated and name == "forward_dynamics_sim" for name in NODES}


def test_the_description_carries_the_xacro_arguments():
    node = resolve(PLANS["demo"], {"robot_arguments": 'prefix:=left_ xyz:="0 0.3 1"'})[0]
    description = node.parameters["robot_description"]
    assert 'name="left_panda_joint1"' in description
    assert 'xyz="0 0.3 1"' in description


def test_a_robot_from_the_topic_is_left_to_the_topic():
    assert "robot_description" not in resolve(PLANS["demo"], {"robot": "topic"})[0].parameters


def test_a_robot_of_the_users_own(tmp_path):
    file = tmp_path / "mine.urdf"
    file.write_text('<robot name="mine"><link name="base"/></robot>')
    node = resolve(PLANS["gravity_compensation"], {"robot": str(file)})[0]
    assert 'name="mine"' in node.parameters["robot_description"]
    assert [f.name for f in node.parameter_files] == ["gravity_compensation.yaml"]


def test_the_users_parameters_come_last(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("/**:\n  ros__parameters:\n    rate: 100.0\n")
    node = resolve(PLANS["gravity_compensation"], {"parameters": str(mine)})[0]
    assert node.parameter_files[-1] == mine
    assert "rate" not in node.parameters


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"robot": "nope"}, FileNotFoundError, "'nope'.*panda"),
        ({"robto": "panda"}, ValueError, "'robto'.*robot"),
        ({"use_sim_time": "maybe"}, ValueError, "use_sim_time is 'maybe'.*true, false"),
        ({"control_rate": "fast"}, ValueError, "control_rate is 'fast'"),
        ({"robot_arguments": "prefix=left_"}, ValueError, "'prefix=left_'.*name:=value"),
        ({"parameters": "/nope.yaml"}, FileNotFoundError, "/nope.yaml"),
    ],
)
def test_a_bad_argument_is_named(arguments, error, words):
    with pytest.raises(error, match=words):
        resolve(PLANS["demo"], arguments)


def test_xacro_errors_name_the_file(tmp_path):
    file = tmp_path / "broken.urdf.xacro"
    file.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${nope}</robot>')
    with pytest.raises(ValueError, match=r"broken\.urdf\.xacro.*nope"):
        describe(str(file))


@pytest.mark.parametrize("file", sorted((share() / "config").glob("*.yaml")), ids=lambda f: f.name)
def test_parameter_files_speak_to_known_nodes_in_any_namespace(file: Path):
    content = yaml.safe_load(file.read_text())
    assert {name.removeprefix("/**/") for name in content} <= set(NODES)
    assert file.stem in (*NODES, *ROBOTS)


def test_each_node_and_each_robot_has_a_parameter_file():
    files = {p.stem for p in (share() / "config").glob("*.yaml")}
    assert files == {*NODES, *ROBOTS}
