"""Odd URDFs, and the one right outcome of each."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dynamics_core import DescriptionError, ModelWarning, Robot
from dynamics_core.description.records import as_array
from dynamics_core.model import Model
from dynamics_core.urdf import load_urdf

LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
BODY = (
    '<inertial><mass value="{m}"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>\n'


def joint(
    inside: str = LIMIT, name: str = "j", kind: str = "revolute", ends: tuple[str, str] = ("a", "b")
) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/><child link="{ends[1]}"/>'
        f"{inside}</joint>\n"
    )


def robot(*parts: str) -> str:
    return '<robot name="r">\n' + "".join(parts) + "</robot>"


def quiet(text: str, **options: object) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load_urdf(text, **options)  # type: ignore[arg-type]


def mass_matrix(text: str) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        r = Robot.from_urdf(text)
    return np.asarray(r.mass_matrix(np.zeros(r.nq)))


B = link("b", BODY.format(m=1))


def test_inertia_is_turned_by_rpy() -> None:
    body = BODY.format(m=1).replace("<mass", '<origin rpy="0 0 1.5707963267948966"/><mass')
    text = robot(link("a"), link("b", body), joint('<axis xyz="1 0 0"/>' + LIMIT))
    assert mass_matrix(text)[0, 0] == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("angle", ["1.5708", "-3.1416", "1.57079632679", "3.14159265359", "0.3"])
@pytest.mark.parametrize(
    "rpy", ["{} 0 0", "0 {} 0", "0 0 {}", "{} 0.7 0", "0.2 {} -1.1", "0 {0} {0}"]
)
def test_a_rotation_stays_one_and_right_angles_are_exact(angle: str, rpy: str) -> None:
    pose = f'<axis xyz="0 0 1"/><origin rpy="{rpy.format(angle)}"/>'
    text = robot(link("a"), B, joint(pose + LIMIT))
    read = as_array(quiet(text).bodies[0].placement.rotation.matrix())
    np.testing.assert_allclose(read @ read.T, np.eye(3), rtol=0.0, atol=1e-15)
    r, p, y = (float(x) for x in rpy.format(angle).split())
    np.testing.assert_allclose(read, Rotation.from_euler("xyz", (r, p, y)).as_matrix(), atol=1e-11)
    if angle.startswith(("1.57079", "3.14159")) and rpy == "{} 0 0":
        assert set(np.abs(read).ravel()) == {0.0, 1.0}


def test_no_origin_is_the_identity_and_no_axis_is_x() -> None:
    model = quiet(robot(link("a"), B, joint()))
    assert mass_matrix(robot(link("a"), B, joint()))[0, 0] == pytest.approx(1.0, rel=1e-12)
    assert list(model.bodies[0].placement.position) == [0.0, 0.0, 0.0]
    assert list(model.bodies[0].placement.rotation.matrix().column(2)) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_long_axis_is_normalised_with_a_warning(kind: str) -> None:
    text = robot(link("a"), B, joint('<axis xyz="0 0 2"/>' + LIMIT, kind=kind))
    with pytest.warns(ModelWarning, match=r'<text>:4: <axis> in <joint name="j">.*length 2'):
        load_urdf(text)
    expected = 2.5 if kind == "revolute" else 1.0
    assert mass_matrix(text)[0, 0] == pytest.approx(expected, rel=1e-12)


def test_continuous_joint_has_one_coordinate() -> None:
    model = quiet(robot(link("a"), B, joint("", kind="continuous")))
    assert (model.nq, model.nv) == (1, 1)


def test_mimic_reduces_the_mass_matrix() -> None:
    c = link("c", BODY.format(m=2))
    parts = (link("a"), B, c, joint())
    second = '<origin xyz="0 0.4 0.3"/>' + LIMIT
    free = robot(*parts, joint(second, "k", "revolute", ("b", "c")))
    mimic = '<mimic joint="j" multiplier="2" offset="0.5"/>'
    tied = robot(*parts, joint(second + mimic, "k", "revolute", ("b", "c")))
    g = np.array([[1.0], [2.0]])
    r = Robot.from_urdf(free)
    m0 = np.asarray(r.mass_matrix(np.array([0.3, 2 * 0.3 + 0.5])))
    m = np.asarray(Robot.from_urdf(tied).mass_matrix(np.array([0.3])))
    np.testing.assert_allclose(m, g.T @ m0 @ g, rtol=1e-12)


def test_mimic_chain_ends_at_the_joint_that_moves() -> None:
    text = robot(
        link("a"), B, link("c", BODY.format(m=1)), link("d", BODY.format(m=1)), joint(),
        joint(LIMIT + '<mimic joint="j" multiplier="2" offset="1"/>', "k", ends=("b", "c")),
        joint(LIMIT + '<mimic joint="k" multiplier="-3" offset="0.5"/>', "l", ends=("c", "d")),
    )  # fmt: skip
    last = quiet(text).joint("l")
    assert (last.mimics, last.multiplier, last.offset) == ("j", -6.0, -2.5)


def test_base_mass_counts_in_the_total_only() -> None:
    model = quiet(robot(link("a", BODY.format(m=3)), B, joint()))
    assert model.total_mass == 4.0
    light = robot(link("a"), B, joint())
    heavy = robot(link("a", BODY.format(m=3)), B, joint())
    np.testing.assert_array_equal(mass_matrix(light), mass_matrix(heavy))


def test_fixed_child_is_merged() -> None:
    point = '<inertial><mass value="2"/></inertial>'
    body = '<inertial><mass value="1"/><inertia ixx="2" iyy="2" izz="2"/></inertial>'
    text = robot(
        link("a"), link("b", body), link("c", point), joint('<axis xyz="0 0 1"/>' + LIMIT),
        joint('<origin xyz="1 0 0"/>', "f", "fixed", ("b", "c")),
    )  # fmt: skip
    assert mass_matrix(text)[0, 0] == pytest.approx(4.0, rel=1e-12)
    assert list(quiet(text).frame("c").placement.position) == [1.0, 0.0, 0.0]


def test_text_may_declare_an_encoding_and_start_with_a_mark() -> None:
    text = '\ufeff<?xml version="1.0" encoding="utf-8"?>' + robot(link("a"), B, joint())
    assert quiet(text).nv == 1


def test_damping_friction_and_limits_are_kept() -> None:
    inside = LIMIT + '<dynamics damping="0.7" friction="0.3"/>'
    j = quiet(robot(link("a"), B, joint(inside))).joints[0]
    assert (j.damping, j.friction) == (0.7, 0.3)
    limits = j.limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (-1.0, 1.0, 2.0, 5.0)


def test_siblings_keep_the_order_of_the_file_depth_first() -> None:
    names = [link(n, BODY.format(m=1)) for n in ("z", "a", "y", "root")]
    text = robot(
        *names, joint(name="jz", ends=("root", "z")), joint(name="ja", ends=("root", "a")),
        joint(name="jy", ends=("z", "y")),
    )  # fmt: skip
    assert quiet(text).joint_names == ("jz", "jy", "ja")


def test_what_dynamics_has_no_use_for_is_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    visual = '<visual><geometry/><material name=""><texture/></material></visual><collision/>'
    text = robot(
        link("a", visual), B, joint(LIMIT + "<safety_controller/>"),
        '<transmission name="t"><joint name="j"/></transmission><gazebo><link/></gazebo>'
        "<mujoco/><ros2_control><joint/></ros2_control><unheard_of/>",
    )  # fmt: skip
    assert quiet(text).nv == 1
    assert capfd.readouterr() == ("", "")


def test_floating_base_carries_the_root_link() -> None:
    model = quiet(robot(link("a", BODY.format(m=3)), B, joint()), floating_base=True)
    assert (model.nq, model.nv) == (8, 7)
    assert model.bodies[0].inertia.mass == 3.0
    assert model.base_inertia.mass == 0.0


SUSPICIOUS = {
    "no limit": (robot(link("a"), B, joint("")), r'<joint name="j">.*without <limit>'),
    "triangle": (
        robot(link("a"), link("b", BODY.format(m=1).replace("2.5", "5")), joint()),
        r'<link name="b">.*triangle inequality',
    ),
    "massless leaf": (robot(link("a", BODY.format(m=1)), link("b"), joint()), 'joint "j" moves no'),
    "effort 0": (
        robot(link("a"), B, joint(LIMIT.replace('effort="5"', 'effort="0"'))),
        'effort="0"',
    ),
    "negative moment": (
        robot(link("a"), link("b", BODY.format(m=1).replace('"1"', '"-1"', 2)
                              .replace('mass value="-1"', 'mass value="1"')), joint()),
        "not positive definite",
    ),
    "far centre": (
        robot(link("a"), link("b", BODY.format(m=1).replace("<m", '<origin xyz="90 0 0"/><m')),
              joint()),
        "centre of mass lies 90 m",
    ),
    "units": (robot(link("a"), link("b", BODY.format(m=1e-6)), joint()), "radius of gyration"),
    "unknown master": (
        robot(link("a"), B, joint(LIMIT + '<mimic joint="x" multiplier="3"/>')), 'no joint "x"',
    ),
    "no masses": (robot(link("a"), link("b"), joint()), "no link has a mass"),
    "no range": (robot(link("a"), B, joint(LIMIT.replace('"-1"', '"1"'))), "cannot move"),
}  # fmt: skip


@pytest.mark.parametrize("case", SUSPICIOUS)
def test_suspicious_is_a_warning_and_in_strict_mode_an_error(case: str) -> None:
    text, match = SUSPICIOUS[case]
    with pytest.warns(ModelWarning, match=match):
        load_urdf(text)
    with pytest.raises(DescriptionError, match="(?s)strict.*" + match):
        load_urdf(text, strict=True)


def test_a_sound_robot_passes_strict_mode() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sound = link("b", BODY.format(m=10))
        assert load_urdf(robot(link("a"), sound, joint()), strict=True).nv == 1


WRONG = {
    "negative mass": (robot(link("a", BODY.format(m=-1))), "cannot be negative"),
    "mass nan": (robot(link("a", BODY.format(m="nan"))), "not a finite number"),
    "decimal comma": (robot(link("a", BODY.format(m="1,5"))), "decimal point"),
    "not ascii": (robot(link("a", BODY.format(m="\u0661"))), "not a finite number"),
    "overflow": (robot(link("a", BODY.format(m="1e999"))), "too large"),
    "two inertials": (robot(link("a", BODY.format(m=1) * 2)), "second time"),
    "zero axis": (robot(link("a"), B, joint('<axis xyz="0 0 0"/>')), "no direction"),
    "huge axis": (robot(link("a"), B, joint('<axis xyz="1.7e308 1.7e308 0"/>')), "no direction"),
    "two roots": (robot(link("a"), B), 'have no parent: "a" .line 2., "b" .line 3.'),
    "loop": (robot(link("a"), B, joint(), joint(name="k", ends=("b", "a"))), "loop"),
    "separate loop": (
        robot(link("o"), link("a"), B, joint(), joint(name="k", ends=("b", "a"))), "loop"),
    "self": (robot(link("a"), joint(ends=("a", "a"))), "to itself"),
    "two parents": (
        robot(link("a"), B, link("c"), joint(), joint(name="k", ends=("c", "b"))), "two parents"),
    "same link twice": (robot(link("a"), link("a")), "line 2 already"),
    "same joint twice": (
        robot(link("a"), B, link("c"), joint(), joint(ends=("b", "c"))), "line 5 already"),
    "unknown link": (robot(link("a"), joint()), 'no link "b"'),
    "unknown type": (robot(link("a"), B, joint(kind="ball")), "unknown joint type"),
    "no type": (robot(link("a"), '<joint name="j"/>'), "type is missing"),
    "no child": (robot(link("a"), '<joint name="j" type="fixed"><parent link="a"/></joint>'),
                 "has no <child>"),
    "no name": (robot("<link/>"), "name is missing"),
    "no links": (robot(), "no <link>"),
    "two numbers": (robot(link("a"), B, joint('<origin xyz="1 2"/>')), "2 numbers"),
    "upside down": (robot(link("a"), B, joint('<limit lower="1" upper="-1"/>')), "above upper"),
    "damping": (robot(link("a"), B, joint('<dynamics damping="-1"/>')), "negative"),
    "own master": (robot(link("a"), B, joint('<mimic joint="j"/>')), "follows itself"),
    "mimic loop": (
        robot(link("a"), B, link("c"), joint('<mimic joint="k"/>'),
              joint('<mimic joint="j"/>', "k", ends=("b", "c"))), "follow each other"),
    "mimic of fixed": (
        robot(link("a"), B, link("c"), joint("", kind="fixed"),
              joint('<mimic joint="j"/>', "k", ends=("b", "c"))), "is fixed"),
    "mimic of planar": (
        robot(link("a"), B, link("c"), joint("", kind="planar"),
              joint('<mimic joint="j"/>', "k", ends=("b", "c"))), "is planar"),
    "planar mimic": (
        robot(link("a"), B, link("c"), joint(),
              joint('<mimic joint="j"/>', "k", "planar", ("b", "c"))), "cannot follow"),
    "xacro tag": (robot("<xacro:arm/>"), "unexpanded xacro file"),
    "xacro value": (robot(link("${x}")), "unexpanded xacro file"),
    "other root": ("<sdf/>", "not <robot>"),
    "empty": ("", "empty"),
    "not XML": ("<robot name='r'>", "not well-formed"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_is_an_error(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    text, match = WRONG[case]
    with pytest.raises(DescriptionError, match=match):
        quiet(text)
    assert capfd.readouterr() == ("", "")


def test_an_error_names_file_element_and_line(tmp_path: object) -> None:
    path = tmp_path / "arm.urdf"  # type: ignore[operator]
    path.write_text(robot(link("a"), B, joint('\n<axis xyz="0 0 0"/>')))
    with pytest.raises(DescriptionError) as error:
        load_urdf(path)
    where = f'{path}:5: <axis> in <joint name="j"> in <robot name="r">: '
    assert str(error.value).startswith(where)


SOURCES = [None, 3, b"<robot/>", "/no/such.urdf", "/", "/dev/zero", "a\0b"]


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_cannot_be_read(source: object) -> None:
    with pytest.raises(DescriptionError):
        load_urdf(source)  # type: ignore[arg-type]
