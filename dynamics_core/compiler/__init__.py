"""From a program to machine code, or to C.

In the order of the work: :mod:`.emit_llvm`, :mod:`.sincos` and :mod:`.tanh` put formulas into LLVM
IR, :mod:`.kernel`, :mod:`.rows` and :mod:`.batch` make functions of them, :mod:`.engine` compiles
those and :mod:`.cache` keeps the result. :mod:`.export_c` writes C99 instead.
``docs/compiler.md`` tells the whole story.
"""
