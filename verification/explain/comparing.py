"""Statement by statement: what a launch computed against what it should have, until the two part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from verification.explain.expectation import Context, Dataflow, MisplacedError, first_wrong
from verification.explain.source import Source
from verification.explain.values import Value, Values
from verification.shadow.account import portable
from verification.shadow.launch import Launched
from verification.shadow.replay import Observer, Position, replay
from verification.shadow.tree import Assemble, Effect, Enter, Operation, Place, Trace


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """The first statement whose result is not what it should be."""

    kernel: str
    file: str
    line: int
    source: str
    called_from: tuple[int, str] | None
    """Line and text of the call, if the statement stands in an inlined function."""
    indices: tuple[tuple[str, int | str], ...]
    name: str
    """The variable, or ``->name`` for a write into an argument."""
    element: tuple[int, ...]
    """Within the tile."""
    expected: float
    found: float
    why: str = ""
    """What is wrong where no number says it."""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What comparing a launch gave."""

    kernel: str
    divergence: Divergence | None
    compared: int
    """Results that were compared."""
    off: float
    """Largest difference of a written output between this calculation and PyPTO's, relative to the output's largest."""
    unknown: tuple[str, ...] = ()
    """Operations that are not carried out here."""
    silent: tuple[str, ...] = ()
    """Variables, known here, of which the dataflow said nothing, in their order."""


def explain(launched: Launched, flow: Dataflow) -> Explanation:
    """Replays a launch with its numbers and compares every result that the dataflow speaks of.

    Args:
        launched: a launch whose tensors were kept.
        flow: what should come out.

    Raises:
        verification.shadow.NotReplayableError: its control flow depends on what it computes.
    """
    watch = _Comparison(launched, flow)
    replay(launched, [watch])
    return Explanation(
        kernel=launched.trace.kernel,
        divergence=watch.divergence,
        compared=watch.compared,
        off=watch.off(),
        unknown=tuple(sorted(watch.values.unknown)),
        silent=tuple(name for name in watch.met if name not in watch.spoken),
    )


class _Comparison(Observer):
    def __init__(self, launched: Launched, flow: Dataflow) -> None:
        trace = launched.trace
        names = {trace.tensors[number].name: number for number in trace.arguments}
        self.values = Values(launched.before, names, trace.tensors)
        self.divergence: Divergence | None = None
        self.compared = 0
        self.met: dict[str, None] = {}
        self.spoken: set[str] = set()
        self._launched, self._flow, self._trace = launched, flow, trace
        self._numbers = names
        self._arguments = {number: name for name, number in names.items()}
        self._context = Context(kernel=trace.kernel)
        self._place: Place | None = None
        self._last: tuple[Effect, Value | None, Position] | None = None
        self._calls: list[tuple[int, str, Mapping[str, str]]] = []
        self._sources: dict[str, Source] = {}

    def begin(self, trace: Trace, position: Position) -> None:
        """See :class:`Observer`."""
        del trace
        self._position = position

    def line(self, place: Place) -> None:
        """See :class:`Observer`."""
        self._conclude()
        self._place = place

    def enter(self, entered: Enter) -> None:
        """See :class:`Observer`."""
        place = self._place
        text, alias = "", {}
        if place is not None:
            source = self._source(place.file)
            text = source.text(place.line)
            outer = self._calls[-1][2] if self._calls else {}
            alias = source.alias(place.line, entered.name, outer)
        self._calls.append((place.line if place else 0, text, alias))

    def leave(self) -> None:
        """See :class:`Observer`."""
        self._conclude()
        self._calls.pop()

    def iterated(self) -> None:
        """See :class:`Observer`."""
        self._conclude()

    def end(self, position: Position) -> None:
        """See :class:`Observer`."""
        del position
        self._conclude()

    def effect(self, effect: Effect, position: Position) -> None:
        """See :class:`Observer`."""
        if self.divergence is None:
            self._last = (effect, self.values.apply(effect, position), position)
        else:
            self.values.apply(effect, position)

    def off(self) -> float:
        """See :class:`Explanation`."""
        worst = 0.0
        for name, after in self._launched.after.items():
            value = self.values.get(self._numbers[name])
            if value is None or after.dim() != 2 or not after.is_floating_point():
                continue
            both = torch.isfinite(value.data) & torch.isfinite(after.double())
            error = (value.data - after.double())[both].abs()
            largest = value.data[both].abs().max() if bool(both.any()) else torch.tensor(1.0)
            worst = max(worst, float(error.max() / largest.clamp_min(1e-30)) if bool(both.any()) else 0.0)
        return worst

    def _source(self, file: str) -> Source:
        if file not in self._sources:
            self._sources[file] = Source(file)
        return self._sources[file]

    def _conclude(self) -> None:
        """Compares the result of the statement that has ended."""
        last, self._last = self._last, None
        if last is None or self.divergence is not None:
            return
        effect, found, position = last
        if found is None:
            return
        place = effect.place
        name = self._name(effect, place)
        if not name:
            return
        self.met[name] = None
        context = self._context
        loops = [loop for loop, _ in position.loops if loop.index]
        context.loops = tuple(loop.name for loop in loops)
        inner = next(((loop, at) for loop, at in reversed(position.loops) if loop.index), None)
        context.first = inner is None or inner[1] == position.scope.value(inner[0].start)
        context.alias = self._calls[-1][2] if self._calls else {}
        context.operation = effect.name if isinstance(effect, Operation) else type(effect).__name__.lower()
        context.written = self._written(effect, found, position)
        try:
            expected = self._flow.expect(name, found, context)
        except MisplacedError as error:
            self.spoken.add(name)
            self._diverge(place, position, name, why=str(error))
            return
        except KeyError:  # it rests on a variable of which nothing is known
            expected = None
        if name not in context.found or not name.startswith("->"):
            context.found[name] = found
        if expected is None:
            return
        self.spoken.add(name)
        context.known[name] = expected
        self.compared += 1
        self._compare(place, position, name, found.data, expected)

    def _written(self, effect: Effect, found: Value, position: Position) -> torch.Tensor | None:
        target = self._arguments.get(effect.target) if isinstance(effect, Assemble) else None
        if target is None or not isinstance(effect, Assemble):
            return None
        row, column = (position.scope.value(one) for one in effect.offsets)
        rows, width = found.data.shape
        each = max(1, self._launched.before[target].shape[1] // width)
        numbers: torch.Tensor = (row + torch.arange(rows)) * each + column // width
        return numbers

    def _compare(
        self, place: Place, position: Position, name: str, found: torch.Tensor, expected: torch.Tensor
    ) -> None:
        if found.shape != expected.shape:
            why = f"{tuple(found.shape)} elements, {tuple(expected.shape)} expected"
            self._diverge(place, position, name, why=why)
            return
        element = first_wrong(found, expected, tolerance=self._flow.tolerance, floor=self._flow.floor)
        if element is not None:
            wanted, got = float(expected[element]), float(found[element])
            self._diverge(place, position, name, element=element, expected=wanted, found=got)

    def _diverge(
        self,
        place: Place,
        position: Position,
        name: str,
        *,
        element: tuple[int, ...] = (0, 0),
        expected: float = math.nan,
        found: float = math.nan,
        why: str = "",
    ) -> None:
        call = self._calls[-1] if self._calls else None
        self.divergence = Divergence(
            kernel=self._trace.kernel,
            file=portable(place.file),
            line=place.line,
            source=self._source(place.file).text(place.line),
            called_from=None if call is None else (call[0], call[1]),
            indices=position.indices(),
            name=name,
            element=element,
            expected=expected,
            found=found,
            why=why,
        )

    def _name(self, effect: Effect, place: Place) -> str:
        """What a statement's result is called: its target, as the outermost caller names it."""
        if isinstance(effect, Assemble):
            info = self._trace.tensors[effect.target]
            return f"->{info.name}" if info.name else ""
        name = self._source(place.file).target(place.line)
        return (self._calls[-1][2] if self._calls else {}).get(name, name)
