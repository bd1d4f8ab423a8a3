"""The tree of a kernel's trace. It holds no size: offsets and counts are expressions in PyPTO's notation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Expression: TypeAlias = int | str
"""A number, or PyPTO's text of a symbolic scalar, for example ``RUNTIME_GetInputDataInt32Dim2(ARG_cnt,u,0)``."""
Expressions: TypeAlias = tuple[Expression, ...]

Indices: TypeAlias = tuple[tuple[str, int | str], ...]
"""Loop indices as they stand, outermost first: name and value."""

ARGUMENT = "argument"
TEMPORARY = "temporary"
VALUE = "value"


@dataclass(frozen=True, slots=True)
class Place:
    """A statement of a kernel file."""

    file: str
    line: int
    last: int
    """Its last line."""

    def words(self) -> str:
        """For a reader: the file's name and the line."""
        return f"{self.file.rsplit('/', 1)[-1]}:{self.line}"


@dataclass(slots=True)
class TensorInfo:
    """A tensor of the trace."""

    number: int
    kind: str
    """``argument`` of the kernel, ``temporary`` made by ``pypto.tensor``, or ``value``: an operation's result."""
    shape: Expressions
    dtype: str
    element_bytes: int
    name: str = ""
    source: int | None = None
    """The tensor that this one is a view or reshape of."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line is executed: a statement begins, or a loop asks for its next iteration."""

    place: Place


@dataclass(frozen=True, slots=True)
class Enter:
    """An inlined function begins."""

    file: str
    line: int
    """Line of its first decorator, or of its ``def``."""
    name: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The inlined function ends."""


@dataclass(frozen=True, slots=True)
class Helped:
    """Ordinary functions ran in Python while a statement was traced; their operations stand beside this."""

    file: str
    arcs: frozenset[tuple[int, int]]
    """Pairs of lines executed one after the other, as coverage.py has them."""


@dataclass(frozen=True, slots=True)
class Unrolled:
    """One turn of a Python loop, unrolled by the parser. ``value`` None: the loop is over."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition on symbolic scalars, and which way this traversal goes."""

    place: Place
    condition: Expression
    taken: bool


@dataclass(frozen=True, slots=True)
class Create:
    """``pypto.tensor``: a tensor without contents."""

    place: Place
    tensor: int


@dataclass(frozen=True, slots=True)
class View:
    """A region of a tensor is read."""

    place: Place
    source: int
    result: int
    shape: Expressions
    offsets: Expressions
    stated: Expressions | None
    """The valid_shape that the kernel states."""
    valid: Expressions
    """What PyPTO takes for the valid_shape of the result."""
    source_valid: Expressions


@dataclass(frozen=True, slots=True)
class Assemble:
    """The valid part of a tensor is written into another one."""

    place: Place
    source: int
    valid: Expressions
    offsets: Expressions
    target: int


@dataclass(frozen=True, slots=True)
class Move:
    """``target[:] = source``: the whole tensor becomes another value."""

    place: Place
    source: int
    valid: Expressions
    target: int


@dataclass(frozen=True, slots=True)
class Store:
    """``target[i, j] = scalar``."""

    place: Place
    target: int
    offsets: Expressions


@dataclass(frozen=True, slots=True)
class Ref:
    """A tensor among the arguments of an operation."""

    tensor: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbolic scalar among the arguments of an operation."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Operation:
    """Any other operation."""

    place: Place
    name: str
    reads: tuple[tuple[int, Expressions], ...]
    """Arguments and temporaries that it reads whole, with the valid_shape that PyPTO takes for theirs."""
    valid: Expressions
    """Of its first input; empty if it has none."""
    result: int | None
    result_valid: Expressions
    args: tuple[Any, ...] = ()
    """Its arguments as plain data, tensors and symbolic scalars as :class:`Ref` and :class:`Symbol`, other types of
    PyPTO by name."""
    kwargs: tuple[tuple[str, Any], ...] = ()


Effect: TypeAlias = Create | View | Assemble | Move | Store | Operation


@dataclass(slots=True)
class Traversal:
    """One visit of a loop's body: the items along one path through its branches."""

    path: int
    """PyPTO's number of the path, within the unroll factor."""
    unroll: int = 1
    """Iterations that one pass of this traversal makes."""
    items: list[Item] = field(default_factory=list)
    _branches: tuple[Branch, ...] | None = None

    def branches(self) -> tuple[Branch, ...]:
        """Its conditions, in order; those of inner loops are theirs."""
        if self._branches is None:
            self._branches = tuple(item for item in self.items if isinstance(item, Branch))
        return self._branches


@dataclass(slots=True)
class Loop:
    """A ``pypto.loop`` with every path through its body."""

    place: Place
    name: str
    index: str
    """The loop index's name in expressions."""
    start: Expression
    stop: Expression
    step: Expression
    parallel: bool = False
    traversals: list[Traversal] = field(default_factory=list)


Item: TypeAlias = Line | Enter | Leave | Helped | Unrolled | Branch | Loop | Effect


@dataclass(slots=True)
class Trace:
    """One trace of one kernel."""

    kernel: str
    file: str
    line: int
    """Line of the first decorator: where coverage.py has the function begin and end."""
    def_line: int
    tensors: list[TensorInfo]
    arguments: tuple[int, ...]
    """Numbers of the tensor parameters, in order."""
    body: Loop
    """The function's body, which PyPTO treats as a loop of one iteration."""

    def lines(self) -> dict[str, set[int]]:
        """Every line that the parser visits on some path, by file, whether it runs or not."""
        found: dict[str, set[int]] = {}
        for item in self._items():
            if isinstance(item, Line):
                found.setdefault(item.place.file, set()).add(item.place.line)
        return found

    def helped(self) -> dict[str, set[int]]:
        """Every line of ordinary functions that Python ran meanwhile, by file."""
        found: dict[str, set[int]] = {}
        for item in self._items():
            if isinstance(item, Helped):
                found.setdefault(item.file, set()).update(line for arc in item.arcs for line in arc if line > 0)
        return found

    def _items(self) -> Iterator[Item]:
        loops = [self.body]
        while loops:
            for traversal in loops.pop().traversals:
                yield from traversal.items
                loops += [item for item in traversal.items if isinstance(item, Loop)]
