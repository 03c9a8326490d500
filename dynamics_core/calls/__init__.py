"""How Python calls compiled code.

:class:`CompiledFunction` is the way in: one function of one robot, for single states, for batches
shared among threads, and repeated over time. :mod:`.builtin` makes the Python builtin around the
code of :mod:`.entry`, which knows the memory by :mod:`.layout`.
"""

from .compiled import CompiledFunction
from .threads import get_threads, set_threads

__all__ = ["CompiledFunction", "get_threads", "set_threads"]
