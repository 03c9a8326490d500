"""Each identity fails when an algorithm is broken, and fails for the algorithm that it watches.

An identity that holds on broken code watches nothing. Here every one of them sees at least one
wrong sign, dropped term or confused frame.
"""

from __future__ import annotations

import pytest
from backends import COMPILED
from identities import IDENTITIES, OF_FREE_ROBOTS
from mutations import Mutation, broken
from random_trees import Case, fixed_cases

from dynamics_core.model import JointType

pytestmark = pytest.mark.skipif(
    COMPILED, reason="code that is compiled already does not notice that its source is broken"
)

ALL = {**IDENTITIES, **OF_FREE_ROBOTS}

#: Identity: (module, text, broken text), each of which it must notice.
NOTICED: dict[str, list[tuple[str, str, str]]] = {
    "mass_matrix_is_symmetric_and_positive": [
        ("mass_matrix", "m[column][row] = m[row][column]", "m[column][row] = -m[row][column]"),
    ],
    "columns_of_rnea_are_those_of_crba": [
        ("mass_matrix", "value + value if other == k else value", "value"),
        ("inverse_dynamics", "-(xx + zz), yz - dw.x", "-(xx + zz), yz + dw.x"),
        ("mass_matrix", "joint.armature * joint.multiplier**2", "joint.armature"),
    ],
    "torque_is_the_sum_of_its_terms": [
        ("gravity", "body.inertia.first.cross(lift[i])", "Vector()"),
        ("coriolis", "model.with_gravity(Vector(0.0, 0.0, 0.0))", "model"),
    ],
    "forward_dynamics_undoes_inverse_dynamics": [
        ("forward_dynamics", "w.cross(second @ w)", "-w.cross(second @ w)"),
        ("forward_dynamics", "(w0 + w).cross(rate.linear)", "w0.cross(rate.linear)"),
        ("forward_dynamics", "over_d * u", "over_d * u * 0.5"),
        ("cholesky", "a[i][j] - factor * a[k][j]", "a[i][j] + factor * a[k][j]"),
    ],
    "coriolis_torque_is_quadratic_in_velocity": [
        ("coriolis", "model.with_gravity(Vector(0.0, 0.0, 0.0))", "model"),
    ],
    "coriolis_torque_is_that_of_lagrange": [
        ("inverse_dynamics", "(w0 + w0 + w_j).cross(v_j)", "(w0 + w_j).cross(v_j)"),
        ("inverse_dynamics", "+ w.cross(inertia.second @ w)", "- w.cross(inertia.second @ w)"),
    ],
    "external_torque_is_jacobian_transposed_times_wrench": [
        ("inverse_dynamics", "(f - external[i] if i", "(f + external[i] if i"),
    ],
    "coriolis_matrix_gives_torque_and_rate_of_mass_matrix": [
        ("coriolis_matrix", "coriolis[i].times(s.angular)", "coriolis[i].times(-s.angular)"),
    ],
    "coriolis_matrix_is_made_of_christoffel_symbols": [
        ("coriolis_matrix", "add(inner_k, outer, turning, -value)", "pass"),
    ],
    "regressor_times_parameters_is_the_torque": [
        ("regressor", "Vector(-yz, dw.y, xy)", "Vector(yz, dw.y, xy)"),
    ],
    "vector_recursion_agrees": [
        ("newton_euler_vectors", "w0.cross(sliding) * 2.0", "w0.cross(sliding)"),
        ("joints", "joint.multiplier * master + joint.offset", "joint.multiplier * master"),
    ],
    "derivatives_of_inverse_dynamics_are_those": [
        ("inverse_dynamics_derivatives", "a0.cross(e) - phi.cross(v0) * 2.0", "a0.cross(e)"),
        ("inverse_dynamics_derivatives", "above.cross(unit) * 2.0 if", "above.cross(unit) if"),
    ],
    "derivatives_of_forward_dynamics_follow_from_those_of_inverse": [
        ("forward_dynamics_derivatives", "minus(dq), minus(dv)", "minus(dq), solved(dv)"),
    ],
    "joints_transmit_the_torque_and_carry_the_rest": [
        ("joint_wrenches", "r.rotate(f.angular)", "r.rotate(-f.angular)"),
    ],
    "kinetic_energy_is_half_v_m_v": [
        ("energy", "rate.dot(rate) * body.joint.armature", "rate.dot(rate)"),
    ],
    "gravity_is_the_gradient_of_potential_energy": [
        ("gravity", "else -model.gravity", "else model.gravity"),
        ("energy", "return -gravity.dot", "return gravity.dot"),
    ],
    "power_balances": [
        ("energy", "return -gravity.dot", "return gravity.dot"),
        ("inverse_dynamics", "(f - external[i] if i", "(f + external[i] if i"),
    ],
    "coriolis_torque_does_half_the_work_of_changing_inertia": [
        ("inverse_dynamics", "dw0 + change.angular + w0.cross(w_j)", "dw0 + change.angular"),
    ],
    "jacobian_is_the_derivative_of_the_pose": [
        ("jacobian", "point - body.position", "body.position - point"),
        ("joints", "Vector(q[k], q[k + 1], 0.0)", "Vector(q[k + 1], q[k], 0.0)"),
        ("joints", "yz - wx", "yz + wx"),
    ],
    "frame_velocity_is_jacobian_times_v": [
        ("jacobian", 'Vector() if reference == "world" else at.position', "at.position"),
    ],
    "jacobian_derivative_is_that": [
        ("jacobian_derivative", "(carrier - twist).cross(s)", "carrier.cross(s)"),
        ("jacobian_derivative", "+ s.angular.cross(dp)", "- s.angular.cross(dp)"),
    ],
    "jacobian_bias_is_jacobian_derivative_times_v": [
        ("jacobian_derivative", "bias.linear + twist", "bias.linear - twist"),
    ],
    "acceleration_is_the_derivative_of_velocity": [
        ("frame_motion", "+ twist.cross(rate)", "- twist.cross(rate)"),
    ],
    "classical_acceleration_adds_omega_cross_v": [
        ("frame_motion", "acceleration.linear + twist", "acceleration.linear - twist"),
    ],
    "difference_undoes_integrate": [
        ("~manifold", "v + b * turned + c", "v - b * turned + c"),
        ("~manifold", "v - 0.5 * turned", "v + 0.5 * turned"),
    ],
    "com_jacobian_is_the_derivative_of_the_com": [
        ("center_of_mass", "column = (s.linear * masses[i] +", "column = (s.linear * masses[i] -"),
    ],
    "momentum_is_that_of_the_bodies": [
        ("centroidal_momentum", "f.angular - com.cross", "f.angular + com.cross"),
    ],
    "momentum_matrix_times_v_is_momentum": [
        ("center_of_mass", "column = (s.linear * masses[i] +", "column = (s.linear * masses[i] -"),
        ("centroidal_momentum", "joint_rate(body.joint, v))\n", "-joint_rate(body.joint, v))\n"),
    ],
    "momentum_bias_is_its_rate_without_acceleration": [
        ("~spatial", "self.linear.cross(f.linear) + self", "self"),
    ],
    "rate_of_momentum_is_the_outside_force": [
        ("centroidal_momentum", "twist[i].cross_force(", "twist[i].cross_force(-1.0 * "),
    ],
    "locked_robot_has_the_momentum_of_its_centroidal_inertia": [
        ("centroidal_momentum", "second + skew @ skew * m", "second - skew @ skew * m"),
    ],
    "free_fall_takes_no_torque": [
        ("inverse_dynamics", "Vector(), -gravity)", "Vector(), gravity)"),
    ],
    "nothing_depends_on_the_base_frame": [
        ("center_of_mass", "poses[i].rotation.rotate(b.inertia.first)", "b.inertia.first"),
    ],
    "nothing_depends_on_the_order_of_joints": [
        ("cholesky", "a[i][j] - factor * a[k][j]", "a[i][j] + factor * a[k][j]"),
    ],
    "nothing_depends_on_how_a_link_is_cut": [
        ("~robot", "inertia).to_parent(f.placement)", "inertia)"),
    ],
    "mimic_joints_reduce_the_tree": [
        ("mass_matrix", "value + value if other == k else value", "value"),
        ("joints", "joint.multiplier * master + joint.offset", "joint.multiplier * master"),
    ],
}


def _applies(name: str, case: Case) -> bool:
    roots = [b for b in case.robot.model.bodies if b.parent < 0]
    free = len(roots) == 1 and roots[0].joint.type is JointType.FLOATING
    return free or name in IDENTITIES


def _hold(name: str) -> None:
    for case in fixed_cases():
        if _applies(name, case):
            ALL[name](case)


def test_every_identity_is_seen_to_fail() -> None:
    """No identity without a mutation."""
    assert set(NOTICED) == set(ALL)


@pytest.mark.parametrize("name", NOTICED)
def test_identity_notices(name: str) -> None:
    """The identity holds, fails for each mutation, and holds again."""
    _hold(name)
    for module, old, new in NOTICED[name]:
        place = module[1:] if module.startswith("~") else f"algorithms.{module}"
        with broken(Mutation(place, old, new)), pytest.raises(AssertionError):
            _hold(name)
    _hold(name)
