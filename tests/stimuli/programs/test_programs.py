"""Programs: the calls of a case, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis.extra import numpy as stn

from stimuli.attention import make_forward
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.programs import other_mask, steps
from stimuli.stimulus import MASK, Stimulus

PARAMS = {"seq_q": 64, "seq_kv": 128, "head_dim": 16, "block_shape": [16, 16], "density": 0.5}


def calls(program: dict[str, Any], **params: Any) -> Iterator[Stimulus]:
    """The calls of a small case."""
    return steps(Case(dut="bsa.forward", params={**PARAMS, **params}, program=program), make_forward)


def test_once() -> None:
    """One call with what the maker made."""
    (only,) = calls({"kind": "once"})
    assert torch.equal(only.tensors["query"], make_forward(PARAMS, 0).tensors["query"])


def test_repeat() -> None:
    """The same tensors, as often as asked."""
    made = list(calls({"kind": "repeat", "times": 3}))
    assert len(made) == 3
    assert all(call.tensors["query"] is made[0].tensors["query"] for call in made)
    assert len(list(calls({"kind": "repeat"}))) == 2


def test_edit_mask() -> None:
    """The second call has the same mask object with other contents."""
    program = calls({"kind": "edit_mask"})
    first = next(program)
    mask = first.tensors[MASK]
    before = mask.clone()
    second = next(program)
    assert second.tensors[MASK] is mask
    assert (mask != before).any(dim=-1).all()
    assert next(program, None) is None


def test_replace_mask() -> None:
    """The second call has another mask of the same size, in memory that the first one gave back."""
    program = calls({"kind": "replace_mask"})
    first = next(program)
    before = first.tensors[MASK].clone()
    second = next(program)
    assert MASK not in first.tensors
    assert second.tensors[MASK].shape == before.shape
    assert (second.tensors[MASK] != before).any(dim=-1).all()
    assert second.tensors["query"] is first.tensors["query"]
    assert second.facts["mask_at_same_address"] in (True, False)


@pytest.mark.parametrize("kind", ["edit_mask", "replace_mask"])
def test_two_runs_agree(kind: str) -> None:
    """The oracle's run of a program sees the same masks as the DUT's."""
    one = [call.tensors[MASK].clone() for call in calls({"kind": kind})]
    two = [call.tensors[MASK].clone() for call in calls({"kind": kind})]
    assert all(torch.equal(left, right) for left, right in zip(one, two, strict=True))


@given(mask=stn.arrays(np.bool_, stn.array_shapes(min_dims=4, max_dims=4, max_side=5)))
def test_other_mask(mask: np.ndarray) -> None:
    """Every query block changes; none is emptied where there is a choice."""
    other = other_mask(mask)
    assert (other != mask).any(axis=-1).all()
    assert other.any(axis=-1).all() or mask.shape[-1] == 1
    assert not np.shares_memory(other, mask)


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        ({"kind": "twice"}, "program.kind"),
        ({"kind": "repeat", "times": 0}, "program.times"),
        ({"kind": "repeat", "times": True}, "program.times"),
        ({"kind": "once", "times": 2}, "program.times"),
    ],
)
def test_wrong_program(program: dict[str, Any], argument: str) -> None:
    """An unknown program or option is refused by name."""
    with pytest.raises(StimulusError) as caught:
        list(calls(program))
    assert caught.value.argument == argument


@pytest.mark.parametrize("kind", ["edit_mask", "replace_mask"])
def test_no_mask_to_edit(kind: str) -> None:
    """A program about masks needs one."""
    with pytest.raises(StimulusError, match="there is no mask"):
        list(calls({"kind": kind}, mask="none", density=1.0))
