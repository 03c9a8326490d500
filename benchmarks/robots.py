"""The robots that are measured: URDF text that all libraries read alike."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path


def corpus_file(name: str) -> Path:
    """A file of the PyPI package example-robot-data."""
    files = importlib.metadata.distribution("example-robot-data").files or []
    (path,) = (f for f in files if f.name == name)
    return Path(str(path.locate()))


def panda() -> str:
    """The arm with its hand, fingers fixed: seven joints."""
    text = corpus_file("panda.urdf").read_text()
    text = re.sub(r'(<joint name="panda_finger_joint\d" type=")prismatic"', r'\1fixed"', text)
    return re.sub(r"<mimic[^>]*/>", "", text)


def ur5() -> str:
    """Six joints."""
    return corpus_file("ur5_robot.urdf").read_text()


def g1() -> str:
    """A humanoid with hands, base fixed: 43 joints, none of which follows another."""
    return corpus_file("g1_29dof_with_hand_rev_1_0.urdf").read_text()


def talos() -> str:
    """A humanoid, base fixed; its fingers follow each other."""
    return corpus_file("talos_full_v2.urdf").read_text()


def chain(joints: int) -> str:
    """A serial arm of equal links, joint axes y and x in turn, each link turned by 90 degrees."""
    parts = ['<robot name="chain"><link name="l0"/>']
    for k in range(joints):
        axis = "0 1 0" if k % 2 else "0 0 1"
        parts.append(
            f'<link name="l{k + 1}"><inertial><origin xyz="0.02 0.01 0.1"/><mass value="1.5"/>'
            '<inertia ixx="0.012" iyy="0.011" izz="0.004" ixy="0.0002" ixz="0.0003" iyz="0.0001"/>'
            f'</inertial></link><joint name="j{k}" type="continuous"><parent link="l{k}"/>'
            f'<child link="l{k + 1}"/><axis xyz="{axis}"/><origin xyz="0 0 0.2"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def without_meshes(text: str) -> str:
    """The same robot without shapes, as MuJoCo wants it for pure dynamics."""
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)
    compiler = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>'
    return re.sub(r"(<robot\b[^>]*>)", rf"\1{compiler}", text, count=1)
