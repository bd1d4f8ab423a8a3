"""Calls of the forward, made from a few parameters, and what their results must satisfy."""

from dataclasses import dataclass, field, replace
from typing import Any

import torch

import bsa
from bsa.reference import forward_oracle, forward_same_precision

TOLERANCE = {torch.float16: (1e-4, 2**-7), torch.bfloat16: (2**-8, 2**-6)}
"""Absolute and relative: the published one for FP16, op-plugin's relative one for BF16."""


@dataclass(frozen=True)
class Call:
    """One call, everything in it drawn from the seed; ``select`` says how many blocks each query block selects."""

    batch: int = 1
    heads: tuple[int, int] = (2, 1)
    seq: tuple[int, int] = (96, 160)
    head_dim: int = 128
    block_shape: tuple[int, int] = (32, 64)
    density: float = 0.6
    select: tuple[int, ...] | None = None
    dtype: torch.dtype = torch.float16
    lengths: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    layout: str = "BNSD"
    padding: float | None = None
    amplitude: float = 1.0
    offset: float = 0.0
    scale: float | None = None
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Query, key, value and mask; rows beyond the lengths hold ``padding``."""
        draw = torch.Generator().manual_seed(self.seed)
        made = {}
        for name, heads, side in (("query", 0, 0), ("key", 1, 1), ("value", 1, 1)):
            shape = (self.batch, self.heads[heads], self.seq[side], self.head_dim)
            shift = {"query": self.offset, "key": -self.offset, "value": 0.0}[name]
            tensor = ((torch.rand(shape, generator=draw) * 2 - 1) * self.amplitude + shift).to(self.dtype)
            made[name] = self._finish(tensor, side)
        seq = self.seq
        if self.layout == "TND":
            seq = tuple(max(1, *lengths) if lengths else 1 for lengths in self.all_lengths())
        blocks = [-(-rows // size) for rows, size in zip(seq, self.block_shape, strict=True)]
        chance = torch.rand(self.batch, self.heads[0], *blocks, generator=draw)
        made["mask"] = chance < self.density
        if self.select is not None:
            made["mask"] = chance.argsort(dim=-1) < torch.tensor(self.select)[:, None]
        return made

    def all_lengths(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.lengths or ((self.seq[0],) * self.batch, (self.seq[1],) * self.batch)

    def _finish(self, tensor: torch.Tensor, side: int) -> torch.Tensor:
        lengths = self.all_lengths()[side]
        if self.layout == "TND":
            return torch.cat([tensor[batch, :, :length].transpose(0, 1) for batch, length in enumerate(lengths)])
        if self.padding is not None:
            for batch, length in enumerate(lengths):
                tensor[batch, :, length:] = self.padding
        return tensor

    def keywords(self) -> dict[str, Any]:
        """Keyword arguments that the kernel and the references share."""
        lengths_q, lengths_kv = self.lengths or (None, None)
        return {
            "block_shape": self.block_shape,
            "actual_seq_lengths": lengths_q,
            "actual_seq_lengths_kv": lengths_kv,
            "layout": self.layout,
            "scale": self.scale,
        }


def forward(tensors: dict[str, torch.Tensor | None], call: Call) -> bsa.Forward:
    """Call the kernel on given tensors."""
    return bsa.block_sparse_attention(
        tensors["query"], tensors["key"], tensors["value"], tensors["mask"], **call.keywords(), **call.options
    )


def run(call: Call) -> bsa.Forward:
    """Run the kernel once."""
    return forward(call.tensors(), call)


def run_without_mask(call: Call) -> bsa.Forward:
    """Run the kernel with mask None."""
    return forward({**call.tensors(), "mask": None}, call)


def run_with_mask_edited(call: Call) -> tuple[bsa.Forward, bsa.Forward]:
    """Run, set every element of the mask in place, run again."""
    tensors = call.tensors()
    first = forward(tensors, call)
    tensors["mask"].fill_(value=True)
    return first, forward(tensors, call)


def run_strided(call: Call) -> tuple[bsa.Forward, bsa.Forward, bool]:
    """Run on contiguous tensors and on equal views with other strides; say whether the views are unchanged after."""
    tensors = call.tensors()
    tensors["value"] = tensors["value"][:, :1].repeat(1, call.heads[1], 1, 1)
    views = {
        "query": tensors["query"].transpose(1, 2).contiguous().transpose(1, 2),
        "key": tensors["key"].transpose(1, 2).contiguous().transpose(1, 2),
        "value": tensors["value"][:, :1].expand(-1, call.heads[1], -1, -1),
        "mask": tensors["mask"].transpose(2, 3).contiguous().transpose(2, 3),
    }
    assert not any(view.is_contiguous() for view in views.values())
    before = {name: view.clone() for name, view in views.items()}
    results = forward(tensors, call), forward(views, call)
    return *results, all(torch.equal(before[name], view) for name, view in views.items())


def reference(call: Call, function: Any = forward_oracle) -> Any:
    """Compute the right answer, from inputs with zeros beyond the lengths."""
    tensors = replace(call, padding=0.0).tensors()
    return function(tensors["query"], tensors["key"], tensors["value"], tensors["mask"], **call.keywords())


def assert_right(result: bsa.Forward, call: Call) -> None:
    """Structure, the dtype's tolerance, twice the same-precision error, and the LSE bound, all against float64.

    Rounding P to the operands' dtype alone breaks the tolerance at a few small outputs of rows with few keys: where the
    same-precision reference does, twice its error there is allowed.
    """
    gold, same = reference(call), reference(call, forward_same_precision)
    nothing = gold.lse.isinf()
    assert torch.equal(result.lse.isinf(), nothing)
    assert bool((result.out[nothing] == 0).all())
    error, fair = ((out.double() - gold.out).abs() for out in (result.out, same.out))
    absolute, relative = TOLERANCE[call.dtype]
    tolerance = absolute + relative * gold.out.abs()
    assert bool((error <= torch.where(fair > tolerance, 2 * fair, tolerance)).all()), error.max()
    ulp = torch.finfo(call.dtype).eps * 2.0 ** float(gold.out.abs().max().log2().floor())
    assert error.max() <= 2 * fair.max() + ulp / 2
    assert_lse(result, gold)


def assert_lse(result: bsa.Forward, gold: Any) -> None:
    """The bound that a scale or a sum in half precision breaks."""
    some = ~gold.lse.isinf()
    error = (result.lse.double() - gold.lse)[some].abs()
    assert bool((error <= 2e-6 + 2**-21 * gold.lse[some].abs()).all()), error.max()
