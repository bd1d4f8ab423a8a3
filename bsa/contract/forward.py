"""The contract of the forward call."""

from __future__ import annotations

import torch

from bsa.contract.lengths import Lengths, check_count, check_range, check_sum, read_lengths
from bsa.contract.options import check_block_shape, check_mask, check_scale
from bsa.contract.problem import Problem
from bsa.contract.profile import PYPTO, Profile
from bsa.contract.refusal import Refuse
from bsa.contract.tensors import (
    check_devices,
    check_dtypes,
    check_elements,
    check_layout,
    check_ranks,
    check_tensor,
)


def check_forward(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int],
    actual_seq_lengths: Lengths | None,
    actual_seq_lengths_kv: Lengths | None,
    layout: str,
    scale: float | None,
    num_key_value_heads: int | None,
    run_mode: str,
) -> Problem:
    """Checks a forward call against profile ``pypto`` and resolves its defaults. Allocates nothing.

    Args:
        query: FP16 ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; any strides.
        key: FP16 ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``.
        value: as key.
        block_sparse_mask: BOOL ``[B, Hq, ceil(Sq / bx), ceil(Skv / by)]``; None = every block.
        block_shape: (bx, by) rows of a query block and of a key block.
        actual_seq_lengths: rows of each query sequence; None = all of them (BNSD only).
        actual_seq_lengths_kv: the same for keys.
        layout: ``BNSD`` or ``TND``.
        scale: factor on query·key; None = 1 / sqrt(D).
        num_key_value_heads: Hkv again, for callers that state it; None = take it from key.
        run_mode: ``sim`` (CPU tensors) or ``npu`` (NPU tensors).

    Returns:
        The problem, with every default resolved.

    Raises:
        ContractError: the first rule that the call breaks.
    """
    refuse = Refuse(PYPTO.name)
    tensors = {
        argument: check_tensor(refuse, argument, tensor)
        for argument, tensor in {"query": query, "key": key, "value": value}.items()
    }
    layout = check_layout(refuse, PYPTO, "layout", layout)
    mask = {}
    if block_sparse_mask is not None:
        mask = {"block_sparse_mask": check_tensor(refuse, "block_sparse_mask", block_sparse_mask)}
    check_ranks(refuse, tensors, layout)
    check_dtypes(refuse, PYPTO, tensors)
    check_devices(refuse, {**tensors, **mask}, run_mode)
    check_elements(refuse, {**tensors, **mask})
    problem = resolve(
        refuse,
        PYPTO,
        tensors,
        block_shape=block_shape,
        lengths={"actual_seq_lengths": actual_seq_lengths, "actual_seq_lengths_kv": actual_seq_lengths_kv},
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    if block_sparse_mask is not None:
        check_mask(refuse, "block_sparse_mask", block_sparse_mask, problem)
    return problem


def resolve(
    refuse: Refuse,
    profile: Profile,
    tensors: dict[str, torch.Tensor],
    *,
    block_shape: object,
    lengths: dict[str, Lengths | None],
    layout: str,
    scale: object,
    num_key_value_heads: object,
) -> Problem:
    """The problem that query, key and value describe, after the rules that relate them."""
    query, key = tensors["query"], tensors["key"]
    check_shapes(refuse, tensors, layout)
    heads_axis = layout.index("N")
    heads_q, heads_kv, head_dim = query.shape[heads_axis], key.shape[heads_axis], query.shape[-1]
    if profile.head_dims is not None and head_dim not in profile.head_dims:
        legal = " or ".join(map(str, profile.head_dims))
        raise refuse("head-dim", argument="query", value=head_dim, legal=f"head_dim {legal}")
    check_heads(refuse, heads_q, heads_kv, num_key_value_heads)
    block = check_block_shape(refuse, profile, "block_shape", block_shape)
    (lengths_q, seq_q), (lengths_kv, seq_kv) = (
        _resolve_lengths(refuse, argument, given, tensor, layout)
        for (argument, given), tensor in zip(lengths.items(), (query, key), strict=True)
    )
    if len(lengths_kv) != len(lengths_q):
        check_count(refuse, "actual_seq_lengths_kv", lengths_kv, len(lengths_q), "as many as actual_seq_lengths")
    return Problem(
        batch=len(lengths_q),
        heads_q=heads_q,
        heads_kv=heads_kv,
        seq_q=seq_q,
        seq_kv=seq_kv,
        head_dim=head_dim,
        block_shape=block,
        lengths_q=lengths_q,
        lengths_kv=lengths_kv,
        tokens_q=query.shape[0] if layout == "TND" else len(lengths_q) * seq_q,
        tokens_kv=key.shape[0] if layout == "TND" else len(lengths_kv) * seq_kv,
        scale=check_scale(refuse, "scale", scale, head_dim),
        dtype=query.dtype,
        layout=layout,
    )


def check_shapes(refuse: Refuse, tensors: dict[str, torch.Tensor], layout: str) -> None:
    """Key and value are alike; query agrees with key in batch and head_dim.

    Raises:
        ContractError: rules ``kv-shape-equal``, ``batch-equal`` and ``head-dim-equal``.
    """
    query, key, value = (tuple(tensors[name].shape) for name in ("query", "key", "value"))
    if value != key:
        raise refuse("kv-shape-equal", argument="value", value=value, legal=f"{key}, the shape of key")
    if layout == "BNSD" and key[0] != query[0]:
        raise refuse("batch-equal", argument="key", value=key[0], legal=f"batch {query[0]}, as query")
    if key[-1] != query[-1]:
        raise refuse("head-dim-equal", argument="key", value=key[-1], legal=f"head_dim {query[-1]}, as query")


def check_heads(refuse: Refuse, heads_q: int, heads_kv: int, stated: object) -> None:
    """Whole groups of query heads per key head, and no contradiction with num_key_value_heads.

    Raises:
        ContractError: rules ``heads-ratio`` and ``num-key-value-heads``.
    """
    if heads_q % heads_kv:
        raise refuse(
            "heads-ratio",
            argument="query",
            value=(heads_q, heads_kv),
            legal="query heads a multiple of key heads: Hq >= Hkv and Hq % Hkv == 0",
        )
    if stated is None:
        return
    if isinstance(stated, bool) or not isinstance(stated, int) or stated != heads_kv:
        legal = f"{heads_kv}, the heads of key, or None"
        raise refuse("num-key-value-heads", argument="num_key_value_heads", value=stated, legal=legal)


def _resolve_lengths(
    refuse: Refuse, argument: str, given: Lengths | None, tensor: torch.Tensor, layout: str
) -> tuple[tuple[int, ...], int]:
    """Lengths, and the rows of a sequence that the mask covers."""
    if layout == "TND":
        if given is None:
            legal = "the length of each sequence: TND has no batch axis"
            raise refuse("lengths-required", argument=argument, value=None, legal=legal, code=161001)
        lengths = read_lengths(refuse, argument, given)
        if not lengths:
            raise refuse("lengths-count", argument=argument, value=lengths, legal="at least one sequence")
        check_range(refuse, argument, lengths, tensor.shape[0], "T, the tokens of the tensor")
        check_sum(refuse, argument, lengths, tensor.shape[0])
        return lengths, max(1, *lengths)
    batch, rows = tensor.shape[0], tensor.shape[2]
    if given is None:
        return (rows,) * batch, rows
    lengths = read_lengths(refuse, argument, given)
    check_count(refuse, argument, lengths, batch, "one per batch")
    check_range(refuse, argument, lengths, rows, "S, the rows of the tensor")
    return lengths, rows
