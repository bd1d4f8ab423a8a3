"""Checks every read and write of a replayed launch: what PyPTO runs without a word although it is a mistake."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from verification.sanitizer import finding as kinds
from verification.sanitizer.boxes import (
    Box,
    box,
    clipped,
    is_empty,
    is_inside,
    last_element,
    overlap,
    overlapping,
    uncovered,
    words,
)
from verification.sanitizer.finding import Finding
from verification.sanitizer.notes import Notes
from verification.sanitizer.order import Overlap, direct
from verification.sanitizer.outputs import destinations
from verification.sanitizer.writes import State, Write, parallel_loop
from verification.shadow.expression import OutsideTableError
from verification.shadow.replay import Observer, Position
from verification.shadow.tree import (
    ARGUMENT,
    TEMPORARY,
    Assemble,
    Create,
    Effect,
    Expressions,
    Move,
    Operation,
    Place,
    Store,
    TensorInfo,
    Trace,
    View,
)

LARGEST_OFFSET = 2**31 - 1
"""Largest offset that 32 bits hold."""


class Sanitizer(Observer):
    """Collects the findings of one launch in :attr:`findings`.

    Attributes:
        extents: number of the last element of each argument that was read or written, by name.
        overlaps: pairs of writes to one region of an argument (:func:`~verification.sanitizer.order.direct`).
    """

    def __init__(self) -> None:
        self.extents: dict[str, int] = {}
        self.overlaps: list[Overlap] = []
        self._notes = Notes()
        self._trace: Trace
        self._states: dict[int, State] = {}
        self._shapes: dict[int, tuple[int, ...]] = {}
        self._calls = 0
        self._lost: set[int] = set()
        """Arguments whose only write was seen to be lost."""
        self._entries: set[tuple[str, str]] = set()
        """Table entries that were found outside; expressions carry a read on to later statements."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings so far, in the order in which they were made; excused ones too."""
        return self._notes.findings

    def begin(self, trace: Trace, position: Position) -> None:
        """See :class:`Observer`."""
        del position
        self._trace = trace
        self._states = {one.number: State(known=one.kind != TEMPORARY) for one in trace.tensors}
        self._shapes = {}
        self._lost = set()
        self._calls = 0

    def root(self, name: str) -> None:
        """See :class:`Observer`."""
        del name
        self._calls += 1

    def outside_table(self, place: Place, error: OutsideTableError, position: Position) -> None:
        """See :class:`Observer`."""
        entry = "[" + ", ".join(map(str, error.index)) + "]"
        if (error.table, entry) in self._entries:
            return
        self._entries.add((error.table, entry))
        self._note(kinds.TABLE_OUTSIDE, place, position, error.table, entry, shape=list(error.shape))

    def effect(self, effect: Effect, position: Position) -> None:
        """See :class:`Observer`."""
        if isinstance(effect, View):
            self._view(effect, position)
        elif isinstance(effect, Operation):
            self._operation(effect, position)
        elif isinstance(effect, Assemble):
            self._assemble(effect, position)
        elif isinstance(effect, Move):
            self._move(effect, position)
        elif isinstance(effect, Store):
            self._write(effect.place, effect.target, position, effect.offsets, (1,) * len(effect.offsets))
        elif isinstance(effect, Create):
            self._states[effect.tensor] = State(known=False)

    def end(self, position: Position) -> None:
        """See :class:`Observer`."""
        targets = destinations(self._trace)
        for number in self._trace.arguments:
            state, info = self._states[number], self._trace.tensors[number]
            if number in targets and not state.writes and number not in self._lost:
                place, shape = targets[number], self._shape(info, position)
                self._note(kinds.NEVER_WRITTEN, place, position, info.name, words(box((0,) * len(shape), shape)))
            self._compare(state.writes, info)

    def _view(self, view: View, position: Position) -> None:
        info = self._trace.tensors[view.source]
        sizes = position.scope.values(view.shape)
        if view.stated is not None:
            sizes = self._check_stated(view, sizes, position)
        region = box(position.scope.values(view.offsets), sizes)
        self._states[view.result] = State(known=True)
        if is_empty(region):
            return
        shape = self._shape(info, position)
        if not is_inside(region, shape):
            self._note(kinds.VIEW_OUTSIDE, view.place, position, info.name, words(region), shape=list(shape))
        self._check_offset(view.place, info, region, shape, position)
        inside = clipped(region, shape)
        if self._read(view.place, view.source, inside, position) and view.stated is not None:
            self._check_valid(view, inside, info, position)

    def _check_stated(self, view: View, sizes: Sequence[int], position: Position) -> tuple[int, ...]:
        """A view states more as valid than its own shape holds; returns what of it there is."""
        stated = position.scope.values(view.stated or ())
        region = box((0,) * len(stated), stated)
        if not is_inside(region, sizes):
            name = self._trace.tensors[view.result].name
            self._note(kinds.PADDING, view.place, position, name, words(region), valid=list(sizes))
        return tuple(map(min, stated, sizes))

    def _check_valid(self, view: View, region: Box, info: TensorInfo, position: Position) -> None:
        """A view states as valid what the tensor that it is taken from does not hold as valid."""
        if info.kind == ARGUMENT or len(view.source_valid) != len(region):
            return
        valid = position.scope.values(view.source_valid)
        beyond = uncovered(region, [box((0,) * len(valid), valid)])
        if beyond:
            self._note(kinds.PADDING, view.place, position, info.name, words(beyond[0]), valid=list(valid))

    def _operation(self, operation: Operation, position: Position) -> None:
        for number, valid in operation.reads:
            self._read_whole(operation.place, number, valid, position)
        if operation.result is None:
            return
        self._states[operation.result] = State(known=True)
        if operation.name == "reshape":
            before, after = (
                position.scope.values(operation.valid),
                position.scope.values(operation.result_valid),
            )
            info = self._trace.tensors[operation.result]
            if math.prod(after) > math.prod(before):
                region = words(box((0,) * len(after), after))
                self._note(kinds.PADDING, operation.place, position, info.name, region, valid=list(before))

    def _assemble(self, write: Assemble, position: Position) -> None:
        self._read_whole(write.place, write.source, write.valid, position)
        valid = position.scope.values(write.valid)
        if len(valid) == len(write.offsets):
            self._write(write.place, write.target, position, write.offsets, valid)

    def _move(self, move: Move, position: Position) -> None:
        source, target = self._trace.tensors[move.source], self._trace.tensors[move.target]
        if source.kind == target.kind == ARGUMENT and move.source != move.target:
            whole = self._shape(target, position)
            region = words(box((0,) * len(whole), whole))
            self._note(kinds.LOST_WRITE, move.place, position, target.name, region, source=source.name)
            self._lost.add(move.target)
            return
        self._read_whole(move.place, move.source, move.valid, position)
        valid = position.scope.values(move.valid)
        state = self._states[move.target]
        write = self._made(move.place, box((0,) * len(valid), valid), position, state)
        if target.kind == ARGUMENT:
            state.writes.append(write)
        else:
            for earlier in state.writes:
                if parallel_loop(earlier, write) is not None:
                    self._compare_pair(earlier, write, target)
            self._states[move.target] = State(known=False, writes=[write])

    def _read_whole(self, place: Place, number: int, valid: Expressions, position: Position) -> None:
        sizes = position.scope.values(valid)
        self._read(place, number, box((0,) * len(sizes), sizes), position)

    def _read(self, place: Place, number: int, region: Box, position: Position) -> bool:
        """Notes a read; False if it was found to be one of nothing or of more than there is."""
        state, info = self._states[number], self._trace.tensors[number]
        state.reads += 1
        if state.known or is_empty(region):
            return True
        left = uncovered(region, [one.region for one in state.writes if len(one.region) == len(region)])
        if left:
            kind = kinds.PADDING if state.writes else kinds.UNINITIALISED
            facts: dict[str, Any] = (
                {"valid": " + ".join(words(one.region) for one in state.writes[:4])} if state.writes else {}
            )
            self._note(kind, place, position, info.name, words(left[0]), **facts)
        return not left

    def _write(self, place: Place, number: int, position: Position, offsets: Expressions, sizes: Sequence[int]) -> None:
        info, state = self._trace.tensors[number], self._states[number]
        region = box(position.scope.values(offsets), sizes)
        shape = self._shape(info, position)
        if is_empty(region) or len(region) != len(shape):
            return
        if not is_inside(region, shape):
            self._note(kinds.WRITE_OUTSIDE, place, position, info.name, words(region), shape=list(shape))
        self._check_offset(place, info, region, shape, position)
        write = self._made(place, clipped(region, shape), position, state)
        if info.kind != ARGUMENT:
            for earlier in state.writes:
                self._compare_pair(earlier, write, info)
        state.writes.append(write)

    def _made(self, place: Place, region: Box, position: Position, state: State) -> Write:
        return Write(place, region, position.indices(), tuple(position.loops), state.reads, self._calls - 1)

    def _compare(self, writes: Sequence[Write], info: TensorInfo) -> None:
        """Compares all writes to an argument, once the launch is over."""
        entries = [(one.region, number) for number, one in enumerate(writes) if not is_empty(one.region)]
        pairs = [(one, other) for (_, one), (_, other) in overlapping(entries)]
        for one, other in pairs:
            self._compare_pair(writes[one], writes[other], info)
        self.overlaps += [Overlap.of(one, other, info.name) for one, other in direct(pairs, writes)]

    def _compare_pair(self, earlier: Write, later: Write, info: TensorInfo) -> None:
        shared = overlap(earlier.region, later.region)
        if shared is None:
            return
        parallel = parallel_loop(earlier, later)
        if parallel is None and earlier.reads != later.reads:
            return
        kind = kinds.WRITTEN_TWICE if parallel is None else kinds.PARALLEL_OVERLAP
        facts: dict[str, Any] = {
            "before": earlier.place.words(),
            "then": ", ".join(f"{name}={value}" for name, value in earlier.indices) or "-",
            "loop": "" if parallel is None else parallel.name,
        }
        self._notes.add(kind, later.place, later.indices, info.name, words(shared), **facts)

    def _check_offset(
        self, place: Place, info: TensorInfo, region: Box, shape: Sequence[int], position: Position
    ) -> None:
        if info.kind != ARGUMENT:
            return
        last = last_element(region, shape)
        self.extents[info.name] = max(last, self.extents.get(info.name, 0))
        for kind, offset in (
            (kinds.OFFSET_ELEMENTS, last),
            (kinds.OFFSET_BYTES, last * info.element_bytes),
        ):
            if offset > LARGEST_OFFSET:
                self._note(kind, place, position, info.name, words(region), offset=offset)

    def _shape(self, info: TensorInfo, position: Position) -> tuple[int, ...]:
        found = self._shapes.get(info.number)
        if found is None:
            found = self._shapes[info.number] = position.scope.values(info.shape)
        return found

    def _note(self, kind: str, place: Place, position: Position, tensor: str, region: str, **facts: Any) -> None:
        self._notes.add(kind, place, position.indices(), tensor, region, **facts)
