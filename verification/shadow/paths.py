"""The control-flow paths of a trace: what each one visits, and the functions that PyPTO compiles for it.

A path is one traversal of one loop's body, inner loops left out: they have paths of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from verification.shadow.lines import Lines
from verification.shadow.naming import functions
from verification.shadow.replay import Observer
from verification.shadow.tree import Enter, Helped, Item, Leave, Line, Loop, Trace, Traversal


@dataclass(frozen=True)
class Path:
    """One path, with all that it visits."""

    loop: Loop
    traversal: Traversal
    visited: Lines

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Functions that it calls; empty if it computes nothing itself."""
        return tuple(functions(self.loop, self.traversal).values())


class Taken(Observer):
    """Collects which traversals a replay takes.

    Attributes:
        traversals: their ids.
    """

    def __init__(self) -> None:
        self.traversals: set[int] = set()

    def path(self, loop: Loop, traversal: Traversal) -> None:
        """See :class:`Observer`."""
        del loop
        self.traversals.add(id(traversal))


def paths(trace: Trace) -> Iterator[Path]:
    """Every path of a trace, the kernel's body first."""
    loops = [(trace.body, trace.file, trace.line)]
    while loops:
        loop, file, line = loops.pop()
        for traversal in loop.traversals:
            visited = Lines()
            if loop is trace.body:
                visited.enter(Enter(trace.file, trace.line, trace.kernel))
            else:
                visited.resume(file, line, loop.place.line)
            for item in traversal.items:
                if isinstance(item, Loop):
                    loops.append((item, *visited.function))
                else:
                    _visit(visited, item)
            if loop is trace.body:
                visited.leave()
            else:
                visited.line(loop.place)
            yield Path(loop, traversal, visited)


def _visit(visited: Lines, item: Item) -> None:
    if isinstance(item, Line):
        visited.line(item.place)
    elif isinstance(item, Enter):
        visited.enter(item)
    elif isinstance(item, Leave):
        visited.leave()
    elif isinstance(item, Helped):
        visited.helped(item)
