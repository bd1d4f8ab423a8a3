"""Slices of a large call: one batch, one head, one query block at a time, as cases of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli import files
from stimuli.canonical import reduce_params
from stimuli.case import Case
from stimuli.masks import given
from stimuli.regimes import TENSORS

Params = Mapping[str, Any]
Fits = Callable[[Case], bool]
_KEPT = ("head_dim", "block_shape", "dtype", "scale", "config", "dout")


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One slice."""

    batch: int
    head: int
    block: int
    """Query block."""
    case: Case
    cut: bool
    """Whether it has fewer KV blocks than the whole selects there, because more do not fit."""


def total(full: Params, lengths_q: list[int] | None) -> int:
    """How many slices there are: query blocks with a row, of every batch and head."""
    rows = lengths_q or [full["seq_q"]] * full["batch"]
    return int(full["heads_q"] * sum(ceil(one / full["block_shape"][0]) for one in rows))


def slices(
    case: Case,
    full: Params,
    mask: npt.NDArray[np.bool_] | None,
    lengths: tuple[list[int] | None, list[int] | None],
    *,
    defaults: Params,
    count: int,
    fits: Fits,
) -> Iterator[Slice]:
    """Slices spread over batches, heads and query blocks; the first and the last of each come first.

    Args:
        case: the whole.
        full: its parameters, defaults included.
        mask: bool [B, Hq, blocks_q, blocks_kv]; None = every block.
        lengths: actual lengths of queries and of keys.
        defaults: the DUT's frozen defaults.
        count: how many.
        fits: whether a case is within the budget.

    Yields:
        At most ``count`` slices that fit, each a case of its own: one that has the parameters of an earlier one has
        another seed.
    """
    rows = lengths[0] or [full["seq_q"]] * full["batch"]
    keys = lengths[1] or [full["seq_kv"]] * full["batch"]
    made: set[str] = set()
    for batch, head, block in _places(full, rows):
        if len(made) == count:
            return
        block_q, block_kv = full["block_shape"]
        blocks = ceil(keys[batch] / block_kv)
        chosen = np.ones(blocks, dtype=np.bool_) if mask is None else mask[batch, head, block, :blocks].copy()
        here = {"seq_q": min(block_q, rows[batch] - block * block_q), "seq_kv": max(1, keys[batch])}
        if not chosen.any() and keys[batch] > 0:
            continue
        for cut, params in _shrinking(here, chosen, keys[batch], block_kv):
            values = _values(full, at=(batch, head, block * block_q))
            if cut and values is not None and _from_file(values):
                break
            kept = {name: full[name] for name in _KEPT if name in full and name in defaults}
            placed = params if values is None else {**params, "values": values}
            name = f"{case.label}: batch {batch} head {head} query block {block}"
            one = Case(
                dut=case.dut,
                params=reduce_params({**kept, **placed}, defaults),
                seed=case.seed,
                name=name,
                modes=("sim",),
            )
            while one.id in made:  # heads of a dense call differ in nothing but the numbers that are drawn
                one = replace(one, seed=one.seed + 1)
            if fits(one):
                made.add(one.id)
                yield Slice(batch=batch, head=head, block=block, case=one, cut=cut)
                break


def _shrinking(
    here: dict[str, Any], chosen: npt.NDArray[np.bool_], keys: int, block_kv: int
) -> Iterator[tuple[bool, dict[str, Any]]]:
    """The slice with all its keys, then with ever fewer of its selected blocks side by side."""
    if keys == 0:
        yield False, {**here, "lengths_kv": [0], "mask": "dense"}
        return
    every = bool(chosen.all())
    yield False, {**here, "mask": "dense" if every else given.spec(chosen[None, None, None, :])}
    left = int(chosen.sum())
    last = keys - (len(chosen) - 1) * block_kv if chosen[-1] else block_kv
    packed = (left - 1) * block_kv + last
    while left:
        yield not every or packed < keys, {**here, "seq_kv": packed, "mask": "dense"}
        left //= 2
        packed = left * block_kv


def _places(full: Params, rows: list[int]) -> Iterator[tuple[int, int, int]]:
    """(batch, head, query block): corners first, then the middle, then a stride through all; none twice."""
    batches = [batch for batch in range(full["batch"]) if rows[batch] > 0]
    seen: set[tuple[int, int, int]] = set()
    heads = full["heads_q"]
    for part in (0.0, 1.0, 0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875):
        for turn, batch in enumerate(batches):
            last = ceil(rows[batch] / full["block_shape"][0]) - 1
            place = (batch, round(((part + 0.5 * turn) % 1.0 or part) * (heads - 1)), round(part * last))
            if place not in seen:
                seen.add(place)
                yield place


def _values(full: Params, *, at: tuple[int, int, int]) -> Any:
    """The values of a slice: the same kinds; what comes from a file, from its place in the file."""
    values = full.get("values")
    if not isinstance(values, Mapping):
        return values
    batch, head, token = at
    group = full["heads_q"] // full["heads_kv"]
    places = {"query": (batch, head, token), "key": (batch, head // group, 0), "value": (batch, head // group, 0)}
    return {name: files.moved(values[name], places[name]) for name in TENSORS if name in values}


def _from_file(values: Any) -> bool:
    return isinstance(values, Mapping) and any(kind.startswith(files.PREFIX) for kind in values.values())
