"""What the attributes of each element must look like, as a table; checked with the line at hand."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET  # writes only; the text of strangers is read in elements.py
from collections.abc import Callable

from urdf_parser_py.urdf import URDF

from .elements import Element, quoted

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def _text(element: Element, key: str, value: str) -> str:
    if not value.strip():
        raise element.error(f"the attribute {key} is empty")
    return value


def _number(element: Element, key: str, value: str) -> str:
    word = value.strip()
    if not _NUMBER.fullmatch(word):
        hint = "; write a decimal point, not a comma" if "," in word else ""
        raise element.error(f"{key}={quoted(value)} is not a finite number{hint}")
    if not math.isfinite(float(word)):
        raise element.error(f"{key}={quoted(value)} is too large for a number")
    return word


def _bound(element: Element, key: str, value: str) -> str:
    word = value.strip()
    return word if _INFINITE.fullmatch(word) else _number(element, key, value)


def _vector(element: Element, key: str, value: str) -> str:
    words = value.split()
    if len(words) != 3:
        raise element.error(
            f"{key}={quoted(value)} has {len(words)} numbers; expected three, separated by spaces"
        )
    return " ".join(_number(element, key, w) for w in words)


Check = Callable[[Element, str, str], str]

#: (check, required) by tag and attribute. Attributes that are not here are passed over.
SCHEMA: dict[str, dict[str, tuple[Check, bool]]] = {
    "robot": {"name": (_text, True)},
    "link": {"name": (_text, True)},
    "inertial": {},
    "mass": {"value": (_number, True)},
    "inertia": {
        **{k: (_number, True) for k in ("ixx", "iyy", "izz")},
        **{k: (_number, False) for k in ("ixy", "ixz", "iyz")},
    },
    "origin": {"xyz": (_vector, False), "rpy": (_vector, False)},
    "joint": {"name": (_text, True), "type": (_text, True)},
    "parent": {"link": (_text, True)},
    "child": {"link": (_text, True)},
    "axis": {"xyz": (_vector, True)},
    "limit": {k: (_bound, False) for k in ("lower", "upper", "velocity", "effort")},
    "dynamics": {k: (_number, False) for k in ("damping", "friction")},
    "mimic": {"joint": (_text, True), "multiplier": (_number, False), "offset": (_number, False)},
}

#: What urdf_parser_py insists on, where the file may leave it out.
_DEFAULTS = {
    "limit": {"velocity": "inf", "effort": "inf"},
    "inertia": {"ixy": "0", "ixz": "0", "iyz": "0"},
}


def parse(robot: Element) -> URDF:
    """The same robot as an object of urdf_parser_py, once every attribute has been checked."""
    parsed: URDF = URDF.from_xml_string(ET.tostring(_checked(robot)))
    return parsed


def _checked(element: Element) -> ET.Element:
    attributes = dict(_DEFAULTS.get(element.tag, {}))
    for key, (check, required) in SCHEMA[element.tag].items():
        value = element.attributes.get(key)
        if value is not None:
            attributes[key] = check(element, key, value)
        elif required:
            raise element.error(f"the attribute {key} is missing")
    clean = ET.Element(element.tag, attributes)
    if element.tag != "robot":
        for tag in {child.tag for child in element.children}:
            element.only(tag)
    clean.extend([_checked(child) for child in element.children])
    return clean
