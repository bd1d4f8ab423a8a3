"""What the bindings of block-sparse attention have in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

import bsa
from bsa.contract import Problem
from bsa.reference.items import selected_blocks
from bsa.reference.problem import reference_problem
from stimuli import published
from stimuli.case import Case
from stimuli.stimulus import Stimulus
from verification.dut import OutputSpec

MASK = "block_sparse_mask"


def problem_of(stimulus: Stimulus) -> Problem:
    """The sizes and options of one call.

    Raises:
        bsa.ContractError: they contradict each other.
    """
    return reference_problem(*forward_operands(stimulus), **keywords(stimulus), num_key_value_heads=None)


def selection_facts(stimulus: Stimulus) -> dict[str, Any]:
    """Facts about what a call selects, for records and coverage.

    Returns:
        ``multi_block``: some batch has more than one KV block within its actual KV length.
        ``selected_blocks``: [smallest, largest] number of KV blocks that a query block with rows selects.
        ``empty_query_blocks``: query blocks with rows that select nothing.
        ``multi_selected``: whether some query block selects more than one block.
    """
    problem = problem_of(stimulus)
    rows, columns = problem.block_shape
    counts = selected_blocks(problem, stimulus.tensors.get(MASK)).sum(dim=-1)
    begun = torch.arange(problem.blocks_q) * rows < torch.tensor(problem.lengths_q)[:, None]
    live = counts[begun[:, None, :].expand(counts.shape)]
    return {
        "multi_block": any(length > columns for length in problem.lengths_kv),
        "multi_selected": bool((live > 1).any()),
        "selected_blocks": [int(live.min()), int(live.max())] if live.numel() else [0, 0],
        "empty_query_blocks": int((live == 0).sum()),
    }


def selects_anything(stimulus: Stimulus) -> bool:
    """Whether any row has any key to attend to."""
    return bool(selected_blocks(problem_of(stimulus), stimulus.tensors.get(MASK)).any())


def library_sources(*parts: str) -> tuple[str, ...]:
    """Files of the ``bsa`` package that decide what a kernel does, by glob below it."""
    root = Path(bsa.__file__).parent
    return tuple(sorted(str(path) for part in parts for path in root.glob(part)))


def row_dims(case: Case) -> tuple[str, ...]:
    """What the axes of an output are, the last one (D) aside."""
    return ("t", "h") if case.params.get("layout") == "TND" else ("b", "h", "row")


def exact(stimulus: Stimulus) -> bool:
    """Whether the maker knows that the answer has no rounding."""
    return bool(stimulus.facts.get("exact", False))


def forward_operands(stimulus: Stimulus) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Query, key, value and mask (None = dense) of one call."""
    tensors = stimulus.tensors
    return tensors["query"], tensors["key"], tensors["value"], tensors.get(MASK)


def gradient_specs(case: Case) -> tuple[OutputSpec, ...]:
    """dq, dk and dv: the five rules with k = 3, the factor of gradients."""
    rows = row_dims(case)
    keys = tuple("kv_row" if name == "row" else name for name in rows)
    dims = {"dq": (*rows, "d"), "dk": (*keys, "d"), "dv": (*keys, "d")}
    return tuple(OutputSpec(name=name, dtype="input", dims=axes, k=3.0) for name, axes in dims.items())


def published_facts(case: Case, direction: str) -> dict[str, Any]:
    """Published maxima and device times of a case, for the report to show beside ours.

    Args:
        case: the case; its name says which published row it is.
        direction: ``forward`` or ``backward``.
    """
    maxima = published.maxima(case.name, direction)
    found: dict[str, Any] = {"published": {f"max_{name}": value for name, value in maxima.items()}} if maxima else {}
    if direction == "forward":
        times = {f"perf/S{size}": time for size, time in published.performance()["forward_task"].items()}
        found |= {"published_us": times[case.name]} if case.name in times else {}
    return found


def keywords(stimulus: Stimulus) -> Mapping[str, Any]:
    """The arguments of a call, as keywords of the library's functions."""
    return {**stimulus.arguments, "block_shape": tuple(stimulus.arguments["block_shape"])}
