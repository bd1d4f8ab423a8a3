"""Candidates: cases that differ from a case by one step towards something simpler, the largest steps first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Params = dict[str, Any]
Move = Callable[[Params], Iterator[Params]]

LEAST_BLOCK = 16
"""Blocks are multiples of it."""


def _defaults(full: Params, defaults: Mapping[str, Any]) -> Iterator[Params]:
    """Each parameter that is not a size, back to its default."""
    sizes = ("batch", "heads_q", "heads_kv", "seq_q", "seq_kv", "block_shape", "head_dim")
    for name, value in defaults.items():
        if name not in sizes and full.get(name) != value:
            yield {**full, name: value}


def _dense(full: Params) -> Iterator[Params]:
    """Every block selected."""
    if full.get("mask") not in (None, "dense", "none"):
        yield {**full, "mask": "dense", "density": 1.0}


def _batches(full: Params) -> Iterator[Params]:
    """Fewer batches: the first or the last ones, with their lengths."""
    batch = full.get("batch", 1)
    for kept in dict.fromkeys((1, batch // 2, batch - 1)):
        if 0 < kept < batch:
            for part in (slice(0, kept), slice(batch - kept, batch)):
                yield {**full, "batch": kept, **_cut_lengths(full, part)}


def _cut_lengths(full: Params, part: slice) -> Params:
    return {n: full[n][part] for n in ("lengths_q", "lengths_kv") if isinstance(full.get(n), list)}


def _heads(full: Params) -> Iterator[Params]:
    """Fewer key heads, smaller groups."""
    heads_q, heads_kv = full.get("heads_q", 1), full.get("heads_kv", 1)
    group = max(1, heads_q // heads_kv)
    pairs = [(1, 1), (group, 1), (heads_kv, heads_kv), (2, 1), (2, 2), (4, 2)]
    pairs += [(group * (heads_kv // 2), heads_kv // 2), (group // 2 * heads_kv, heads_kv)]
    pairs += [(group * (heads_kv - 1), heads_kv - 1), ((group - 1) * heads_kv, heads_kv)]
    for query, key in dict.fromkeys(pairs):
        if 0 < key <= heads_kv and 0 < query <= heads_q and (query, key) != (heads_q, heads_kv):
            yield {**full, "heads_q": query, "heads_kv": key}


def _scaled(full: Params) -> Iterator[Params]:
    """Blocks, sequences and lengths divided alike, so that their relations stay."""
    block = full.get("block_shape")
    if not block:
        return
    for divisor in (16, 8, 4, 2):
        if all(size % divisor == 0 and size // divisor >= LEAST_BLOCK for size in block):
            smaller = {**full, "block_shape": [size // divisor for size in block]}
            for side in ("q", "kv"):
                smaller[f"seq_{side}"] = -(-full[f"seq_{side}"] // divisor)
                lengths = full.get(f"lengths_{side}")
                if isinstance(lengths, list):
                    smaller[f"lengths_{side}"] = [-(-one // divisor) for one in lengths]
            yield smaller


def _blocks(full: Params) -> Iterator[Params]:
    """One side of the blocks smaller, its sequence with it."""
    block: list[int] = full.get("block_shape", [])
    for axis, side in enumerate(("q", "kv")[: len(block)]):
        for size in (LEAST_BLOCK, block[axis] // 2):
            if LEAST_BLOCK <= size < block[axis]:
                shape = [size if at == axis else other for at, other in enumerate(block)]
                seq = -(-full[f"seq_{side}"] * size // block[axis])
                yield {**full, "block_shape": shape, f"seq_{side}": seq, **_clipped(full, side, seq)}


def _sequence(side: str) -> Move:
    """Shorter sequences of one side: whole blocks, a tail alone, halves, one less."""

    def move(full: Params) -> Iterator[Params]:
        name = f"seq_{side}"
        seq = full.get(name, 1)
        block = full.get("block_shape", [seq, seq])[0 if side == "q" else 1]
        wanted = (1, block, block + 1, seq % block, 2 * block, seq // 2, seq // block * block, seq - block, seq - 1)
        for size in dict.fromkeys(wanted):
            if 0 < size < seq:
                yield {**full, name: size, **_clipped(full, side, size)}

    return move


def _clipped(full: Params, side: str, seq: int) -> Params:
    lengths = full.get(f"lengths_{side}")
    return {f"lengths_{side}": [min(one, seq) for one in lengths]} if isinstance(lengths, list) else {}


def _lengths(full: Params) -> Iterator[Params]:
    """Each length full, one, or one less than full."""
    for side in ("q", "kv"):
        given, seq = full.get(f"lengths_{side}"), full.get(f"seq_{side}", 1)
        lengths: list[int] = given if isinstance(given, list) else []
        for at, length in enumerate(lengths):
            for simpler in (seq, 1, seq - 1):
                if 0 <= simpler != length and (length != seq):
                    yield {**full, f"lengths_{side}": [*lengths[:at], simpler, *lengths[at + 1 :]]}


def _head_dim(full: Params) -> Iterator[Params]:
    """Fewer channels."""
    for size in (16, 32, 64):
        if size < full.get("head_dim", 1):
            yield {**full, "head_dim": size}


def candidates(full: Params, defaults: Mapping[str, Any]) -> Iterator[Params]:
    """Parameters one step simpler, the steps that save most first.

    Args:
        full: all parameters of a case.
        defaults: the frozen defaults.
    """
    yield from _batches(full)
    yield from _heads(full)
    yield from _scaled(full)
    yield from _defaults(full, defaults)
    yield from _dense(full)
    for move in (_sequence("kv"), _sequence("q"), _blocks, _lengths, _head_dim):
        yield from move(full)


def plain_candidates(params: Params) -> Iterator[Params]:
    """Parameters of which nothing is known: each left out, or a whole number made smaller.

    Args:
        params: the parameters of a case.
    """
    for name, value in params.items():
        yield {other: kept for other, kept in params.items() if other != name}
        if isinstance(value, int) and not isinstance(value, bool):
            for smaller in dict.fromkeys((1, value // 2, value - 1)):
                if 0 < smaller < value:
                    yield {**params, name: smaller}
