"""The numbers of a replay: each operation of a recorded launch carried out in float64, rounded where the kernel rounds.

A tensor is held as far as it is valid. Each row carries where it comes from: its number among the argument's rows of as
many elements as were viewed, so that a row of a gathered tile is known whatever the kernel's tables said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

import torch

from verification.shadow.replay import Position
from verification.shadow.tree import Assemble, Create, Effect, Move, Operation, Ref, Symbol, View

_HALVES: Final = {"DT_FP16": torch.float16, "DT_BF16": torch.bfloat16}
_NOWHERE = -1


@dataclass(frozen=True)
class Value:
    """A tensor at one moment."""

    data: torch.Tensor
    """float64, two axes."""
    rows: torch.Tensor
    """int64, one per row: where it comes from; -1 = nowhere in particular."""
    columns: torch.Tensor | None = None
    """The same of columns, where they are rows of another tensor."""


class Values:
    """The numbers of one launch, as far as the replay has come.

    Args:
        arguments: tensors before the launch, by name.
        numbers: number of each argument in the trace, by name.

    Attributes:
        unknown: operations that are not carried out here, by name; what depends on them is not known.
    """

    def __init__(self, arguments: Mapping[str, torch.Tensor], numbers: Mapping[str, int], infos: list[Any]) -> None:
        self._values: dict[int, Value | None] = {}
        self._shapes = {info.number: info for info in infos}
        self._arguments = set(numbers.values())
        self.unknown: set[str] = set()
        for name, number in numbers.items():
            data = arguments[name].double()
            if data.dim() == 2:
                self._values[number] = Value(data, _nowhere(len(data)))

    def get(self, number: int) -> Value | None:
        """A tensor's value; None if it is not known."""
        return self._values.get(number)

    def apply(self, effect: Effect, position: Position) -> Value | None:
        """Carries out one operation.

        Returns:
            What it computed: a result, or what it wrote; None if that is not known.
        """
        value = position.scope.value
        if isinstance(effect, Create):
            shape = [value(side) for side in self._shapes[effect.tensor].shape]
            self._values[effect.tensor] = _empty(shape) if len(shape) == 2 else None
            return None
        if isinstance(effect, View):
            found = self._view(effect, value)
            self._values[effect.result] = found
            return found
        if isinstance(effect, Assemble):
            return self._assemble(effect, value)
        if isinstance(effect, Move):
            found = self._values[effect.target] = self._values.get(effect.source)
            return found
        if isinstance(effect, Operation) and effect.result is not None:
            found = self._values[effect.result] = self._operate(effect, value)
            return found
        return None

    def _view(self, view: View, value: Callable[[Any], int]) -> Value | None:
        source = self._values.get(view.source)
        if source is None or len(view.shape) != 2:
            return None
        (row, column), (rows, columns) = map(value, view.offsets), map(value, view.valid)
        part = source.data[max(row, 0) : row + rows, max(column, 0) : column + columns]
        data = torch.full((rows, columns), torch.nan, dtype=torch.float64)
        data[: part.shape[0], : part.shape[1]] = part
        if view.source in self._arguments:
            width = value(view.shape[1])
            each = max(1, source.data.shape[1] // width)
            numbers = (row + torch.arange(rows)) * each + column // width
        else:
            numbers = _nowhere(rows)
            kept = source.rows[row : row + rows]
            numbers[: len(kept)] = kept
        kept_columns = None if source.columns is None else source.columns[column : column + columns]
        return Value(data, numbers, kept_columns)

    def _assemble(self, effect: Assemble, value: Callable[[Any], int]) -> Value | None:
        source, target = self._values.get(effect.source), self._values.get(effect.target)
        if source is None or target is None:
            self._values[effect.target] = None if effect.target not in self._arguments else target
            return source
        row, column = map(value, effect.offsets)
        data, rows = target.data.clone() if effect.target not in self._arguments else target.data, target.rows.clone()
        place = data[row : row + len(source.data), column : column + source.data.shape[1]]
        place.copy_(source.data[: place.shape[0], : place.shape[1]])
        rows[row : row + len(source.rows)] = source.rows[: len(rows[row : row + len(source.rows)])]
        columns = target.columns
        if source.columns is not None:
            columns = _nowhere(data.shape[1]) if columns is None else columns.clone()
            columns[column : column + len(source.columns)] = source.columns
        self._values[effect.target] = Value(data, rows, columns)
        return source

    def _operate(self, operation: Operation, value: Callable[[Any], int]) -> Value | None:
        carry = _OPERATIONS.get(operation.name)
        if carry is None:
            self.unknown.add(operation.name)
            return None
        read = [self._read(one, value) for one in operation.args]
        named = {key: self._read(one, value) for key, one in operation.kwargs}
        if any(one is None and isinstance(arg, Ref) for one, arg in zip(read, operation.args, strict=True)):
            return None
        try:
            return carry(*read, **named)
        except (TypeError, RuntimeError, IndexError):
            self.unknown.add(operation.name)
            return None

    def _read(self, argument: Any, value: Callable[[Any], int]) -> Any:
        if isinstance(argument, Ref):
            return self._values.get(argument.tensor)
        if isinstance(argument, Symbol):
            return value(argument.value)
        if isinstance(argument, tuple):
            return tuple(self._read(one, value) for one in argument)
        return argument


def _nowhere(count: int) -> torch.Tensor:
    return torch.full((count,), _NOWHERE, dtype=torch.int64)


def _empty(shape: list[int]) -> Value:
    return Value(torch.full(shape, torch.nan, dtype=torch.float64), _nowhere(shape[0]))


def _rounded(data: torch.Tensor, dtype: str) -> torch.Tensor:
    half = _HALVES.get(dtype)
    return data if half is None else data.to(half).double()


def _matmul(a: Value, b: Value, dtype: str, *, a_trans: bool = False, b_trans: bool = False, **_: Any) -> Value:
    left, rows = (a.data.T, a.columns) if a_trans else (a.data, a.rows)
    right, columns = (b.data.T, b.rows) if b_trans else (b.data, b.columns)
    rows = _nowhere(len(left)) if rows is None else rows
    return Value(_rounded(left @ right, dtype), rows, columns)


def _elementwise(function: Callable[[Any, Any], torch.Tensor]) -> Callable[..., Value]:
    def carry(a: Any, b: Any, **_: Any) -> Value:
        known = [one for one in (a, b) if isinstance(one, Value)]
        data = function(*(one.data if isinstance(one, Value) else one for one in (a, b)))
        widest = max(known, key=lambda one: one.data.numel())
        return Value(data, widest.rows, widest.columns)

    return carry


def _comparison(holds: Callable[[Any, Any], torch.Tensor]) -> Callable[..., Value]:
    return _elementwise(lambda a, b: holds(a, b).double())


def _unary(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., Value]:
    return lambda a, **_: Value(function(a.data), a.rows, a.columns)


def _reduction(function: Callable[..., torch.Tensor]) -> Callable[..., Value]:
    def carry(a: Value, dim: int = -1, keepdim: bool = False, **_: Any) -> Value:  # noqa: FBT001, FBT002 - PyPTO's own
        if dim not in (-1, 1) or not keepdim:
            raise TypeError(dim)
        return Value(function(a.data, dim=-1, keepdim=True), a.rows)

    return carry


def _transpose(a: Value, dim0: int, dim1: int) -> Value:
    if {dim0 % 2, dim1 % 2} != {0, 1}:
        return a
    return Value(a.data.T, _nowhere(a.data.shape[1]) if a.columns is None else a.columns, a.rows)


def _where(condition: Value, a: Any, b: Any) -> Value:
    return _elementwise(lambda x, y: torch.where(condition.data != 0.0, x, y))(a, b)


def _full(size: tuple[int, ...], fill: float, dtype: str, *, valid_shape: tuple[int, ...] | None = None) -> Value:
    del dtype
    shape = valid_shape or size
    return Value(torch.full(shape, float(fill), dtype=torch.float64), _nowhere(shape[0]))


_OPERATIONS: Final[Mapping[str, Callable[..., Value]]] = {
    "matmul": _matmul,
    "add": _elementwise(lambda a, b: a + b),
    "sub": _elementwise(lambda a, b: a - b),
    "mul": _elementwise(lambda a, b: a * b),
    "div": _elementwise(lambda a, b: a / b),
    "maximum": _elementwise(torch.maximum),
    "minimum": _elementwise(torch.minimum),
    "exp": _unary(torch.exp),
    "log": _unary(torch.log),
    "sqrt": _unary(torch.sqrt),
    "abs": _unary(torch.abs),
    "neg": _unary(torch.neg),
    "reciprocal": _unary(torch.reciprocal),
    "rsqrt": _unary(torch.rsqrt),
    "sigmoid": _unary(torch.sigmoid),
    "relu": _unary(torch.relu),
    "log2": _unary(torch.log2),
    "gt": _comparison(gt),
    "ge": _comparison(ge),
    "lt": _comparison(lt),
    "le": _comparison(le),
    "eq": _comparison(eq),
    "ne": _comparison(ne),
    "where": _where,
    "transpose": _transpose,
    "amax": _reduction(torch.amax),
    "amin": _reduction(torch.amin),
    "sum": _reduction(torch.sum),
    "cast": lambda a, dtype, **_: Value(_rounded(a.data, dtype), a.rows, a.columns),
    "full": _full,
}
