"""Builds the tree of one trace from the parser's events, in the order in which they come."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from verification.shadow.tree import (
    ARGUMENT,
    TEMPORARY,
    VALUE,
    Create,
    Enter,
    Expression,
    Expressions,
    Helped,
    Item,
    Leave,
    Line,
    Loop,
    Place,
    TensorInfo,
    Trace,
    Traversal,
    Unrolled,
)


@dataclass(frozen=True, kw_only=True)
class Range:
    """What a ``pypto.loop`` was called with."""

    start: Expression
    stop: Expression
    step: Expression
    name: str
    """Empty if PyPTO chose it."""
    parallel: bool


@dataclass
class _Frame:
    """A ``for`` that is being visited."""

    place: Place
    python: bool
    loops: list[Loop] = field(default_factory=list)
    turns: int = 0


def expression(value: Any) -> Expression:
    """A number or PyPTO's text of a symbolic scalar, whichever Python class it comes in."""
    if isinstance(value, int):
        return int(value)
    base = value if hasattr(value, "ConcreteValid") else value.base()
    return int(base.Concrete()) if base.ConcreteValid() else str(base.Dump())


def expressions(values: Sequence[Any]) -> Expressions:
    """The same of several."""
    return tuple(expression(value) for value in values)


def _loops_begun() -> int:
    """How many loops PyPTO has numbered in this kernel; the number names a loop that has no name."""
    from pypto._controller import Controller

    return int(repr(Controller._loop_idx_generator).removeprefix("count(").removesuffix(")"))  # noqa: SLF001


def valid_shape(tensor: Any) -> Expressions:
    """What PyPTO takes for a tensor's valid_shape."""
    return expressions(tensor.base().GetValidShape())


class Builder:
    """One trace in the making.

    Attributes:
        whole: whether the last visit of the kernel's body came to its end.
    """

    def __init__(self, kernel: str, file: str, line: int, def_line: int) -> None:
        self._kernel, self._file, self._line, self._def_line = kernel, file, line, def_line
        self._numbers: dict[int, int] = {}
        self._seen: list[weakref.ref[Any]] = []
        """By number; a tensor kept alive longer than the kernel does would make PyPTO carry it from loop to loop."""
        self._infos: list[TensorInfo] = []
        self._arguments: list[int] = []
        self._body: Loop | None = None
        self._frames: list[_Frame] = []
        self.whole = False
        self.place = Place(file, def_line, def_line)

    @property
    def items(self) -> list[Item]:
        """Where the next event goes."""
        loop = next(frame.loops[-1] for frame in reversed(self._frames) if frame.loops)
        return loop.traversals[-1].items

    @property
    def inside(self) -> bool:
        """Whether the kernel's body is being visited."""
        return bool(self._frames)

    def number(self, tensor: Any, *, kind: str = VALUE, source: int | None = None) -> int:
        """The number of a tensor, which it gets when it is first seen."""
        key = id(tensor)
        found = self._numbers.get(key)
        if found is not None:
            self._rename(found, tensor)
            return found
        import pypto

        number = len(self._infos)
        self._numbers[key] = number
        self._seen.append(weakref.ref(tensor, lambda _: self._forget(key, number)))
        width = int(pypto.bytes_of(tensor.dtype))
        shape = expressions(tensor.shape)
        self._infos.append(TensorInfo(number, kind, shape, tensor.dtype.name, width, source=source))
        return number

    def _forget(self, key: int, number: int) -> None:
        """A tensor is gone: another one may get its id."""
        if self._numbers.get(key) == number:
            del self._numbers[key]

    def _rename(self, number: int, tensor: Any) -> None:
        """The parser names a result when it is assigned, after the operation was noted."""
        info = self._infos[number]
        if info.kind != ARGUMENT and not tensor.base().IsEmpty():
            info.name = tensor.name

    def kind(self, tensor: Any) -> str:
        """What kind of tensor this is, ``value`` if it was never seen."""
        found = self._numbers.get(id(tensor))
        return VALUE if found is None else self._infos[found].kind

    def argument(self, tensor: Any) -> None:
        """Notes a parameter of the kernel."""
        self._numbers.pop(id(tensor), None)
        number = self.number(tensor, kind=ARGUMENT)
        self._infos[number].name = tensor.name
        self._arguments.append(number)

    def create(self, tensor: Any) -> None:
        """Notes a tensor without contents."""
        self.items.append(Create(self.place, self.number(tensor, kind=TEMPORARY)))

    def line(self, place: Place) -> None:
        """Notes that a statement begins."""
        self.items.append(Line(place))

    def helped(self, arcs: Mapping[str, Iterable[tuple[int, int]]]) -> None:
        """Notes what ordinary functions executed that the statement calls, by file."""
        self.items.extend(Helped(file, frozenset(found)) for file, found in arcs.items())

    @contextmanager
    def body(self) -> Iterator[None]:
        """One visit of the kernel's body."""
        if self._body is None:
            self._body = Loop(self.place, "default_loop_1", "", 0, 1, 1)
        self._body.traversals.append(Traversal(path=len(self._body.traversals)))
        self._frames.append(_Frame(self.place, python=False, loops=[self._body]))
        self.whole = False
        try:
            yield
            self.whole = True
        finally:
            self._frames.pop()

    @contextmanager
    def inlined(self, file: str, line: int, name: str) -> Iterator[None]:
        """One visit of an inlined function's body."""
        self.items.append(Enter(file, line, name))
        yield
        self.items.append(Leave())

    @contextmanager
    def loop(self, place: Place, *, python: bool, name: str) -> Iterator[None]:
        """The visit of a ``for``, of Python (unrolled) or of PyPTO."""
        frame = _Frame(place, python=python)
        self._frames.append(frame)
        yield
        self._frames.pop()
        if python:
            self.items.extend((Line(place), Unrolled(name, None)))
        for one in frame.loops:
            paths: Counter[int] = Counter()
            for traversal in one.traversals:
                traversal.path = paths[traversal.unroll]
                paths[traversal.unroll] += 1

    def turn(self, name: str, value: Any, opened: Range | None) -> None:
        """The loop variable is assigned: a turn of a Python loop, or a traversal of PyPTO's.

        Args:
            name: the loop variable.
            value: what it becomes.
            opened: the ``pypto.loop`` that was called since the last turn, if one was.
        """
        frame = self._frames[-1]
        frame.turns += 1
        if frame.python:
            if frame.turns > 1:
                self.line(frame.place)
            self.items.append(Unrolled(name, str(value)))
            return
        index = expression(value[0] if isinstance(value, tuple) else value)
        if opened is not None:
            self._begin(frame, opened, str(index))
        loop = frame.loops[-1]
        if index == loop.index:
            loop.traversals.append(Traversal(path=len(loop.traversals)))
        else:
            self.line(frame.place)
            loop.traversals[-1].unroll += 1

    def _begin(self, frame: _Frame, opened: Range, index: str) -> None:
        name = opened.name or f"loop_{_loops_begun() - 1}"
        loop = Loop(frame.place, name, index, opened.start, opened.stop, opened.step, opened.parallel)
        self._frames.pop()
        self.items.append(loop)
        self._frames.append(frame)
        frame.loops.append(loop)

    def finish(self) -> Trace:
        """The finished trace.

        Raises:
            RuntimeError: no body was visited.
        """
        if self._body is None:
            raise RuntimeError("no body was visited")
        for number, seen in enumerate(self._seen):
            tensor = seen()
            if tensor is not None:
                self._rename(number, tensor)
        self._numbers.clear()
        return Trace(
            kernel=self._kernel,
            file=self._file,
            line=self._line,
            def_line=self._def_line,
            tensors=self._infos,
            arguments=tuple(self._arguments),
            body=self._body,
        )
