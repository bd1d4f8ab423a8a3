"""What a case of block-sparse attention needs, estimated from its parameters before anything is allocated.

In sim the interpreter copies the tensors of the kernel on each loop iteration and keeps the copies until the end. The
figures below are upper bounds on measured peaks, descendants included, within twice them where a case needs more than
1 GiB, and close to them where it needs most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, Final

from bsa.kernels.backward_config import DEFAULT
from stimuli.case import Case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS
from stimuli.programs import calls
from verification.dut import Capacity

BASE_BYTES: Final = 680 << 20
"""A child with torch, PyPTO and a small kernel (400 MiB measured), and the compilers it starts (up to 280 MiB)."""
FORWARD_COPIES: Final = 5.5
"""Copies of all tensors per iteration (3 to 5 measured)."""
FORWARD_TILES: Final = 10
"""FP32 tiles of one row of blocks that an iteration keeps."""
BACKWARD_COPIES: Final = 3.0
"""Copies per iteration of the tensors of its phase (2.0 to 2.8 measured)."""
BACKWARD_TILES: Final = 22
"""FP32 tiles of one chunk that an iteration keeps (18 to 22 measured)."""
BASE_SECONDS: Final = 3.0
SECONDS_PER_TILE: Final = 0.5
"""Per iteration and 256 x 1024 tile, on a busy core."""
WIDEST_ROW: Final = 2048
"""Keys of a row that one iteration of the forward kernel handles at most."""
DEVIATIONS: Final = 3.0
"""Standard deviations above the mean that the fullest row of a random mask is taken to be."""


@dataclass(frozen=True, kw_only=True)
class _Sizes:
    """Sizes of one case."""

    query: int
    """Bytes of a tensor of queries."""
    key: int
    """Bytes of a tensor of keys."""
    units_q: int
    """Query blocks of all heads and batches."""
    units_kv: int
    """Key blocks of all heads and batches."""
    blocks_q: int
    """Query blocks of the longest sequence."""
    blocks_kv: int
    density: float
    """Share of the key blocks that a query block selects; 1 where the mask is not random."""
    tails: bool
    """Whether a query block may be cut short, which ends its chunk."""


@dataclass(frozen=True, kw_only=True)
class _Phase:
    """One loop of a kernel."""

    iterations: int
    tensors: int
    """Bytes of the tensors that an iteration copies."""
    tile: int
    """Elements of the tile of an iteration."""


def forward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward case: one iteration per query block."""
    params = {**FORWARD_DEFAULTS, **case.params}
    sizes, (block_q, block_kv) = _sizes(params), params["block_shape"]
    phase = _Phase(
        iterations=sizes.units_q,
        tensors=2 * sizes.query + 2 * sizes.key,
        tile=block_q * min(sizes.blocks_kv * block_kv, WIDEST_ROW),
    )
    return _capacity(run_mode, (phase,), calls(case), copies=FORWARD_COPIES, tiles=FORWARD_TILES)


def backward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a backward case: one iteration per chunk of both phases."""
    params = {**BACKWARD_DEFAULTS, **case.params}
    sizes, (block_q, block_kv) = _sizes(params), params["block_shape"]
    group = max(1, params["heads_q"] // max(1, params["heads_kv"]))
    width_q = DEFAULT.widest(block_kv, params["head_dim"])
    width_kv = DEFAULT.widest(block_q, params["head_dim"])
    met_q, met_kv = (fullest(blocks, sizes.density) for blocks in (sizes.blocks_kv, group * sizes.blocks_q))
    chunks_kv = ceil(met_kv / width_kv)
    if sizes.tails:
        chunks_kv = max(chunks_kv, min(met_kv, group * ceil(sizes.blocks_q / width_kv)))
    dq = _Phase(
        iterations=sizes.units_q * ceil(met_q / width_q),
        tensors=3 * sizes.query + 2 * sizes.key,
        tile=block_q * block_kv * _slots(met_q, width_q),
    )
    dkv = _Phase(
        iterations=sizes.units_kv * chunks_kv,
        tensors=2 * sizes.query + 4 * sizes.key,
        tile=block_q * block_kv * _slots(sizes.blocks_q if sizes.tails else met_kv, width_kv),
    )
    return _capacity(run_mode, (dq, dkv), calls(case), copies=BACKWARD_COPIES, tiles=BACKWARD_TILES)


def chain_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward and a backward call in one process, each with its compilers."""
    forward, backward = forward_capacity(case, run_mode), backward_capacity(case, run_mode)
    return Capacity(bytes=forward.bytes + backward.bytes - BASE_BYTES // 2, seconds=forward.seconds + backward.seconds)


def _sizes(params: Mapping[str, Any]) -> _Sizes:
    batch, row = params["batch"], 4 if params["dtype"] == "float32" else 2
    rows_q, rows_kv = batch * params["heads_q"] * params["seq_q"], batch * params["heads_kv"] * params["seq_kv"]
    blocks_q, blocks_kv = _blocks(params, "q", 0), _blocks(params, "kv", 1)
    return _Sizes(
        query=row * rows_q * params["head_dim"] + 4 * rows_q,
        key=row * rows_kv * params["head_dim"],
        units_q=params["heads_q"] * sum(blocks_q),
        units_kv=params["heads_kv"] * sum(blocks_kv),
        blocks_q=max(1, *blocks_q),
        blocks_kv=max(1, *blocks_kv),
        density=params["density"] if params["mask"] == "random" else 1.0,
        tails=bool(params["seq_q"] % params["block_shape"][0]) or params["lengths_q"] is not None,
    )


def _blocks(params: Mapping[str, Any], side: str, axis: int) -> list[int]:
    """Blocks of each sequence: up to the actual lengths where these are listed, else of the whole tensor."""
    given = params[f"lengths_{side}"]
    lengths = given if isinstance(given, list) else [params[f"seq_{side}"]] * params["batch"]
    return [ceil(length / params["block_shape"][axis]) for length in lengths]


def fullest(blocks: int, density: float) -> int:
    """Blocks that the fullest of many rows of a random mask selects."""
    spread = DEVIATIONS * sqrt(blocks * density * (1 - density))
    return min(blocks, max(1, ceil(density * blocks + spread)))


def _slots(entries: int, widest: int) -> int:
    """Slots of a chunk for so many entries: the power of two that holds them."""
    return min(widest, 1 << (entries - 1).bit_length())


def _capacity(run_mode: str, phases: tuple[_Phase, ...], number: int, *, copies: float, tiles: int) -> Capacity:
    """Adds up the phases of one call, for so many calls in one process, which never gives memory back."""
    if run_mode != "sim":
        return Capacity(bytes=BASE_BYTES + 2 * max(phase.tensors for phase in phases), seconds=BASE_SECONDS)
    kept = sum(phase.iterations * (copies * phase.tensors + 4 * tiles * phase.tile) for phase in phases)
    seconds = sum(phase.iterations * phase.tile for phase in phases) / (256 * 1024) * SECONDS_PER_TILE
    return Capacity(bytes=BASE_BYTES + ceil(number * kept), seconds=BASE_SECONDS + number * seconds)
