"""What a case of block-sparse attention needs, estimated from its parameters before anything is allocated.

In sim the interpreter copies every tensor of the kernel on each loop iteration and keeps the copies until the end. The
figures below were fitted to peaks measured on the published and field cases, and rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from stimuli.case import Case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS
from stimuli.programs import calls
from verification.dut import Capacity

BASE_BYTES = 500 << 20
"""A child with torch, PyPTO and a small kernel (360 MiB measured)."""
COPIES = 6
"""Copies of all tensors per iteration (4 to 5 measured)."""
TILES = 10
"""FP32 tiles of one row of blocks that an iteration keeps."""
BASE_SECONDS = 3.0
SECONDS_PER_TILE = 0.5
"""Per iteration and 256 x 1024 tile, on a busy core."""
WIDEST_ROW = 2048
"""Keys of a row that one iteration handles at most."""


@dataclass(frozen=True, kw_only=True)
class _Sizes:
    """Sizes of one case, in elements, blocks and bytes."""

    query: int
    key: int
    rows: int
    units_q: int
    units_kv: int
    tile_q: int
    tile_kv: int
    calls: int


def forward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward case: one iteration per query block."""
    sizes = _sizes(case, FORWARD_DEFAULTS)
    tensors = 2 * (2 * sizes.query + 2 * sizes.key) + 4 * sizes.rows
    return _capacity(run_mode, tensors, ((sizes.units_q, sizes.tile_q),), sizes.calls)


def backward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a backward case: one iteration per query block, and one per key block and its group."""
    sizes = _sizes(case, BACKWARD_DEFAULTS)
    tensors = 2 * (4 * sizes.query + 4 * sizes.key) + 8 * sizes.rows
    phases = ((sizes.units_q, sizes.tile_q), (sizes.units_kv, sizes.tile_kv))
    return _capacity(run_mode, tensors, phases, sizes.calls)


def chain_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward and a backward call in one process."""
    forward, backward = forward_capacity(case, run_mode), backward_capacity(case, run_mode)
    return Capacity(bytes=forward.bytes + backward.bytes, seconds=forward.seconds + backward.seconds)


def _sizes(case: Case, defaults: Any) -> _Sizes:
    params = {**defaults, **case.params}
    batch, heads_q, heads_kv = params["batch"], params["heads_q"], params["heads_kv"]
    block_q, block_kv = params["block_shape"]
    blocks_q, blocks_kv = ceil(params["seq_q"] / block_q), ceil(params["seq_kv"] / block_kv)
    width_q = min(blocks_q * block_q, WIDEST_ROW) * max(1, heads_q // max(1, heads_kv))
    return _Sizes(
        query=batch * heads_q * params["seq_q"] * params["head_dim"],
        key=batch * heads_kv * params["seq_kv"] * params["head_dim"],
        rows=batch * heads_q * params["seq_q"],
        units_q=batch * heads_q * blocks_q,
        units_kv=batch * heads_kv * blocks_kv,
        tile_q=block_q * min(blocks_kv * block_kv, WIDEST_ROW),
        tile_kv=block_kv * min(width_q, WIDEST_ROW),
        calls=calls(case),
    )


def _capacity(run_mode: str, tensors: int, phases: tuple[tuple[int, int], ...], calls: int) -> Capacity:
    """Adds up the phases of one call, for so many calls in one process.

    Args:
        run_mode: ``sim`` or ``npu``.
        tensors: bytes of all tensors of the kernel.
        phases: (iterations, elements of an iteration's tile) of each phase.
        calls: calls in one process, which never gives memory back.
    """
    if run_mode != "sim":
        return Capacity(bytes=BASE_BYTES + 2 * tensors, seconds=BASE_SECONDS)
    kept = sum(units * (COPIES * tensors + TILES * 4 * tile) for units, tile in phases)
    seconds = sum(units * tile for units, tile in phases) / (256 * 1024) * SECONDS_PER_TILE
    return Capacity(bytes=BASE_BYTES + calls * kept, seconds=BASE_SECONDS + calls * seconds)
