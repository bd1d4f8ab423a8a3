"""A small block-sparse attention in torch: in float64, and as a kernel with a given recipe would compute it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from verification.dut import OutputSpec, References
from verification.scoreboard.selftest.recipe import REFERENCE, Recipe

OUTPUTS = (
    OutputSpec(name="out", dtype="input", dims=("b", "h", "row", "d")),
    OutputSpec(name="lse", dtype="float32", kind="lse", dims=("b", "h", "row")),
)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Inputs of one call."""

    query: torch.Tensor
    """[B, Hq, Sq, D], FP16 or BF16."""
    key: torch.Tensor
    """[B, Hkv, Skv, D]."""
    value: torch.Tensor
    """[B, Hkv, Skv, D]."""
    mask: torch.Tensor
    """bool [B, Hq, ceil(Sq / block), ceil(Skv / block)]: the selected blocks."""
    block: int
    lengths_q: tuple[int, ...]
    lengths_kv: tuple[int, ...]

    @property
    def scale(self) -> float:
        """1/sqrt(D)."""
        return float(self.query.shape[-1] ** -0.5)

    @property
    def dtype(self) -> str:
        """Name of the inputs' dtype."""
        return str(self.query.dtype).removeprefix("torch.")


def kept(problem: Problem, batch: int, head: int, *, shift: int = 0) -> torch.Tensor:
    """Which keys each query attends: bool [Sq, Skv]."""
    block = problem.block
    chosen = problem.mask[batch, head].roll(shift, 0)
    wide = chosen.repeat_interleave(block, 0).repeat_interleave(block, 1)
    wide = wide[: problem.query.shape[2], : problem.key.shape[2]].clone()
    wide[problem.lengths_q[batch] :] = False
    wide[:, problem.lengths_kv[batch] :] = False
    return wide


def references(problem: Problem) -> References:
    """Gold in float64 and the same-precision reference."""
    shape = problem.query.shape
    out = torch.zeros(shape, dtype=torch.float64)
    lse = torch.full(shape[:3], -math.inf, dtype=torch.float64)
    for batch, head, kv_head in _pairs(problem, "divide"):
        keep = kept(problem, batch, head)
        scores = problem.query[batch, head].double() @ problem.key[batch, kv_head].double().T * problem.scale
        scores = scores.masked_fill(~keep, -math.inf)
        live = keep.any(1)
        lse[batch, head] = torch.logsumexp(scores, 1)
        out[batch, head, live] = torch.softmax(scores[live], 1) @ problem.value[batch, kv_head].double()
    same = attend(problem, REFERENCE)
    return References(gold={"out": out, "lse": lse}, same=same, row_block=problem.block)


def attend(problem: Problem, recipe: Recipe) -> dict[str, torch.Tensor]:
    """``out`` in the inputs' dtype and ``lse`` in FP32, computed by ``recipe``."""
    out = torch.zeros_like(problem.query)
    lse = torch.full(problem.query.shape[:3], -math.inf)
    for batch, head, kv_head in _pairs(problem, recipe.head_map):
        keep = kept(problem, batch, head, shift=recipe.mask_shift)
        row_out, row_lse = _Rows(problem, recipe, batch, head, kv_head).run(keep)
        live = keep.any(1)
        if not recipe.fill_empty:
            keys = problem.value[batch, kv_head, : problem.lengths_kv[batch]]
            row_out[~live] = keys.float().mean(0)
            row_lse[~live] = math.log(max(1, keys.shape[0]))
        else:
            row_out[~live], row_lse[~live] = 0.0, -math.inf
        out[batch, head], lse[batch, head] = row_out.to(out.dtype), row_lse
    return {"out": out, "lse": lse}


def _pairs(problem: Problem, head_map: str) -> Iterator[tuple[int, int, int]]:
    batches, heads = problem.query.shape[:2]
    kv_heads = problem.key.shape[1]
    for batch in range(batches):
        for head in range(heads):
            yield batch, head, head % kv_heads if head_map == "modulo" else head // (heads // kv_heads)


class _Rows:
    """The online softmax of one (batch, head)."""

    def __init__(self, problem: Problem, recipe: Recipe, batch: int, head: int, kv_head: int) -> None:
        self._recipe = recipe
        self._dtype = problem.query.dtype
        self._query = problem.query[batch, head].float()
        self._key = problem.key[batch, kv_head].float()
        self._value = problem.value[batch, kv_head].float()
        self._length = problem.lengths_kv[batch]
        scale = torch.tensor(problem.scale * recipe.scale_factor, dtype=torch.float32)
        self._scale = scale.to(recipe.scale_dtype).float() * (math.log2(math.e) if recipe.base_two else 1.0)
        rows, width = self._query.shape
        self._maximum = torch.full((rows, 1), recipe.least_logit)
        self._sum = torch.zeros(rows, 1)
        self._out = torch.zeros(rows, width)

    def run(self, keep: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """O [rows, D] and LSE [rows] in FP32; rows that select nothing are not defined."""
        recipe = self._recipe
        keep = keep & (torch.arange(keep.shape[1]) < self._length - recipe.lost_keys)
        starts = list(range(0, keep.shape[1], recipe.tile))
        starts = starts[::-1] if recipe.backwards else starts
        starts = starts if recipe.tiles_once else [starts[0], *starts]
        for start in starts:
            self._tile(start, keep)
        safe = torch.where(self._sum > 0.0, self._sum, 1.0)
        out = self._out if recipe.normalise_first else self._out / safe
        logarithm = self._maximum * math.log(2.0) if recipe.base_two else self._maximum
        return out, (logarithm + torch.log(safe))[:, 0]

    def _tile(self, start: int, keep: torch.Tensor) -> None:
        recipe = self._recipe
        stop = min(start + recipe.tile, keep.shape[1])
        key, value, inside = self._key[start:stop], self._value[start:stop], keep[:, start:stop]
        if recipe.padded_keys and stop > self._length:
            beyond = torch.arange(start, stop) >= self._length
            key, value = (one.masked_fill(beyond[:, None], 0.0) for one in (key, value))
            inside = inside | (beyond & keep.any(1, keepdim=True))
        scores = (self._query @ key.T * self._scale).to(recipe.score_dtype).float()
        scores = scores.masked_fill(~inside, recipe.least_logit)
        maximum = torch.maximum(self._maximum, scores.amax(1, keepdim=True))
        shift = torch.where(torch.isfinite(maximum), maximum, 0.0)
        power = torch.exp2 if recipe.base_two else torch.exp
        weights = power(scores - shift)
        change = power(self._maximum - shift) if recipe.rescale else torch.ones_like(shift)
        self._sum = (self._sum * change + weights.sum(1, keepdim=True)).to(recipe.sum_dtype).float()
        if recipe.normalise_first:
            weights = weights / torch.where(self._sum > 0.0, self._sum, 1.0)
        if not recipe.wide_probabilities:
            weights = weights.to(recipe.probability_dtype or self._dtype).float()
        self._accumulate(weights, value, change)
        self._maximum = maximum

    def _accumulate(self, weights: torch.Tensor, value: torch.Tensor, change: torch.Tensor) -> None:
        dtype, depth = self._recipe.accumulator_dtype, self._recipe.depth
        out = (self._out * change).to(dtype)
        for start in range(0, value.shape[0], depth):
            part = weights[:, start : start + depth] @ value[start : start + depth]
            out = (out.float() + part).to(dtype)
        self._out = out.float()
