"""How the inputs lie in memory does not matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stimuli.properties._relation import Claim, Outputs, Relation, same, varied
from stimuli.stimulus import MASK

if TYPE_CHECKING:
    import torch

    from stimuli.stimulus import Stimulus

MARGIN = 3
CALLS = 3
FLOATS = ("dout", "query", "key", "value", "attention_out")


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """Contiguous; the last two axes exchanged in memory; part of a larger storage with heads and tokens exchanged."""
    names = [name for name in FLOATS if name in base.tensors]
    yield varied(base, {name: tensor.contiguous() for name, tensor in base.tensors.items()})
    last = base.tensors["query"].ndim - 1
    yield varied(base, {name: _exchanged(base.tensors[name], last - 1, last) for name in names})
    exchanged = {name: base.tensors[name].transpose(last - 2, last - 1) for name in names}
    offset = {name: _within_larger(one).transpose(last - 2, last - 1) for name, one in exchanged.items()}
    if MASK in base.tensors:
        offset[MASK] = _exchanged(base.tensors[MASK], 2, 3)
    yield varied(base, offset)


def _exchanged(tensor: torch.Tensor, first: int, second: int) -> torch.Tensor:
    return tensor.transpose(first, second).contiguous().transpose(first, second)


def _within_larger(tensor: torch.Tensor) -> torch.Tensor:
    """The elements with NaN before them and between their rows."""
    shape = (*tensor.shape[:-2], tensor.shape[-2] + 1, tensor.shape[-1] + MARGIN)
    larger = tensor.new_full(shape, float("nan"))
    view = larger[..., 1:, MARGIN:]
    view.copy_(tensor)
    return view


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """Every call returns what the one with contiguous inputs did."""
    for call in range(2, CALLS + 1):
        yield from same(outputs, call)


RELATION = Relation(
    name="strided",
    text="views with exchanged axes, or into a larger storage, give what contiguous tensors give",
    limit="equal: the numbers and their order are the same",
    calls=CALLS,
    variants=variants,
    claims=claims,
)
