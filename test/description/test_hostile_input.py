"""Descriptions made to exhaust a reader are refused within a bound on memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys, warnings
from dynamics_core.errors import DescriptionError
from dynamics_core.urdf import load_urdf
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 1024**3, used + 1024**3))
warnings.simplefilter("ignore")
text = {text}
try:
    load_urdf(text)
except DescriptionError as error:
    print("refused:", str(error)[:300])
"""

LAUGHS = (
    '\'<!DOCTYPE robot [<!ENTITY a0 "ha">\' + "".join(f\'<!ENTITY a{k+1} "{"&a%d;" % k * 10}">\' '
    "for k in range(20)) + ']><robot name=\"&a20;\"/>'"
)
TEXTS = {
    "entities": (LAUGHS, "document type"),
    "other file": (
        '\'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>\'',
        "document type",
    ),
    "deep": ('\'<robot name="r">\' + "<link>" * 100000 + "</link>" * 100000 + "</robot>"', "deep"),
    "many": ('\'<robot name="r">\' + \'<link name="a"/>\' * 1000000 + "</robot>"', "elements"),
    "long number": (
        '\'<robot name="r"><link name="a"><inertial><mass value="\' + "1" * 10**7 + '
        "'\"/></inertial></link></robot>'",
        "too large",
    ),
    "long name": ('\'<robot name="r">\' + (\'<link name="\' + "x" * 10**6 + \'"/>\') * 2 + '
                  '"</robot>"', "of this name"),
    "huge": ('"<robot>" + " " * (65 * 1024 * 1024) + "</robot>"', "bytes"),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS)
def test_hostile_text_is_refused(case: str) -> None:
    text, match = TEXTS[case]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{text}", text)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused:")
    assert match in done.stdout
    assert "root:" not in done.stdout


def test_a_long_chain_is_carried() -> None:
    n = 2000
    text = (
        "'<robot name=\"r\">' + ''.join(f'<link name=\"l{i}\"/>' for i in range(N)) + ''.join("
        'f\'<joint name="j{i}" type="continuous"><parent link="l{i}"/>'
        "<child link=\"l{i+1}\"/></joint>' for i in range(N - 1)) + '</robot>'"
    ).replace("N", str(n))
    program = PROGRAM.replace("{text}", text).replace(
        "    load_urdf(text)", '    print("carried:", load_urdf(text).nv)'
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == f"carried: {n - 1}\n", done.stderr
