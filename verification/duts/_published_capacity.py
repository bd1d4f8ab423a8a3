"""What a case of the published strategy needs: compact copies and block-sized masks, copied on every iteration.

The pool of a run (:mod:`verification.memory_pool`) starts a case only while this fits beside the cases that run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from stimuli.case import Case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS
from stimuli.programs import calls
from verification.dut import Capacity
from verification.duts._capacity import BASE_BYTES, BASE_SECONDS, fullest

COPIES: Final = 3.0
"""Copies of all tensors per iteration."""
TILES: Final = 8
"""FP32 tiles of one block that an iteration keeps."""
SECONDS_PER_ITERATION: Final = 0.6
"""For a block of 256 x 512, on a busy core."""


@dataclass(frozen=True, kw_only=True)
class _Phase:
    """The loops of one phase."""

    units: int
    """Blocks whose result is one iteration of the outer loop."""
    slots: int
    """Iterations of the inner loop: what the fullest of them meets."""
    copied: int
    """Bytes that the host copies for each slot."""


def forward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward case: an iteration per query block and slot."""
    params = {**FORWARD_DEFAULTS, **case.params}
    block_q, block_kv = params["block_shape"]
    masks, row = 2 * 2 * block_q * block_kv, 2 * params["head_dim"]
    phase = _Phase(units=_units(params, "q"), slots=_met(params, "q"), copied=masks + 2 * row * block_kv)
    return _capacity(params, (phase,), calls(case), run_mode)


def backward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a backward case: both phases in one kernel, each with copies and masks of its own."""
    params = {**BACKWARD_DEFAULTS, **case.params}
    block_q, block_kv = params["block_shape"]
    masks, row = 2 * 2 * block_q * block_kv, 2 * params["head_dim"]
    dq = _Phase(units=_units(params, "q"), slots=_met(params, "q"), copied=masks + 2 * row * block_kv)
    dkv = _Phase(units=_units(params, "kv"), slots=_met(params, "kv"), copied=masks + (2 * row + 8) * block_q)
    return _capacity(params, (dq, dkv), calls(case), run_mode)


def _units(params: Mapping[str, Any], side: str) -> int:
    """Blocks of all heads and batches, padded ones included."""
    block = params["block_shape"][side == "kv"]
    blocks = ceil(params[f"seq_{side}"] / block)
    return int(params["batch"] * params[f"heads_{side}"] * blocks)


def _met(params: Mapping[str, Any], side: str) -> int:
    """Blocks of the other side that the fullest block meets."""
    other = "kv" if side == "q" else "q"
    group = 1 if side == "q" else params["heads_q"] // max(1, params["heads_kv"])
    blocks = group * ceil(params[f"seq_{other}"] / params["block_shape"][other == "kv"])
    return fullest(blocks, params["density"] if params["mask"] == "random" else 1.0) if blocks else 1


def _capacity(params: Mapping[str, Any], phases: tuple[_Phase, ...], number: int, run_mode: str) -> Capacity:
    block_q, block_kv = params["block_shape"]
    given = (
        2
        * params["head_dim"]
        * (3 * _units(params, "q") * block_q + (2 if len(phases) == 1 else 4) * _units(params, "kv") * block_kv)
    )
    tensors = given + sum(phase.units * phase.slots * phase.copied for phase in phases)
    iterations = sum(phase.units * phase.slots for phase in phases)
    if run_mode != "sim":
        return Capacity(bytes=BASE_BYTES + 2 * tensors, seconds=BASE_SECONDS)
    kept = iterations * (COPIES * tensors + 4 * TILES * block_q * block_kv)
    seconds = iterations * block_q * block_kv / (256 * 512) * SECONDS_PER_ITERATION
    return Capacity(bytes=BASE_BYTES + ceil(number * kept), seconds=BASE_SECONDS + number * seconds)
