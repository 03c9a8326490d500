"""Breaking an algorithm on purpose, so that a test can be seen to fail.

A mutation is an edit of a module's source text. :func:`broken` compiles the edited text and puts
the code of every function that changed into the function that is already loaded; whoever imported
it runs the broken code. On leaving, the old code comes back.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType


@dataclass(frozen=True)
class Mutation:
    """``old`` is replaced by ``new`` in a module of dynamics_core, where it occurs once."""

    module: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}: {self.old} -> {self.new}"


@contextmanager
def broken(mutation: Mutation) -> Iterator[None]:
    """The module's functions as the mutation has them."""
    module = importlib.import_module(f"dynamics_core.{mutation.module}")
    source = inspect.getsource(module)
    found = source.count(mutation.old)
    if found != 1:
        raise AssertionError(f"{mutation}: the text occurs {found} times; it must occur once")
    file = str(module.__file__)
    whole = compile(source, file, "exec", dont_inherit=True)
    edited = compile(source.replace(mutation.old, mutation.new), file, "exec", dont_inherit=True)
    before, after = dict(_functions_in(whole)), dict(_functions_in(edited))
    changed = [path for path, code in before.items() if after[path] != code]
    if not changed:
        raise AssertionError(f"{mutation}: no function changes")
    functions = [_find(module, path) for path in changed]
    originals = [f.__code__ for f in functions]
    for f, path in zip(functions, changed, strict=True):
        f.__code__ = after[path]
    try:
        yield
    finally:
        for f, code in zip(functions, originals, strict=True):
            f.__code__ = code


def _functions_in(code: CodeType, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple, CodeType]]:
    """Code objects of a module's functions and of its classes' methods, by dotted path."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and not constant.co_name.startswith("<"):
            here = (*path, constant.co_name)
            if constant.co_flags & inspect.CO_OPTIMIZED:
                yield here, constant
            else:  # the body of a class
                yield from _functions_in(constant, here)


def _find(module: ModuleType, path: tuple[str, ...]) -> FunctionType:
    found = vars(module)[path[0]]
    for name in path[1:]:
        found = vars(found)[name]
    if isinstance(found, property):
        found = found.fget
    found = getattr(found, "__func__", found)  # static and class methods
    assert isinstance(found, FunctionType), path
    return found
