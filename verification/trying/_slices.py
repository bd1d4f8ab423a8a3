"""Slices of a large call: one batch, one head, one query block at a time, as cases of their own."""

from __future__ import annotations

from collections import Counter
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
from verification.trying._places import Place

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


def slices(
    case: Case,
    full: Params,
    mask: npt.NDArray[np.bool_] | None,
    places: Iterator[Place],
    *,
    lengths: tuple[list[int] | None, list[int] | None],
    defaults: Params,
    count: int,
    fits: Fits,
) -> Iterator[Slice]:
    """Slices of a call.

    Args:
        case: the whole.
        full: its parameters, defaults included.
        mask: bool [B, Hq, blocks_q, blocks_kv]; None = every block.
        places: where they may be, the most wanted first.
        lengths: actual lengths of queries and of keys.
        defaults: the DUT's frozen defaults.
        count: how many.
        fits: whether a case is within the budget; decided by its sizes, so that these are asked about once.

    Yields:
        At most ``count`` slices that fit, each a case of its own: one that has the parameters of an earlier one has
        another seed.
    """
    rows = lengths[0] or [full["seq_q"]] * full["batch"]
    keys = lengths[1] or [full["seq_kv"]] * full["batch"]
    block_q, block_kv = full["block_shape"]
    kept = {name: full[name] for name in _KEPT if name in full and name in defaults}
    made: Counter[str] = Counter()
    too_large: set[tuple[int, int, int, bool]] = set()
    for batch, head, block in places:
        if made.total() == count:
            return
        blocks = ceil(keys[batch] / block_kv)
        chosen = np.ones(blocks, dtype=np.bool_) if mask is None else mask[batch, head, block, :blocks].copy()
        seq_q = min(block_q, rows[batch] - block * block_q)
        sizes = (seq_q, keys[batch], int(chosen.sum()), bool(chosen[-1:].any()))
        if sizes in too_large:
            continue
        values = _values(full, at=(batch, head, block * block_q))
        placed = kept if values is None else {**kept, "values": values}
        name = f"{case.label}: batch {batch} head {head} query block {block}"
        for cut, own in _shrinking(seq_q, chosen, keys[batch], block_kv):
            if cut and _from_file(values):
                continue
            params = reduce_params({**placed, **own}, defaults)
            one = Case(dut=case.dut, params=params, seed=case.seed, name=name, modes=("sim",))
            if fits(one):
                # heads of a dense call differ in nothing but the numbers that are drawn
                again = made[one.id]
                made[one.id] += 1
                yield Slice(batch=batch, head=head, block=block, case=replace(one, seed=case.seed + again), cut=cut)
                break
        else:
            too_large.add(sizes)


def _shrinking(
    seq_q: int, chosen: npt.NDArray[np.bool_], keys: int, block_kv: int
) -> Iterator[tuple[bool, dict[str, Any]]]:
    """The slice with all its keys, then with ever fewer of its selected blocks side by side."""
    here = {"seq_q": seq_q, "seq_kv": max(1, keys)}
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
