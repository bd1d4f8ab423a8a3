"""Faults that kernels have had, each as a kernel that has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from verification.scoreboard.selftest.attention import Problem, attend
from verification.scoreboard.selftest.recipe import Recipe

Outputs = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Fault:
    """A wrong kernel."""

    text: str
    run: Callable[[Problem], Outputs]


def _recipe(text: str, recipe: Recipe) -> Fault:
    return Fault(text, lambda problem: attend(problem, recipe))


def _edit(text: str, edit: Callable[[Problem, Outputs], None]) -> Fault:
    def run(problem: Problem) -> Outputs:
        outputs = attend(problem, Recipe())
        edit(problem, outputs)
        return outputs

    return Fault(text, run)


def _zeros(_: Problem, outputs: Outputs) -> None:
    outputs["out"].zero_()


def _mean(problem: Problem, outputs: Outputs) -> None:
    group = problem.query.shape[1] // problem.key.shape[1]
    mean = problem.value.float().mean(2, keepdim=True).repeat_interleave(group, 1)
    outputs["out"][:] = mean.to(outputs["out"].dtype)


def _neighbour(_: Problem, outputs: Outputs) -> None:
    for tensor in outputs.values():
        tensor[-1, -1, 17] = tensor[-1, -1, 18]


def _other_head(_: Problem, outputs: Outputs) -> None:
    for tensor in outputs.values():
        tensor[:] = tensor.roll(1, 1)


def _nan(_: Problem, outputs: Outputs) -> None:
    outputs["out"][-1, 1, 21, 5] = math.nan


def _first_batch(_: Problem, outputs: Outputs) -> None:
    for tensor in outputs.values():
        tensor[1:] = tensor[:1]


def _copy(problem: Problem, outputs: Outputs) -> None:
    outputs["out"][:] = problem.query


def _last_row(problem: Problem, outputs: Outputs) -> None:
    last = problem.lengths_q[-1] - 1
    for tensor in outputs.values():
        tensor[-1, :, last] = tensor[-1, :, last - 1]


def _base_two(_: Problem, outputs: Outputs) -> None:
    outputs["lse"] *= 1.0 / math.log(2.0)


def _truncate(problem: Problem, outputs: Outputs) -> None:
    wide = attend(_widened(problem), Recipe(probability_dtype=problem.query.dtype))["out"]
    bits = {torch.float16: 13, torch.bfloat16: 16}[problem.query.dtype]
    cut = (wide.view(torch.int32) >> bits << bits).view(torch.float32)
    outputs["out"][:] = cut.to(outputs["out"].dtype)


def _widened(problem: Problem) -> Problem:
    tensors = {name: getattr(problem, name).float() for name in ("query", "key", "value")}
    return Problem(
        **tensors,
        mask=problem.mask,
        block=problem.block,
        lengths_q=problem.lengths_q,
        lengths_kv=problem.lengths_kv,
    )


def _percent(_: Problem, outputs: Outputs) -> None:
    outputs["out"][-1, -1] *= 1.01


FAULTS: Mapping[str, Fault] = {
    "zeros": _edit("writes zeros", _zeros),
    "mean-of-v": _edit("uniform weights: the mean of V", _mean),
    "copies-input": _edit("returns the query", _copy),
    "first-batch": _edit("is right in batch 0 only", _first_batch),
    "other-head": _edit("writes the rows of another head", _other_head),
    "head-map": _recipe("takes KV head h % Hkv instead of h // group", Recipe(head_map="modulo")),
    "one-row": _edit("one row holds its neighbour's values", _neighbour),
    "last-row": _edit("the last row within the length holds its neighbour's values", _last_row),
    "one-nan": _edit("a NaN in one place", _nan),
    "one-percent": _edit("one head is off by 1 %", _percent),
    "scale-doubled": _recipe("scales the logits twice as much", Recipe(scale_factor=2.0)),
    "scale-lost": _recipe("does not scale the logits", Recipe(scale_factor=math.sqrt(128.0))),
    "scale-fp16": _recipe("stores the scale in FP16", Recipe(scale_dtype=torch.float16)),
    "padded-keys": _recipe("attends zero keys beyond the length", Recipe(padded_keys=True)),
    "lost-key": _recipe("does not attend the last key", Recipe(lost_keys=1)),
    "tile-twice": _recipe("counts the first tile twice", Recipe(tiles_once=False)),
    "stale-mask": _recipe("uses the mask of the query block before", Recipe(mask_shift=1)),
    "empty-rows": _recipe("gives rows that select nothing the mean of V", Recipe(fill_empty=False)),
    "no-rescale": _recipe("does not rescale when the maximum grows", Recipe(rescale=False)),
    "fp16-scores": _recipe("rounds the scores to FP16", Recipe(score_dtype=torch.float16)),
    "fp16-sum": _recipe("keeps the row sum in FP16", Recipe(sum_dtype=torch.float16)),
    "fp16-accumulation": _recipe("accumulates O in FP16", Recipe(accumulator_dtype=torch.float16, depth=16)),
    "coarse-weights": _recipe("rounds P to 8 bits", Recipe(probability_dtype=torch.float8_e4m3fn)),
    "truncation": _edit("cuts O off instead of rounding it", _truncate),
    "lse-base-2": _edit("gives LSE to base 2", _base_two),
}
"""Faults by name."""
