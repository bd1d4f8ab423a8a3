"""The backward kernel's host side: arguments before the launch, rows that no iteration wrote after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from bsa.blocks import key_side, query_side, selected_blocks
from bsa.contract import Problem
from bsa.kernels.backward_config import BackwardConfig, Shape
from bsa.kernels.backward_tables import PhaseTables, key_tables, query_tables
from bsa.results import Grad

SLICE: Final = 2**20
"""Elements of dO * O that are in memory in FP32 at a time."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One launch of the backward kernel."""

    shape: Shape
    """What the jit object is compiled for."""
    arguments: tuple[torch.Tensor, ...]
    """The kernel's tensors in its order; the last three are the outputs, full of NaN."""
    grad: Grad
    """The outputs again, in the shapes of query, key and value."""
    empty: Grad
    """bool ``[B, N, S]``, in TND ``[T, N]``, for each gradient: rows that no unit writes."""
    units: int
    """Units of both phases; 0 means that there is nothing to launch."""


def prepare(
    tensors: Mapping[str, torch.Tensor], mask: torch.Tensor | None, problem: Problem, config: BackwardConfig
) -> Prepared:
    """Make the kernel's arguments: views of the inputs, D = rowsum(dO * O) in FP32, tables, outputs full of NaN.

    Copies an input only if it is not contiguous. Memory beyond inputs and outputs: one FP32 number per row and head,
    slices of ``SLICE`` elements while it is computed, and tables that grow with the number of selected blocks.

    Args:
        tensors: query, key, value, dout, attention_out, softmax_lse, as the contract accepts them.
        mask: bool ``[B, Hq, query blocks, key blocks]``; None means every block.
        problem: the sizes.
        config: decides how many blocks an iteration handles.
    """
    device, names = tensors["query"].device, ("query", "key", "value")
    inputs = [_two_axes(tensors[name], problem) for name in (*names, "dout")]
    outputs = [torch.full_like(tensor, torch.nan) for tensor in inputs[:3]]
    lse = tensors["softmax_lse"].detach().reshape(problem.lse_shape)
    delta = _row_sums(inputs[3], _two_axes(tensors["attention_out"], problem), problem)
    selected = selected_blocks(mask, problem)
    first = query_tables(selected, problem, config.widest(problem.block_shape[1], problem.head_dim))
    second = key_tables(selected, problem, config.widest(problem.block_shape[0], problem.head_dim))
    bounds = torch.tensor([first.ends + second.ends], dtype=torch.int32)
    tables = [part.to(device) for part in (first.units, first.chunks, second.units, second.chunks, bounds)]
    by_key_head = selected.reshape(problem.batch, problem.heads_kv, -1, problem.blocks_kv)
    empty_q = query_side(problem).uncovered(np.any(selected, axis=3)).to(device)
    empty_kv = key_side(problem).uncovered(np.any(by_key_head, axis=2)).to(device)
    return Prepared(
        shape=_shape(problem, first, second),
        arguments=(*inputs, _per_row(lse, problem), delta, *tables, *outputs),
        grad=Grad(*(output.view(tensors[name].shape) for output, name in zip(outputs, names, strict=True))),
        empty=Grad(empty_q, empty_kv, empty_kv),
        units=first.ends[2] + second.ends[2],
    )


def fill_empty(prepared: Prepared) -> Grad:
    """Write zeros where the tables declare that nothing is computed, and only there.

    Returns:
        The gradients. A NaN left in them is one that the kernel computed, or a place that it failed to write.
    """
    for gradient, empty in zip(prepared.grad, prepared.empty, strict=True):
        gradient.masked_fill_(empty.unsqueeze(-1), 0)
    return prepared.grad


def _shape(problem: Problem, first: PhaseTables, second: PhaseTables) -> Shape:
    return Shape(
        dtype=str(problem.dtype).removeprefix("torch."),
        head_dim=problem.head_dim,
        block_shape=problem.block_shape,
        width_q=first.width,
        width_kv=second.width,
        carry_q=first.ends[0] > 0,
        carry_kv=second.ends[0] > 0,
    )


def _two_axes(tensor: torch.Tensor, problem: Problem) -> torch.Tensor:
    """See BNSD as ``[B*N*S, D]``, TND as ``[T, N*D]``; contiguous."""
    tensor = tensor.detach().contiguous()
    return tensor.flatten(1) if problem.layout == "TND" else tensor.flatten(0, 2)


def _row_sums(dout: torch.Tensor, out: torch.Tensor, problem: Problem) -> torch.Tensor:
    """Return rowsum(dO * O) of tensors on two axes, in FP32, as :func:`_per_row` shapes it, slice after slice."""
    shape = dout.shape[0], dout.shape[1] // problem.head_dim
    dout, out = dout.view(-1, problem.head_dim), out.view(-1, problem.head_dim)
    rows = min(len(dout), SLICE // problem.head_dim)
    sums = dout.new_empty(len(dout), dtype=torch.float32)
    products = dout.new_empty((rows, problem.head_dim), dtype=torch.float32)
    slices = (tensor.split(rows) for tensor in (dout, out, sums))  # type: ignore[no-untyped-call]  # torch leaves it untyped
    for one, other, place in zip(*slices, strict=True):
        torch.sum(products[: len(one)].copy_(one).mul_(other), dim=-1, out=place)
    return sums.view(shape)


def _per_row(values: torch.Tensor, problem: Problem) -> torch.Tensor:
    """See one FP32 value per row and head as ``[B*N*S, 1]``, in TND ``[T, N]``; contiguous."""
    values = values.contiguous()
    return values if problem.layout == "TND" else values.view(-1, 1)
