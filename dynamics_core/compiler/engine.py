"""The one door to llvmlite: text of LLVM IR in, object code out, addresses from object code.

llvmlite 0.41 (LLVM 14) spells pointers ``double*``, newer ones ``ptr``; :func:`pointer` knows.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

#: Held by the one thread that compiles. All that llvmlite does, destruction included, is done under
#: it, and a fork waits for it: llvmlite has locks of its own, which a child would never see opened.
LOCK = threading.RLock()

if hasattr(os, "register_at_fork"):
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
        return _object_code(text)


def _object_code(text: str) -> bytes:
    machine = _target_machine()
    return bytes(machine.emit_object(_module(text, machine)))


def _module(text: str, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    return module


class Library:
    """Object code in memory; keep it as long as any of its addresses is in use."""

    def __init__(self, code: bytes) -> None:
        self._addresses: dict[str, int] = {}
        with LOCK:
            self._engine = self._load(code)

    @staticmethod
    def _load(code: bytes) -> Any:
        machine = _target_machine()
        engine = llvm.create_mcjit_compiler(_module("", machine), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return engine

    def __del__(self) -> None:
        if LOCK is not None and hasattr(self, "_engine"):  # not while Python shuts down
            with LOCK:
                self._engine.close()

    def address(self, name: str) -> int:
        """Where a function is."""
        if name not in self._addresses:
            with LOCK:
                self._addresses[name] = int(self._engine.get_function_address(name))
        return self._addresses[name]
