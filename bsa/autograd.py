"""Block-sparse attention as a differentiable torch function."""

from __future__ import annotations

from typing import Any

import torch

from bsa.backward import block_sparse_attention_grad
from bsa.contract.lengths import Lengths
from bsa.forward import block_sparse_attention


def block_sparse_attention_autograd(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int] = (256, 512),
    actual_seq_lengths: Lengths | None = None,
    actual_seq_lengths_kv: Lengths | None = None,
    layout: str = "BNSD",
    scale: float | None = None,
    num_key_value_heads: int | None = None,
    run_mode: str = "sim",
) -> torch.Tensor:
    """Attend as :func:`bsa.block_sparse_attention`, with gradients by :func:`bsa.block_sparse_attention_grad`.

    The mask takes part by value: editing it between the call and ``backward()`` is an error that torch reports.

    Args:
        query: FP16 or BF16 ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; any strides.
        key: the same dtype, ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``; Hkv divides Hq.
        value: as key.
        block_sparse_mask: bool ``[B, Hq, ceil(Sq / bx), ceil(Skv / by)]``; None selects every block.
        block_shape: (bx, by) rows of a query block and of a key block.
        actual_seq_lengths: rows of each query sequence; None means all of them.
        actual_seq_lengths_kv: the same for keys.
        layout: ``BNSD`` or ``TND``.
        scale: factor on query·key; None means 1 / sqrt(D).
        num_key_value_heads: Hkv again, for callers that state it.
        run_mode: ``sim`` or ``npu``.

    Returns:
        The output, in the dtype and shape of query. There is no second derivative.

    Raises:
        ContractError: an argument lies outside the contract.
        KernelError: PyPTO failed, with its true error.
        PyptoEnvironmentError: PyPTO or a tool it needs is missing or unfit.
        RuntimeError: in ``backward()``: ``create_graph=True``, or the mask was edited since.
    """
    options = {
        "block_shape": block_shape,
        "actual_seq_lengths": actual_seq_lengths,
        "actual_seq_lengths_kv": actual_seq_lengths_kv,
        "layout": layout,
        "scale": scale,
        "num_key_value_heads": num_key_value_heads,
        "run_mode": run_mode,
    }
    inputs = (query, key, value, block_sparse_mask)
    out: torch.Tensor = _Attention.apply(*inputs, options)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    return out


class _Attention(torch.autograd.Function):
    """Forward keeps output and log-sum-exp; backward hands them to the backward kernel."""

    @staticmethod
    def forward(  # noqa: PLR0917  # torch's protocol
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        block_sparse_mask: torch.Tensor | None,
        options: dict[str, Any],
    ) -> torch.Tensor:
        out, lse = block_sparse_attention(query, key, value, block_sparse_mask, **options)
        ctx.save_for_backward(query, key, value, out, lse, block_sparse_mask)
        ctx.options = {name: _snapshot(value) for name, value in options.items()}
        return out

    @staticmethod
    def backward(ctx: Any, dout: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        if torch.is_grad_enabled():
            # torch's once_differentiable drops the term silently when dout itself needs no gradient.
            raise RuntimeError("block_sparse_attention_autograd has no second derivative: leave out create_graph=True")
        query, key, value, out, lse, mask = ctx.saved_tensors
        grad = block_sparse_attention_grad(dout, query, key, value, out, lse, mask, **ctx.options)
        return grad.dq, grad.dk, grad.dv, None, None


def _snapshot(value: Any) -> Any:
    """Copy lengths that the caller could change before ``backward()``."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return list(value) if isinstance(value, list) else value
