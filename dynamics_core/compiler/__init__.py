"""From an algorithm to machine code for one robot.

:class:`CompiledFunction` is the way in. In the order of the work: :mod:`.expression` and
:mod:`.trace` write a function of a robot down as a program, :mod:`.emit_llvm` and :mod:`.sincos`
put its formulas into LLVM IR, :mod:`.kernel` and :mod:`.batch` make functions of them,
:mod:`.engine` compiles those, :mod:`.cache` keeps the result, and :mod:`.call_layer` makes a Python
builtin of it. ``docs/compiler.md`` tells the whole story.
"""

from .compiled import CompiledFunction
from .threads import get_threads, set_threads

__all__ = ["CompiledFunction", "get_threads", "set_threads"]
