"""Block tables of a dense call of any size, row by row when they are asked for: nothing is allocated.

They say what :mod:`bsa.tables` and :mod:`bsa.kernels.backward_tables` would, and a test holds them to that at sizes
where both can be made. Sequences have their full length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bsa.blocks import Side, key_side, query_side
from bsa.config import KernelConfig
from bsa.contract import Problem
from bsa.kernels.backward_config import BackwardConfig, Shape
from bsa.kernels.backward_tables import BOUNDS, UNIT_COLUMNS, chunk_columns
from bsa.tables import PICK_COLUMNS
from bsa.tables import UNIT_COLUMNS as FORWARD_UNIT_COLUMNS

Row = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """A table whose rows are computed."""

    shape: tuple[int, int]
    row: Callable[[int], Row]

    def __getitem__(self, index: int) -> Row:
        return self.row(index)


def place(side: Side, index: int) -> Row:
    """First row, column of heads and rows of a block, as ``side.grid()[index]``."""
    blocks = -(-side.seq // side.block)
    batch, within = divmod(index, side.heads * blocks)
    head, block = divmod(within, blocks)
    rows = max(0, min(int(side.lengths[batch]) - block * side.block, side.block))
    if side.tnd:
        return int(side.starts[batch]) + block * side.block, head, rows
    return (batch * side.heads + head) * side.seq + block * side.block, 0, rows


def forward_tables(problem: Problem, config: KernelConfig) -> dict[str, Rows]:
    """The forward kernel's tables, by parameter name."""
    queries, keys = query_side(problem), key_side(problem)
    number, units = problem.blocks_kv, problem.batch * problem.heads_q * problem.blocks_q
    widths, chunked = config.widths(problem.block_shape[1], number)
    group = len(widths) if chunked else next(at for at, width in enumerate(widths) if width >= number)
    padded = -(-number // widths[-1]) * widths[-1] if chunked else widths[group]

    def first_key(unit: int) -> int:
        return unit // (problem.group * problem.blocks_q) * number

    def unit_row(unit: int) -> Row:
        last = place(keys, first_key(unit) + number - 1)
        attended = (number - 1) * keys.block + last[2]
        return (*place(queries, unit), last[1], unit * padded, attended, padded // widths[-1])

    def pick_row(pick: int) -> Row:
        unit, entry = divmod(pick, padded)
        return place(keys, first_key(unit) + (entry if entry < number else 0))[::2]

    def group_row(at: int) -> Row:
        return (units if at > group else 0, units if at == group else 0)

    return {
        "units": Rows((units, FORWARD_UNIT_COLUMNS), unit_row),
        "picks": Rows((units * padded, PICK_COLUMNS), pick_row),
        "groups": Rows((len(widths) + 1, 2), group_row),
    }


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Tables of one phase of the backward kernel."""

    units: Rows
    chunks: Rows
    width: int
    ends: tuple[int, int, int]


def backward_tables(problem: Problem, config: BackwardConfig) -> tuple[dict[str, Rows], Shape]:
    """The backward kernel's tables, by parameter name, and what the kernel is compiled for."""
    queries, keys, dim = query_side(problem), key_side(problem), problem.head_dim
    per_pair = problem.group * problem.blocks_q
    first = _phase(queries, keys, (per_pair, problem.blocks_kv), problem, config.widest(problem.block_shape[1], dim))
    second = _phase(keys, queries, (problem.blocks_kv, per_pair), problem, config.widest(problem.block_shape[0], dim))
    shape = Shape(
        dtype=str(problem.dtype).removeprefix("torch."),
        head_dim=dim,
        block_shape=problem.block_shape,
        width_q=first.width,
        width_kv=second.width,
        carry_q=first.ends[0] > 0,
        carry_kv=second.ends[0] > 0,
    )
    tables = {
        "units_q": first.units,
        "chunks_q": first.chunks,
        "units_kv": second.units,
        "chunks_kv": second.chunks,
        "bounds": Rows((1, BOUNDS), lambda _: first.ends + second.ends),
    }
    return tables, shape


def _phase(mine: Side, other: Side, blocks: tuple[int, int], problem: Problem, widest: int) -> Phase:
    """One phase: every block of ``mine`` meets every block of ``other`` of the same sequence and key head.

    Args:
        mine: the side of the units.
        other: the side of the entries.
        blocks: of each side, of one sequence and one key head.
        problem: the sizes.
        widest: most entries of a chunk.
    """
    units, entries = problem.batch * problem.heads_kv * blocks[0], blocks[1]
    short = other.seq % other.block > 0
    stretch = -(-other.seq // other.block) if short else entries
    per_stretch = -(-stretch // widest)
    number = entries // stretch * per_stretch
    width = 1 << (min(stretch, widest) - 1).bit_length()

    def unit_row(unit: int) -> Row:
        return (*place(mine, unit), place(other, unit // blocks[0] * entries)[1], unit * number, number)

    def chunk_row(chunk: int) -> Row:
        unit, at = divmod(chunk, number)
        part, piece = divmod(at, per_stretch)
        begin, end = part * stretch + piece * widest, min((part * stretch) + (piece + 1) * widest, (part + 1) * stretch)
        held = [place(other, unit // blocks[0] * entries + entry) for entry in range(begin, end)]
        slots = held + held[:1] * (width - len(held))
        return (sum(one[2] for one in held), *(value for one in slots for value in one))

    return Phase(
        units=Rows((units, UNIT_COLUMNS), unit_row),
        chunks=Rows((units * number, chunk_columns(width)), chunk_row),
        width=width,
        ends=(units if number > 1 else 0, units - (units if entries == 1 else 0), units),
    )
