"""Where slices are: (batch, head, query block), spread over those in which a mask selects something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, gcd
from typing import Any

import numpy as np
import numpy.typing as npt

Place = tuple[int, int, int]
_Mask = npt.NDArray[np.bool_]
_GOLDEN = 0.618
"""A step of this share of all places lands evenly, however many steps are taken."""


@dataclass(frozen=True, kw_only=True)
class Places:
    """The query blocks of a call that have a row.

    Attributes:
        total: how many, of all batches and heads.
        selecting: in how many of them the mask selects a block that has a key.
        chosen: bool [B, Hq, blocks_q]: those that slices are made of: the selecting ones, all if there is none.
    """

    total: int
    selecting: int
    chosen: _Mask

    @classmethod
    def of(
        cls,
        full: Mapping[str, Any],
        mask: _Mask | None,
        lengths_q: Sequence[int] | None,
        lengths_kv: Sequence[int] | None,
    ) -> Places:
        """The places of a call.

        Args:
            full: its parameters, defaults included.
            mask: bool [B, Hq, blocks_q, blocks_kv]; None = every block.
            lengths_q: rows of each batch; None = all.
            lengths_kv: keys of each batch; None = all.
        """
        rows = _blocks(lengths_q or [full["seq_q"]] * full["batch"], full["block_shape"][0])
        keys = _blocks(lengths_kv or [full["seq_kv"]] * full["batch"], full["block_shape"][1])
        within = (np.arange(rows.max()) < rows[:, None])[:, None, :].repeat(full["heads_q"], axis=1)
        columns = (np.arange(keys.max()) < keys[:, None])[:, None, None, :]
        if mask is None:
            selecting = within & columns.any(axis=-1)
        else:
            selecting = within & (mask[:, :, : within.shape[2], : columns.shape[3]] & columns).any(axis=-1)
        count = int(selecting.sum())
        return cls(total=int(within.sum()), selecting=count, chosen=selecting if count else within)

    def spread(self) -> Iterator[Place]:
        """Every chosen place once, always in one order.

        Batches take turns; of each come the first, the last, then the rest in even steps around.
        """
        turns = [_of_batch(batch, one) for batch, one in enumerate(self.chosen) if one.any()]
        while turns:
            left = []
            for turn in turns:
                if (place := next(turn, None)) is not None:
                    yield place
                    left.append(turn)
            turns = left


def _blocks(lengths: Sequence[int], size: int) -> npt.NDArray[np.int64]:
    return np.array([ceil(one / size) for one in lengths], dtype=np.int64)


def _of_batch(batch: int, chosen: _Mask) -> Iterator[Place]:
    found = np.flatnonzero(chosen)
    for at in _order(len(found)):
        head, block = divmod(int(found[at]), chosen.shape[1])
        yield batch, head, block


def _order(count: int) -> Iterator[int]:
    """0, ``count`` - 1, then every other number below ``count``."""
    step = next(one for one in range(max(1, round(count * _GOLDEN)), 2 * count + 1) if gcd(one, count) == 1)
    yield 0
    if count > 1:
        yield count - 1
    for turn in range(1, count):
        if (at := turn * step % count) != count - 1:
            yield at
