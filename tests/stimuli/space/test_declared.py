"""The spaces mean what they declare: bins are made and seen alike, and the contract refuses what is called illegal."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import bsa
from bsa.contract import RULES, check_forward
from stimuli.attention import make_forward
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE, Space
from stimuli.space.axis import IGNORED, ILLEGAL
from stimuli.space.frozen import assignments
from stimuli.space.search import has_completion
from stimuli.space.soak import soak
from stimuli.space.tables import Tables

SPACES = pytest.mark.parametrize("space", [FORWARD_SPACE, BACKWARD_SPACE], ids=lambda space: space.name)
ILLEGAL_RULES = [rule for rule in FORWARD_SPACE.rules if rule.kind == ILLEGAL]


@SPACES
def test_what_is_made_lies_in_its_bins(space: Space) -> None:
    """Reading the parameters of a case gives back the bins that it was made of."""
    tables, rows = soak(space, 400)
    for assignment in [*assignments(space, 2), *map(tables.assignment, rows)]:
        assert space.observe(space.case("dut", assignment).params) == assignment


@SPACES
def test_rules_speak_of_axes_and_bins_that_exist(space: Space) -> None:
    """A mistyped bin would exclude nothing without a word."""
    known = {axis.name: set(axis.names) for axis in space.axes}
    for rule in space.rules:
        assert rule.reason
        assert all(set(bins) <= known[axis] for axis, bins in rule.where.items())


@SPACES
def test_default_bins_are_the_frozen_defaults_but_for_sizes(space: Space) -> None:
    """The first bins leave every parameter but one at its default: one key block of the default shape has 512 rows."""
    assert space.case("dut", space.defaults()).params == {"seq_kv": 512}


@pytest.mark.parametrize("rule", ILLEGAL_RULES, ids=lambda rule: f"{rule.reason} {sorted(rule.where)}")
def test_the_contract_refuses_what_is_illegal(rule: Any) -> None:
    """A call that is otherwise legal is refused by the rule that the space names."""
    assert rule.reason in RULES
    others = tuple(one for one in FORWARD_SPACE.rules if one.reason != rule.reason and one.kind == ILLEGAL)
    tables = Tables(FORWARD_SPACE, run_mode=None, kinds=())
    (start,) = tables.rows([{axis: bins[0] for axis, bins in rule.where.items()}])
    row = has_completion(tables, start)
    assert row is not None
    assignment = {**FORWARD_SPACE.defaults(), **{axis: bins[0] for axis, bins in rule.where.items()}}
    if assignment["layout"] == "TND":
        assignment = {"lengths_q": "full", "lengths_kv": "full", **assignment}
        assignment |= {side: "full" for side in ("lengths_q", "lengths_kv") if side not in rule.where}
    assert not any(one.excludes(assignment) for one in others)
    params = FORWARD_SPACE.build(assignment)
    made = make_forward(params, 0)
    arguments = dict(made.arguments)
    for side, argument in (("lengths_q", "actual_seq_lengths"), ("lengths_kv", "actual_seq_lengths_kv")):
        if assignment[side] == "none":
            arguments[argument] = None
    tensors = [made.tensors[name] for name in ("query", "key", "value")]
    with pytest.raises(bsa.ContractError) as caught:
        _call(tensors, made.tensors.get("block_sparse_mask"), arguments)
    assert caught.value.rule == rule.reason


def _call(tensors: list[torch.Tensor], mask: torch.Tensor | None, arguments: dict[str, Any]) -> None:
    shape = tuple(arguments.pop("block_shape"))
    check_forward(*tensors, mask, block_shape=shape, **arguments, num_key_value_heads=None, run_mode="sim")


@SPACES
def test_every_rule_says_something_on_its_own(space: Space) -> None:
    """No assignment is excluded twice by equal rules."""
    seen = [(rule.kind, sorted(rule.where.items())) for rule in space.rules if rule.kind in (ILLEGAL, IGNORED)]
    assert all(seen.count(one) == 1 for one in seen)
