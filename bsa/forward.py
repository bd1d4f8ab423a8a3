"""The forward call: checks, tables, launch, and the rows that no iteration writes."""

from __future__ import annotations

import torch

from bsa._pypto import simulate, synchronize
from bsa.config import DEFAULT, KernelConfig
from bsa.contract import Problem, check_forward
from bsa.contract.lengths import Lengths
from bsa.kernels.forward import build_forward
from bsa.results import Forward
from bsa.tables import ForwardTables, forward_tables


def block_sparse_attention(
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
    config: KernelConfig = DEFAULT,
) -> Forward:
    """Attend to the selected key blocks only, on PyPTO's simulator or on a card.

    A query row that selects nothing, or lies at or beyond the actual length, gives out 0 and lse -inf. What memory
    holds beyond the actual lengths never matters. Inputs are not changed; calls are independent of each other.

    Args:
        query: FP16 or BF16 ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; any strides.
        key: the same dtype, ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``; Hkv divides Hq.
        value: as key.
        block_sparse_mask: bool ``[B, Hq, ceil(Sq / bx), ceil(Skv / by)]``; None selects every block.
        block_shape: (bx, by) rows of a query block and of a key block.
        actual_seq_lengths: rows of each query sequence, as integers or a CPU tensor; None means all of them.
        actual_seq_lengths_kv: the same for keys.
        layout: ``BNSD`` or ``TND``.
        scale: factor on query·key, applied in FP32; None means 1 / sqrt(D).
        num_key_value_heads: Hkv again, for callers that state it.
        run_mode: ``sim`` with CPU tensors, ``npu`` with NPU tensors.
        config: tiles and compile options.

    Returns:
        out in the dtype and shape of query, and lse, the natural log-sum-exp, FP32 ``[B, Hq, Sq]``, TND ``[Tq, Hq]``.

    Raises:
        ContractError: an argument lies outside the contract; nothing was compiled or allocated.
        KernelError: PyPTO failed, with its true error.
        PyptoEnvironmentError: PyPTO or a tool it needs is missing or unfit.
    """
    problem = check_forward(
        query,
        key,
        value,
        block_sparse_mask,
        block_shape=block_shape,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
        run_mode=run_mode,
    )
    tables = forward_tables(block_sparse_mask, problem, config)
    out = torch.full(query.shape, torch.nan, dtype=query.dtype, device=query.device)
    lse = torch.full(problem.lse_shape, torch.nan, dtype=torch.float32, device=query.device)
    if tables.count:
        _launch((query, key, value), tables, Forward(out, lse), problem, config=config, run_mode=run_mode)
    empty = tables.empty.to(query.device)
    out.masked_fill_(empty.unsqueeze(-1), 0)
    lse.masked_fill_(empty, -torch.inf)
    return Forward(out, lse)


def _launch(
    inputs: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    tables: ForwardTables,
    outputs: Forward,
    problem: Problem,
    *,
    config: KernelConfig,
    run_mode: str,
) -> None:
    """Run the kernel; it writes the rows of ``outputs`` that have a unit."""
    kernel = build_forward(
        dtype=str(problem.dtype).removeprefix("torch."),
        head_dim=problem.head_dim,
        block_shape=problem.block_shape,
        widths=tables.widths,
        chunked=tables.chunked,
        config=config,
        run_mode=run_mode,
    )
    device = outputs.out.device
    arguments = [
        *(_two_axes(tensor, problem) for tensor in inputs),
        *(table.to(device) for table in (tables.units, tables.picks, tables.groups)),
        _two_axes(outputs.out, problem),
        outputs.lse.view(-1, problem.heads_q if problem.layout == "TND" else 1),
    ]
    synchronize(run_mode)  # limit 13: the kernel must see finished inputs
    if run_mode == "npu":
        kernel(*arguments, problem.scale)
    else:
        with simulate():
            kernel(*arguments, problem.scale)
    synchronize(run_mode)  # limit 13: rows are filled after the launch


def _two_axes(tensor: torch.Tensor, problem: Problem) -> torch.Tensor:
    """See a tensor as the kernel does, contiguous: BNSD ``[B*N*S, D]``, TND ``[T, N*D]``."""
    if problem.layout == "TND":
        return tensor.contiguous().view(tensor.shape[0], -1)
    return tensor.contiguous().view(-1, problem.head_dim)
