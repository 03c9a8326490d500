"""The one door to llvmlite: text of LLVM IR in, object code out, addresses from object code.

llvmlite 0.41 (LLVM 14) spells pointers ``double*``, newer ones ``ptr``; :func:`pointer` knows which.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

#: llvmlite's functions may be called by one thread at a time.
LOCK = threading.RLock()

if hasattr(os, "register_at_fork"):  # a child must not inherit a compiler that is half way through
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


@cache
def _initialise() -> None:
    if int(llvmlite.__version__.split(".")[1]) < 46:  # later versions do it by themselves
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def opaque_pointers() -> bool:
    """Whether this LLVM spells every pointer ``ptr``."""
    return llvm.llvm_version_info[0] >= 16


def pointer(to: str) -> str:
    """The type of a pointer in IR text."""
    return "ptr" if opaque_pointers() else f"{to}*"


@cache
def cpu() -> tuple[str, str]:
    """Name and features of this machine's CPU, as LLVM wants them."""
    name = llvm.get_host_cpu_name()
    try:
        return name, llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # not known for this architecture
        return name, ""


def has(feature: str) -> bool:
    """Whether the CPU has a feature, by LLVM's name."""
    return f"+{feature}" in cpu()[1].split(",")


@cache
def has_fma() -> bool:
    """Whether a fused multiply-add is one instruction."""
    return has("fma") or has("vfp4") or llvm.get_process_triple().startswith(("aarch64", "arm64"))


def identity() -> str:
    """What object code depends on beside its source: CPU and LLVM."""
    return f"{llvmlite.__version__} {llvm.get_process_triple()} {cpu()}"


def _target_machine() -> Any:
    _initialise()
    name, features = cpu()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=name, features=features, opt=2, jit=True, codemodel="jitdefault"
    )


def compile_ir(text: str) -> bytes:
    """Object code of a module of IR.

    The code that the emitter writes has its common terms shared and its constants folded, so that
    LLVM's optimiser finds next to nothing; only its code generator is run.
    """
    with LOCK:
        machine = _target_machine()
        module = llvm.parse_assembly(text)
        module.triple = llvm.get_process_triple()
        module.data_layout = str(machine.target_data)
        return machine.emit_object(module)


class Library:
    """Object code in memory; keep it as long as any of its addresses is in use."""

    def __init__(self, code: bytes) -> None:
        with LOCK:
            machine = _target_machine()
            empty = llvm.parse_assembly("")
            empty.triple = llvm.get_process_triple()
            empty.data_layout = str(machine.target_data)
            self._engine = llvm.create_mcjit_compiler(empty, machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function is."""
        with LOCK:
            at = self._engine.get_function_address(name)
        if not at:
            raise RuntimeError(f"object code has no function {name!r}")
        return int(at)
