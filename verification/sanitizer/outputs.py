"""Which arguments a kernel writes, on any path: its outputs."""

from __future__ import annotations

from verification.shadow.tree import Assemble, Loop, Move, Place, Store, Trace


def destinations(trace: Trace) -> dict[int, Place]:
    """Arguments that some statement writes, or that it seems to write through a view or reshape of them.

    Args:
        trace: the kernel's trace.

    Returns:
        By the argument's number, the first such statement.
    """
    found: dict[int, Place] = {}
    loops = [trace.body]
    while loops:
        for traversal in loops.pop(0).traversals:
            for item in traversal.items:
                if isinstance(item, Loop):
                    loops.append(item)
                elif isinstance(item, Assemble | Move | Store):
                    number = _origin(trace, item.target)
                    if number in trace.arguments:
                        found.setdefault(number, item.place)
    return found


def _origin(trace: Trace, number: int) -> int:
    """The tensor that a chain of views and reshapes starts from."""
    source = trace.tensors[number].source
    while source is not None:
        number, source = source, trace.tensors[source].source
    return number
