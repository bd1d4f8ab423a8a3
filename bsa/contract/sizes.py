"""The sizes of a call: rules that relate query, key, value, heads and lengths to each other."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bsa.contract.integers import as_integer
from bsa.contract.lengths import Lengths, check_count, check_range, check_sum, read_lengths
from bsa.contract.options import check_block_shape, check_scale
from bsa.contract.problem import Problem
from bsa.contract.profile import Profile
from bsa.contract.refusal import Refuse
from bsa.errors import NULL


def resolve(
    refuse: Refuse,
    profile: Profile,
    tensors: Mapping[str, torch.Tensor],
    *,
    block_shape: object,
    lengths: Mapping[str, Lengths | None],
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
    check_heads(refuse, profile, heads_q, heads_kv)
    if num_key_value_heads is not None and as_integer(num_key_value_heads) != heads_kv:
        shown = num_key_value_heads if isinstance(num_key_value_heads, (int, float, str)) else "not an int"
        legal = f"{heads_kv}, the heads of key, or None"
        raise refuse("num-key-value-heads", argument="num_key_value_heads", value=shown, legal=legal)
    block = check_block_shape(refuse, profile, "block_shape", block_shape)
    (lengths_q, seq_q), (lengths_kv, seq_kv) = (
        _resolve_lengths(refuse, argument, given, tensor, layout)
        for (argument, given), tensor in zip(lengths.items(), (query, key), strict=True)
    )
    if len(lengths_kv) != len(lengths_q):
        check_count(
            refuse,
            "actual_seq_lengths_kv",
            lengths_kv,
            len(lengths_q),
            f"as many as {refuse.name('actual_seq_lengths')}",
        )
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


def check_shapes(refuse: Refuse, tensors: Mapping[str, torch.Tensor], layout: str) -> None:
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


def check_heads(refuse: Refuse, profile: Profile, heads_q: int, heads_kv: int) -> None:
    """Whole groups of query heads per key head.

    Raises:
        ContractError: rules ``heads-ratio`` and ``heads-equal``.
    """
    if heads_q % heads_kv:
        raise refuse(
            "heads-ratio",
            argument="query",
            value=(heads_q, heads_kv),
            legal="query heads a multiple of key heads: Hq >= Hkv and Hq % Hkv == 0",
        )
    if heads_q != heads_kv and not profile.grouped_heads:
        raise refuse(
            "heads-equal",
            argument="query",
            value=(heads_q, heads_kv),
            legal="as many query heads as key heads",
            fix="repeat the key and value heads",
        )


def _resolve_lengths(
    refuse: Refuse, argument: str, given: Lengths | None, tensor: torch.Tensor, layout: str
) -> tuple[tuple[int, ...], int]:
    """Lengths, and the rows of a sequence that the mask covers."""
    if layout == "TND":
        if given is None:
            legal = "the length of each sequence: TND has no batch axis"
            raise refuse("lengths-required", argument=argument, value=None, legal=legal, code=NULL)
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
