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

SECONDS_PER_ITERATION: Final = 0.6
"""For a block of 256 x 512, on a busy core."""


@dataclass(frozen=True, kw_only=True)
class _Kernel:
    """What the interpreter keeps of one kernel, fitted to the peaks of 80 records from above."""

    base: int
    """Bytes before the first iteration."""
    copies: float
    """Copies of all tensors per iteration."""
    tiles: int
    """FP32 tiles of one block that an iteration keeps."""


_FORWARD: Final = _Kernel(base=BASE_BYTES, copies=3.2, tiles=8)
_BACKWARD: Final = _Kernel(base=BASE_BYTES + (40 << 20), copies=2.8, tiles=28)


@dataclass(frozen=True, kw_only=True)
class _Phase:
    """The loops of one phase."""

    units: int
    """Blocks whose result is one iteration of the outer loop."""
    slots: int
    """Iterations of the inner loop: what the fullest of them meets."""
    copied: int
    """Bytes that the host copies for each slot."""
    own: int
    """Bytes of the tensors that have a block for each unit: inputs of the phase, and its results."""

    @property
    def iterations(self) -> int:
        """Of the inner loop, over all units."""
        return self.units * self.slots

    @property
    def tensors(self) -> int:
        """Bytes that an iteration copies."""
        return self.units * (self.slots * self.copied + self.own)


def forward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward case: an iteration per query block and slot."""
    params = {**FORWARD_DEFAULTS, **case.params}
    return _capacity(params, (_phase(params, "q", results=1),), calls(case), run_mode, _FORWARD)


def backward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a backward case: both phases in one kernel, each with copies and masks of its own."""
    params = {**BACKWARD_DEFAULTS, **case.params}
    phases = (_phase(params, "q", inputs=2, results=2), _phase(params, "kv", inputs=2, results=4))
    return _capacity(params, phases, calls(case), run_mode, _BACKWARD)


def _phase(params: Mapping[str, Any], side: str, *, results: int, inputs: int = 1) -> _Phase:
    """The phase whose units are blocks of one side; inputs and results of a unit in FP16 blocks."""
    rows = params["block_shape"] if side == "q" else params["block_shape"][::-1]
    masks, row = 2 * 2 * rows[0] * rows[1], 2 * params["head_dim"]
    return _Phase(
        units=_units(params, side),
        slots=_met(params, side),
        copied=masks + (2 * row + 8) * rows[1],
        own=(inputs + results) * row * rows[0],
    )


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


def _capacity(
    params: Mapping[str, Any], phases: tuple[_Phase, ...], number: int, run_mode: str, kernel: _Kernel
) -> Capacity:
    tile = params["block_shape"][0] * params["block_shape"][1]
    if run_mode != "sim":
        return Capacity(bytes=BASE_BYTES + 2 * sum(phase.tensors for phase in phases), seconds=BASE_SECONDS)
    kept = sum(phase.iterations * (kernel.copies * phase.tensors + 4 * kernel.tiles * tile) for phase in phases)
    seconds = sum(phase.iterations for phase in phases) * tile / (256 * 512) * SECONDS_PER_ITERATION
    return Capacity(bytes=kernel.base + ceil(number * kept), seconds=BASE_SECONDS + number * seconds)
