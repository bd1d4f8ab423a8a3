"""Walks the tree of a trace as one launch ran it, and tells observers what happens, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from verification.shadow.expression import NotReplayableError, OutsideTableError, Scope
from verification.shadow.launch import Launched
from verification.shadow.naming import functions
from verification.shadow.tree import (
    Branch,
    Effect,
    Enter,
    Helped,
    Indices,
    Item,
    Leave,
    Line,
    Loop,
    Place,
    Trace,
    Traversal,
    Unrolled,
)

LONGEST = 5_000_000
"""Steps after which a replay gives up: a loop count read from garbage would keep it going for ever."""


@dataclass
class Position:
    """Where the replay stands; the same object all along."""

    scope: Scope
    loops: list[tuple[Loop, int]] = field(default_factory=list)
    """The loops around, outermost first, each with its iteration's index."""
    unrolled: dict[str, str] = field(default_factory=dict)
    """Variables of the Python loops around."""

    def indices(self) -> Indices:
        """Loop indices as they stand, outermost first."""
        ours = tuple((loop.index, index) for loop, index in self.loops if loop.index)
        return (*ours, *self.unrolled.items())


class Observer:
    """What a replay tells; override what is of interest. A position may be asked only during the call."""

    def begin(self, trace: Trace, position: Position) -> None:
        """The kernel begins."""

    def line(self, place: Place) -> None:
        """A line is executed."""

    def enter(self, entered: Enter) -> None:
        """An inlined function begins."""

    def leave(self) -> None:
        """The inlined function that began last ends."""

    def helped(self, helped: Helped) -> None:
        """Ordinary functions were called by the statement."""

    def branch(self, branch: Branch) -> None:
        """A condition was decided as the branch says."""

    def path(self, loop: Loop, traversal: Traversal) -> None:
        """One pass through a loop's body begins, along this traversal."""

    def root(self, name: str) -> None:
        """A part of a compiled path is called; the name is the one that PyPTO gives it."""

    def iterations(self, loop: Loop, count: int) -> None:
        """A loop is about to make this many iterations."""

    def iterated(self) -> None:
        """An iteration of the innermost loop ends; the position is still its own."""

    def effect(self, effect: Effect, position: Position) -> None:
        """An operation is executed."""

    def outside_table(self, place: Place, error: OutsideTableError, position: Position) -> None:
        """A table was read where it has no entry; the replay goes on with 0."""

    def end(self, position: Position) -> None:
        """The kernel ends."""


def replay(launched: Launched, observers: Sequence[Observer], *, ends_only: bool = False) -> None:
    """Replays one launch.

    Args:
        launched: its trace and numbers.
        observers: whom to tell.
        ends_only: replay the first and the last iteration of every loop only, each as one pass.

    Raises:
        NotReplayableError: the control flow depends on a tensor that the kernel computes, no traced path fits the
            conditions, or it is endless.
    """
    trace = launched.trace
    scope = _Tolerant(launched, observers)
    walk = _Walk(scope, observers, ends_only=ends_only)
    for observer in observers:
        observer.begin(trace, walk.position)
    walk.traverse(trace.body, trace.body.traversals)
    for observer in observers:
        observer.end(walk.position)


class _Tolerant(Scope):
    """A scope that reports a read beyond a table, once per statement and index, and goes on with 0."""

    def __init__(self, launched: Launched, observers: Sequence[Observer]) -> None:
        super().__init__(launched.shapes, launched.tables)
        self._observers = observers
        self.position: Position | None = None
        self.place = Place(launched.trace.file, launched.trace.def_line, launched.trace.def_line)

    def _read(self, name: str, *index: int) -> int:
        try:
            return super()._read(name, *index)
        except OutsideTableError as error:
            if self.position is not None:
                for observer in self._observers:
                    observer.outside_table(self.place, error, self.position)
            return 0


class _Walk:
    def __init__(self, scope: _Tolerant, observers: Sequence[Observer], *, ends_only: bool) -> None:
        self.scope = scope
        self.ends_only = ends_only
        self.observers = observers
        self.position = scope.position = Position(scope)
        self._functions: dict[int, dict[int, str]] = {}
        self.steps = 0

    def traverse(self, loop: Loop, candidates: Sequence[Traversal]) -> None:
        """One pass through a loop's body, along the traversal whose conditions hold."""
        chosen = self._choose(loop, candidates)
        called = self._functions.get(id(chosen))
        if called is None:
            called = self._functions[id(chosen)] = functions(loop, chosen)
        for observer in self.observers:
            observer.path(loop, chosen)
        for at, item in enumerate(chosen.items):
            if at in called:
                for observer in self.observers:
                    observer.root(called[at])
            if isinstance(item, Loop):
                self._loop(item)
            else:
                self._item(item)

    def _choose(self, loop: Loop, candidates: Sequence[Traversal]) -> Traversal:
        """The traversal whose every condition holds: those that go another way at a condition drop out there."""
        depth = 0
        while depth < len(candidates[0].branches()):
            branch = candidates[0].branches()[depth]
            self._step(branch.place)
            taken = bool(self.scope.value(branch.condition))
            left = [one for one in candidates if one.branches()[depth].taken == taken]
            if not left:
                raise NotReplayableError(f"{loop.name}: no traced path has {branch.condition} {taken}")
            candidates, depth = left, depth + 1
        return candidates[0]

    def _loop(self, loop: Loop) -> None:
        self.scope.place = loop.place
        start, stop, step = (self.scope.value(one) for one in (loop.start, loop.stop, loop.step))
        if step <= 0:
            raise NotReplayableError(f"{loop.name}: its step is {step}")
        count = max(0, -((start - stop) // step))
        for observer in self.observers:
            observer.iterations(loop, count)
        indices, steps = self.scope.indices, self.scope.steps
        saved = indices.get(loop.index), steps.get(loop.index)
        steps[loop.index] = step
        for at, unroll in self._passes(loop, start, step, count):
            indices[loop.index] = at
            self.position.loops.append((loop, at))
            self.traverse(loop, [one for one in loop.traversals if one.unroll == unroll])
            for observer in self.observers:
                observer.iterated()
            self.position.loops.pop()
            self._line(loop.place)
        for names, before in ((indices, saved[0]), (steps, saved[1])):
            if before is None:
                names.pop(loop.index, None)
            else:
                names[loop.index] = before

    def _passes(self, loop: Loop, start: int, step: int, count: int) -> Iterator[tuple[int, int]]:
        """Index and unroll factor of each pass: the largest factor as long as it fits, then the next."""
        factors = sorted({one.unroll for one in loop.traversals}, reverse=True)
        done = 0
        if self.ends_only and count > 2:
            yield from ((start + step * number, factors[-1]) for number in (0, count - 1))
            return
        for unroll in factors:
            while count - done >= unroll:
                yield start + step * done, unroll
                done += unroll

    def _line(self, place: Place) -> None:
        self._step(place)
        for observer in self.observers:
            observer.line(place)

    def _step(self, place: Place) -> None:
        self.steps += 1
        self.scope.place = place
        if self.steps > LONGEST:
            raise NotReplayableError(f"more than {LONGEST} steps at {place.file}:{place.line}")

    def _item(self, item: Item) -> None:
        if isinstance(item, Line):
            self._line(item.place)
        elif isinstance(item, Unrolled):
            self._unrolled(item)
        elif isinstance(item, Enter | Leave | Helped | Branch):
            self._mark(item)
        elif not isinstance(item, Loop):
            self._step(item.place)
            for observer in self.observers:
                observer.effect(item, self.position)

    def _mark(self, item: Enter | Leave | Helped | Branch) -> None:
        for observer in self.observers:
            if isinstance(item, Enter):
                observer.enter(item)
            elif isinstance(item, Leave):
                observer.leave()
            elif isinstance(item, Helped):
                observer.helped(item)
            else:
                observer.branch(item)

    def _unrolled(self, turn: Unrolled) -> None:
        if turn.value is None:
            self.position.unrolled.pop(turn.name, None)
        else:
            self.position.unrolled[turn.name] = turn.value
