"""Checking and converting what users pass in, with errors that say what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..model import JointType, Model

Array = npt.NDArray[np.float64]

#: How far a quaternion's norm may be from 1.
QUATERNION_TOLERANCE = 1e-6


def position_names(model: Model) -> list[str]:
    """A name for each entry of q: the joint's, with the component where it has several."""
    parts = {
        JointType.FLOATING: ("x", "y", "z", "qx", "qy", "qz", "qw"),
        JointType.PLANAR: ("x", "y", "angle"),
    }
    return _component_names(model, parts)


def velocity_names(model: Model) -> list[str]:
    """A name for each entry of v, a and tau."""
    parts = {
        JointType.FLOATING: ("vx", "vy", "vz", "wx", "wy", "wz"),
        JointType.PLANAR: ("vx", "vy", "wz"),
    }
    return _component_names(model, parts)


def _component_names(model: Model, parts: Mapping[JointType, Sequence[str]]) -> list[str]:
    names: list[str] = []
    for joint in model.joints:
        names += [f"{joint.name}.{c}" for c in parts.get(joint.type, ())] or [joint.name]
    return names


def as_input(model: Model, function: str, name: str, value: Any, size: int) -> Array:
    """An input as float64, shape (size,) or (N, size), of finite numbers; else an error."""
    array = as_array(model, function, name, value, size)
    check_values(model, function, name, array)
    return array


def as_array(model: Model, function: str, name: str, value: Any, size: int) -> Array:
    """An input as float64, shape (size,) or (N, size), its values unchecked; else an error."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiubO":
            raise TypeError(f"it holds {array.dtype}, expected real numbers")
        array = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{function}: {name} is not an array of numbers: {error}") from None
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise ArgumentError(
            f"{function}: {name} has shape {array.shape}; robot {model.name!r} needs ({size},), "
            f"or (N, {size}) for a batch{_order_hint(model, name)}"
        )
    return array


def check_values(model: Model, function: str, name: str, array: Array) -> None:
    """Refuse numbers that are not finite and quaternions that are not of norm 1."""
    if not np.isfinite(array).all():
        raise ArgumentError(f"{function}: {_first_not_finite(model, name, array)}")
    if name == "q":
        _check_quaternions(model, function, array)


def check_out(function: str, out: Any, shape: tuple[int, ...], inputs: Sequence[Array]) -> None:
    """Refuse an output array that cannot take the result as it is."""
    if not isinstance(out, np.ndarray):
        raise ArgumentError(f"{function}: out is a {type(out).__name__}; expected a NumPy array")
    if out.dtype != np.float64 or out.shape != shape:
        raise ArgumentError(
            f"{function}: out is {out.dtype} of shape {out.shape}; expected float64 of {shape}"
        )
    if not out.flags.writeable:
        raise ArgumentError(f"{function}: out is read-only")


def gather_wrenches(
    function: str, f_ext: Mapping[str, Any] | None
) -> tuple[tuple[str, ...], Array | None]:
    """Frame names in a fixed order, and their wrenches side by side: (6 k,) or (N, 6 k)."""
    if not f_ext:
        return (), None
    if not isinstance(f_ext, Mapping):
        raise ArgumentError(
            f"{function}: f_ext is a {type(f_ext).__name__}; expected a dict of frame name to "
            "wrench (fx, fy, fz, nx, ny, nz)"
        )
    frames = tuple(sorted(f_ext))
    parts = []
    for name in frames:
        wrench = np.asarray(f_ext[name], dtype=np.float64)
        if wrench.ndim not in (1, 2) or wrench.shape[-1] != 6:
            raise ArgumentError(
                f"{function}: the wrench on {name!r} has shape {wrench.shape}; expected (6,) or "
                "(N, 6): force, then moment about the frame's origin, in its axes"
            )
        parts.append(wrench)
    rows = np.broadcast_shapes(*(p.shape[:-1] for p in parts))
    return frames, np.concatenate([np.broadcast_to(p, (*rows, 6)) for p in parts], axis=-1)


def _order_hint(model: Model, name: str) -> str:
    if name not in ("q", "v", "a", "tau"):
        return ""
    names = position_names(model) if name == "q" else velocity_names(model)
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f" in the order [{shown}]"


def _first_not_finite(model: Model, name: str, array: Array) -> str:
    at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    row = f" in row {at[0]}" if array.ndim == 2 else ""
    label = f"entry {at[-1]}"
    if name in ("q", "v", "a", "tau"):
        names = position_names(model) if name == "q" else velocity_names(model)
        label = f"entry {at[-1]} (joint {names[at[-1]]!r})"
    return f"{name} is {array[at]} at {label}{row}; expected finite numbers"


def _check_quaternions(model: Model, function: str, q: Array) -> None:
    for joint in model.joints:
        if joint.type is JointType.FLOATING:
            k = joint.q_index + 3
            norm = np.linalg.norm(q[..., k : k + 4], axis=-1)
            if np.any(np.abs(norm - 1.0) > QUATERNION_TOLERANCE):
                worst = float(np.ravel(norm)[np.argmax(np.abs(np.ravel(norm) - 1.0))])
                raise ArgumentError(
                    f"{function}: the quaternion (x, y, z, w) of joint {joint.name!r}, "
                    f"q[{k}:{k + 4}], has norm {worst:.9g}; normalise it first"
                )
