"""Outputs made by hand: gold, a same-precision reference with a known error, and an output that is right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from verification.dut import OutputSpec, References
from verification.record import Check, OutputResult
from verification.scoreboard import judge

BNSD = ("b", "h", "row", "d")
NOISE = {"float16": 2.0**-12, "bfloat16": 2.0**-9, "float32": 2.0**-22}
"""Relative error of the same-precision reference and of a right output."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """One output with its references; change ``found`` and judge."""

    spec: OutputSpec
    gold: torch.Tensor
    same: torch.Tensor
    found: torch.Tensor
    row_block: int = 0
    kv_block: int = 0
    exact: bool = False
    zeros: torch.Tensor | None = None
    """Rows that must be exactly zero; None = the judge finds them."""
    noise: float = 0.0

    def references(self) -> References:
        """Its references."""
        name = self.spec.name
        return References(
            gold={name: self.gold},
            same={name: self.same},
            row_block=self.row_block,
            kv_block=self.kv_block,
            exact=self.exact,
            zeros={} if self.zeros is None else {name: self.zeros},
            noise={name: self.noise},
        )

    def judged(self, *, gates: tuple[str, ...] = ()) -> OutputResult:
        """The verdict on ``found``."""
        outputs = {self.spec.name: self.found}
        (result,) = judge(outputs, self.references(), (self.spec,), dtype=self.spec.dtype, gates=gates)
        return result

    def with_found(self, found: torch.Tensor) -> Made:
        """The same with another output."""
        return replace(self, found=found)

    def copy(self) -> torch.Tensor:
        """The right output, to be changed."""
        return self.found.clone()


def made(
    *,
    shape: tuple[int, ...] = (2, 3, 64, 32),
    dims: tuple[str, ...] = BNSD,
    dtype: str = "float16",
    scale: float = 1.0,
    seed: int = 0,
    row_block: int = 0,
    exact: bool = False,
) -> Made:
    """A tensor of normal values."""
    rng = np.random.default_rng(seed)
    gold = torch.from_numpy(rng.normal(0.0, scale, shape))
    if exact:
        gold = gold.mul(8).round().div(8)
    size = 0.0 if exact else NOISE[dtype]
    noisy = [gold * (1 + size * torch.from_numpy(rng.uniform(-1, 1, shape))) for _ in range(2)]
    same, found = (one.to(getattr(torch, dtype)) for one in noisy)
    spec = OutputSpec(name="out", dtype=dtype, dims=dims)
    return Made(spec=spec, gold=gold, same=same, found=found, row_block=row_block, exact=exact)


def made_lse(*, shape: tuple[int, ...] = (2, 3, 64), seed: int = 0, row_block: int = 0) -> Made:
    """An LSE between 5 and 8."""
    rng = np.random.default_rng(seed)
    gold = torch.from_numpy(rng.uniform(5.0, 8.0, shape))
    spec = OutputSpec(name="lse", dtype="float32", kind="lse", dims=("b", "h", "row"))
    return Made(spec=spec, gold=gold, same=gold.float(), found=gold.float(), row_block=row_block)


def check(result: OutputResult, rule: str) -> Check:
    """The check of one rule."""
    return next(one for one in result.checks if one.rule == rule)


def broken(result: OutputResult) -> set[str]:
    """Rules that the output breaks."""
    return {one.rule for one in result.checks if not one.passed}
