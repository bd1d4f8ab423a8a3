"""A batch alone gives what it gives among others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from stimuli.errors import StimulusError
from stimuli.properties._relation import RELATION as FACT
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import KEY_INPUTS, QUERY_INPUTS, QUERY_OUTPUTS, lengths, packed, starts
from stimuli.stimulus import MASK, Stimulus

if TYPE_CHECKING:
    import torch

NAME = "batch-slice"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """All batches, then the last alone.

    Raises:
        StimulusError: there is one batch only.
    """
    batches = len(lengths(base, "q"))
    if batches < 2:
        raise StimulusError(argument="batch", value=batches, legal=f"an integer from 2, with the relation {NAME!r}")
    yield varied(base)
    yield one_batch(base, batches - 1)


def one_batch(base: Stimulus, batch: int) -> Stimulus:
    """One batch of a stimulus.

    Args:
        base: the stimulus.
        batch: its number.

    Returns:
        A stimulus of that batch; its fact says where its rows lie in ``base``: {"q": …, "kv": …}, each a pair (axis,
        slice).
    """
    where = {side: _place(base, side, batch) for side in ("q", "kv")}
    sides = {**dict.fromkeys(QUERY_INPUTS, "q"), **dict.fromkeys(KEY_INPUTS, "kv")}
    tensors = {name: cut(base.tensors[name], where[side]) for name, side in sides.items() if name in base.tensors}
    actual = {side: lengths(base, side)[batch] for side in ("q", "kv")}
    if MASK in base.tensors:
        mask = base.tensors[MASK][batch : batch + 1]
        if packed(base):
            rows, columns = (
                ceil(max(1, actual[s]) / b) for s, b in zip(actual, base.arguments["block_shape"], strict=True)
            )
            mask = mask[:, :, :rows, :columns]
        tensors[MASK] = mask
    names = {"q": "actual_seq_lengths", "kv": "actual_seq_lengths_kv"}
    arguments = {name: [actual[side]] for side, name in names.items() if base.arguments[name] is not None}
    return varied(base, tensors, arguments=arguments, remember=where)


def _place(base: Stimulus, side: str, batch: int) -> tuple[int, int, int]:
    """Axis, first and last + 1 of a batch in tensors of one side."""
    if not packed(base):
        return 0, batch, batch + 1
    start = starts(base, side)[batch]
    return 0, start, start + lengths(base, side)[batch]


def cut(tensor: torch.Tensor, where: tuple[int, int, int]) -> torch.Tensor:
    """A part of a tensor along one axis, given as (axis, first, last + 1)."""
    axis, start, stop = where
    return tensor.narrow(axis, start, stop - start)


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """The batch alone is its part of all."""
    for name, found in outputs[1].items():
        where = facts[1][FACT]["q" if name in QUERY_OUTPUTS else "kv"]
        yield Claim(output=name, call=2, found=found, wanted=cut(outputs[0][name], where), factor=1.0)


RELATION = Relation(
    name=NAME,
    text="the last batch alone gives what it gives among others",
    limit="one rounding of the output: a kernel may divide a row's keys otherwise when there are fewer batches",
    calls=2,
    variants=variants,
    claims=claims,
)
