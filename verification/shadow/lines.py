"""The lines and arcs that a replay executes, as coverage.py has them."""

from __future__ import annotations

from collections import Counter

from verification.shadow.replay import Observer, Position
from verification.shadow.tree import Enter, Helped, Loop, Place, Trace


class Lines(Observer):
    """Collects what was executed.

    An arc leads from one line to the next within a function. A function begins with an arc from the negative of its
    first line, which is its first decorator's, and ends with one to it.

    Attributes:
        arcs: pairs of lines, by file.
        trips: how many iterations each loop made, and how often.
    """

    def __init__(self) -> None:
        self.arcs: dict[str, set[tuple[int, int]]] = {}
        self.trips: dict[str, Counter[int]] = {}
        self._functions: list[tuple[str, int]] = []
        self._at: list[int] = []

    def executed(self) -> dict[str, set[int]]:
        """Executed lines, by file."""
        return {file: {line for arc in arcs for line in arc if line > 0} for file, arcs in self.arcs.items()}

    @property
    def function(self) -> tuple[str, int]:
        """File and first line of the function that is being executed."""
        return self._functions[-1]

    def resume(self, file: str, first: int, line: int) -> None:
        """Goes on in the middle of a function.

        Args:
            file: its file.
            first: its first line.
            line: the line that was executed last.
        """
        self._functions.append((file, first))
        self._at.append(line)

    def begin(self, trace: Trace, position: Position) -> None:
        """See :class:`Observer`."""
        del position
        self._begin(trace.file, trace.line)

    def line(self, place: Place) -> None:
        """See :class:`Observer`."""
        if place.line != self._at[-1]:
            self._go(place.line)

    def enter(self, entered: Enter) -> None:
        """See :class:`Observer`."""
        self._begin(entered.file, entered.line)

    def leave(self) -> None:
        """See :class:`Observer`."""
        self._go(-self._functions[-1][1])
        self._functions.pop()
        self._at.pop()

    def helped(self, helped: Helped) -> None:
        """See :class:`Observer`."""
        self.arcs.setdefault(helped.file, set()).update(helped.arcs)

    def end(self, position: Position) -> None:
        """See :class:`Observer`."""
        del position
        self.leave()

    def iterations(self, loop: Loop, count: int) -> None:
        """See :class:`Observer`."""
        self.trips.setdefault(loop.name, Counter())[count] += 1

    def _begin(self, file: str, line: int) -> None:
        self._functions.append((file, line))
        self._at.append(-line)

    def _go(self, line: int) -> None:
        self.arcs.setdefault(self._functions[-1][0], set()).add((self._at[-1], line))
        self._at[-1] = line
