"""The backward call: checks, launch, and the rows that no iteration writes."""

from __future__ import annotations

import torch

from bsa._pypto import simulate, synchronize
from bsa.contract import BackwardCall, Problem, check_backward
from bsa.contract.lengths import Lengths
from bsa.kernels.backward import build_backward
from bsa.kernels.backward_config import DEFAULT, BackwardConfig
from bsa.kernels.backward_host import fill_empty, prepare
from bsa.results import Grad


def block_sparse_attention_grad(  # noqa: PLR0917  # the operator's own order
    dout: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_out: torch.Tensor,
    softmax_lse: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int] = (256, 512),
    actual_seq_lengths: Lengths | None = None,
    actual_seq_lengths_kv: Lengths | None = None,
    layout: str = "BNSD",
    scale: float | None = None,
    num_key_value_heads: int | None = None,
    profile: str = "pypto",
    run_mode: str = "sim",
    config: BackwardConfig = DEFAULT,
) -> Grad:
    """Differentiate block-sparse attention, on PyPTO's simulator or on a card.

    P is recomputed from the log-sum-exp given: dV = P^T dO, dS = P * (dO V^T - rowsum(dO * O)), dQ = scale dS K,
    dK = scale dS^T Q; dK and dV sum over the query heads of a group, in FP32. Rows at or beyond the actual lengths,
    query blocks that select nothing and key blocks that nobody selects have gradients of exactly 0. What memory holds
    beyond the actual lengths never matters. Inputs are not changed; calls are independent of each other.

    Args:
        dout: gradient of the output, dtype and shape of query.
        query: FP16 or BF16 ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; any strides.
        key: the same dtype, ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``; Hkv divides Hq.
        value: as key.
        attention_out: output of the forward pass, dtype and shape of query.
        softmax_lse: natural log-sum-exp of the forward pass, FP32 ``[B, Hq, Sq]`` or ``[B, Hq, Sq, 1]``, in TND
            ``[Tq, Hq]`` or ``[Tq, Hq, 1]``.
        block_sparse_mask: bool ``[B, Hq, ceil(Sq / bx), ceil(Skv / by)]``; None selects every block.
        block_shape: (bx, by) rows of a query block and of a key block.
        actual_seq_lengths: rows of each query sequence, as integers or a CPU tensor; None means all of them.
        actual_seq_lengths_kv: the same for keys.
        layout: ``BNSD`` or ``TND``.
        scale: factor on query·key, applied in FP32; None means 1 / sqrt(D).
        num_key_value_heads: Hkv again, for callers that state it.
        profile: ``pypto``, what our kernels can do, or ``aclnn``, what the built-in operator's text allows.
        run_mode: ``sim`` with CPU tensors, ``npu`` with NPU tensors.
        config: tiles and compile options.

    Returns:
        dq, dk and dv in the dtype and shapes of query, key and value.

    Raises:
        ContractError: an argument lies outside the contract; nothing was compiled or allocated.
        KernelError: PyPTO failed, with its true error.
        PyptoEnvironmentError: PyPTO or a tool it needs is missing or unfit.
    """
    call = BackwardCall(
        dout=dout,
        query=query,
        key=key,
        value=value,
        attention_out=attention_out,
        softmax_lse=softmax_lse,
        block_sparse_mask=block_sparse_mask,
        block_shape=block_shape,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
        run_mode=run_mode,
    )
    return run_backward(call, check_backward(call, profile=profile), config)


def run_backward(call: BackwardCall, problem: Problem, config: BackwardConfig = DEFAULT) -> Grad:
    """Compute the gradients of a call that the contract has accepted.

    Args:
        call: the arguments.
        problem: what the contract resolved them to.
        config: tiles, options, and which phases run; gradients of a phase left out stay NaN.

    Returns:
        dq, dk and dv.
    """
    tensors = {name: getattr(call, name) for name in ("query", "key", "value", "dout", "attention_out", "softmax_lse")}
    prepared = prepare(tensors, call.block_sparse_mask, problem, config)
    if prepared.units:
        kernel = build_backward(prepared.shape, config, call.run_mode)
        synchronize(call.run_mode)  # limit 13: the kernel must see finished inputs
        if call.run_mode == "npu":
            kernel(*prepared.arguments, problem.scale)
        else:
            with simulate():
                kernel(*prepared.arguments, problem.scale)
        synchronize(call.run_mode)  # limit 13: rows are filled after the launch
    return fill_empty(prepared)
