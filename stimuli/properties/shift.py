"""The softmax does not see what all logits of a row have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stimuli.errors import StimulusError
from stimuli.properties._relation import RELATION as FACT
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.stimulus import Stimulus

if TYPE_CHECKING:
    import torch

NAME = "shift"
BITS_OF = {"torch.float16": 11, "torch.bfloat16": 8}
"""Significands: what can be added without rounding."""


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:
    """Keys made exact to add to, then with the option ``by`` added to every channel of every key.

    The logits of a query q grow by scale * by * sum(q), all alike.

    Raises:
        StimulusError: ``by`` is not a number from 1 to 64 in size.
    """
    by = options["by"]
    if not isinstance(by, int | float) or isinstance(by, bool) or not 1 <= abs(by) <= 64:
        raise StimulusError(argument="program.by", value=by, legal="a number from 1 to 64, or its negative")
    query, key = base.tensors["query"], base.tensors["key"]
    step = 2.0 ** (math.ceil(math.log2(abs(by) + 1)) - BITS_OF[str(key.dtype)])
    plain = (key.float().clamp(-1.0, 1.0) / step).round().mul(step)
    scale = base.arguments["scale"]
    shift = query.double().sum(dim=-1) * by * (query.shape[-1] ** -0.5 if scale is None else scale)
    yield _with(base, plain, shift=0.0 * shift, by=by)
    yield _with(base, plain + by, shift=shift, by=by)


def _with(base: Stimulus, key: torch.Tensor, *, shift: torch.Tensor, by: float) -> Stimulus:
    """The stimulus with these keys, and with the log-sum-exp that belongs to them if it has one."""
    tensors = {"key": key.to(base.tensors["key"].dtype)}
    if "softmax_lse" in base.tensors:
        lse = base.tensors["softmax_lse"]
        tensors["softmax_lse"] = (lse.double() + shift.view(lse.shape)).float()
    return varied(base, tensors, remember={"shift": shift, "by": abs(by)})


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """The LSE has moved by the shift, nothing else has."""
    remembered = facts[1][FACT]
    for name, found in outputs[1].items():
        wanted = outputs[0][name]
        if name == "lse":
            moved = wanted.double() + remembered["shift"]
            size = wanted.double().abs() + remembered["shift"].abs()
            yield Claim(output=name, call=2, found=found, wanted=moved, factor=2.0, size=size)
            continue
        factor = 1.0 + 2.0 * remembered["by"] if name == "dq" else 1.0
        yield Claim(output=name, call=2, found=found, wanted=wanted, factor=factor)


RELATION = Relation(
    name=NAME,
    text="the same number added to every channel of every key: LSE moves by scale * number * sum(q), nothing else",
    limit="one rounding of the output; 1 + 2 |number| of dQ, which sums rounded dS times keys larger by the number",
    calls=2,
    variants=variants,
    claims=claims,
    options={"by": 1},
)
