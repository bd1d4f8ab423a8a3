"""The names of the functions that PyPTO compiles for the paths through a loop's body."""

from __future__ import annotations

from verification.shadow.tree import Assemble, Loop, Operation, Store, Traversal, View

COMPUTES = (Assemble, Operation, Store, View)
"""What PyPTO makes a function for: a stretch of a loop's body, between inner loops, that has one of these. Stretches
and inner loops together are numbered, a loop once for each of its unroll factors: the number in the function's name."""


def functions(loop: Loop, traversal: Traversal) -> dict[int, str]:
    """The functions that one pass calls: by the number of the item that begins one, its name."""
    prefix = f"TENSOR_{loop.name}_Unroll{traversal.unroll}_PATH{traversal.path}_hiddenfunc"
    found: dict[int, str] = {}
    number, called = 0, False
    for at, item in enumerate(traversal.items):
        if isinstance(item, Loop):
            number += len({one.unroll for one in item.traversals}) + called
            called = False
        elif not called and isinstance(item, COMPUTES):
            called = True
            found[at] = f"{prefix}{number}_root"
    return found
