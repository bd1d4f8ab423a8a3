"""A backward stimulus is consistent: O and LSE are those of its own query, key, value and mask."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bsa.reference import backward_oracle, forward_oracle
from stimuli.attention import make_forward
from stimuli.backward import ORDER, backward_steps, make_backward, make_chain
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.programs import MASK
from stimuli.stimulus import Stimulus

SMALL: dict[str, Any] = {"seq_q": 40, "seq_kv": 70, "head_dim": 16, "block_shape": [16, 32], "density": 0.5}


def arguments(stimulus: Stimulus) -> dict[str, Any]:
    """A call's arguments as keywords of the references."""
    return {**stimulus.arguments, "block_shape": tuple(stimulus.arguments["block_shape"])}


def oracle(stimulus: Stimulus) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and log-sum-exp in float64."""
    tensors = stimulus.tensors
    operands = (tensors["query"], tensors["key"], tensors["value"], tensors.get(MASK))
    return tuple(forward_oracle(*operands, **arguments(stimulus)))


def gradients(stimulus: Stimulus) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The formula in float64."""
    tensors = [stimulus.tensors.get(name) for name in ORDER]
    return tuple(backward_oracle(*tensors, **arguments(stimulus)))  # type: ignore[arg-type]


@given(
    layout=st.sampled_from(["BNSD", "TND"]),
    dtype=st.sampled_from(["float16", "bfloat16"]),
    lengths=st.sampled_from(["full", "shorter", "mixed", "zero"]),
    mask=st.sampled_from(["random", "empty_rows", "unattended"]),
)
@settings(max_examples=25)
def test_forward_results(layout: str, dtype: str, lengths: str, mask: str) -> None:
    """attention_out and softmax_lse are the oracle's, rounded once."""
    params = {**SMALL, "batch": 3, "heads_q": 2, "layout": layout, "dtype": dtype, "mask": mask}
    made = make_backward({**params, "lengths_q": lengths, "lengths_kv": lengths}, 0)
    output, lse = oracle(made)
    rounded = torch.from_numpy(output.numpy().astype("float16" if dtype == "float16" else "float32"))
    assert torch.equal(made.tensors["attention_out"], rounded.to(made.tensors["query"].dtype))
    assert torch.equal(made.tensors["softmax_lse"], lse.to(torch.float32))


def test_order() -> None:
    """Tensors come in the order of the operator's signature."""
    assert tuple(make_backward(SMALL, 0).tensors) == ORDER
    assert tuple(make_backward({**SMALL, "mask": "none", "density": 1.0}, 0).tensors) == ORDER[:-1]


@pytest.mark.parametrize(
    ("layout", "form", "shape"),
    [
        ("BNSD", "plain", (2, 3, 40)),
        ("BNSD", "column", (2, 3, 40, 1)),
        ("TND", "plain", (80, 3)),
        ("TND", "column", (80, 3, 1)),
    ],
)
def test_lse_forms(layout: str, form: str, shape: tuple[int, ...]) -> None:
    """softmax_lse has one axis less than query, or a last axis of size 1."""
    made = make_backward({**SMALL, "batch": 2, "heads_q": 3, "layout": layout, "lse_form": form}, 0)
    assert made.tensors["softmax_lse"].shape == shape
    assert made.tensors["softmax_lse"].dtype == torch.float32


@pytest.mark.parametrize("padding", ["large", "inf", "nan"])
def test_poison_everywhere(padding: str) -> None:
    """Beyond the lengths all tensors are poisoned, and the gradients of valid rows do not change."""
    params = {**SMALL, "mask": "block_causal", "density": 1.0, "lengths_q": [7], "lengths_kv": [50]}
    params |= {"values": "constant:0.5", "dout": "constant:2"}
    made, clean = make_backward({**params, "padding": padding}, 0), make_backward(params, 0)
    for name in ("dout", "query", "attention_out"):
        assert not torch.equal(made.tensors[name][:, :, 7:], clean.tensors[name][:, :, 7:])
        assert torch.equal(made.tensors[name][:, :, :7], clean.tensors[name][:, :, :7])
    assert not torch.isneginf(made.tensors["softmax_lse"][:, :, 7:]).any()
    assert torch.equal(made.tensors["softmax_lse"][:, :, :7], clean.tensors["softmax_lse"][:, :, :7])
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(gradients(made), gradients(clean), strict=True))


def test_strides_of_every_operand() -> None:
    """A placement may name dout and attention_out too."""
    strided = {"dout": "transposed", "attention_out": "bsnd"}
    made = make_backward({**SMALL, "heads_q": 2, "strides": strided}, 0).tensors
    assert made["dout"].stride(-1) == 40
    assert made["attention_out"].stride(1) == 16
    assert made["query"].is_contiguous()


def test_same_bytes_as_forward() -> None:
    """Query, key, value and mask are those of the forward case with the same parameters."""
    forward, chain, backward = (make(SMALL, 3).tensors for make in (make_forward, make_chain, make_backward))
    assert all(torch.equal(forward[name], chain[name]) for name in forward)
    assert all(torch.equal(chain[name], backward[name]) for name in chain)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_zero_gradients(dtype: str) -> None:
    """Where the fact ``zero`` names a gradient, the formula gives exactly zero."""
    params = {"batch": 2, "heads_q": 4, "seq_kv": 1, "dtype": dtype, "values": {"value": "integers:3"}}
    made = make_backward({**params, "dout": "constant:1"}, 0)
    assert made.facts["zero"] == ["dq", "dk"]
    dq, dk, dv = gradients(made)
    assert not dq.any()
    assert not dk.any()
    assert dv.any()
    assert make_backward({**params, "dout": "normal"}, 0).facts["zero"] == []
    assert make_backward({**params, "seq_kv": 2, "dout": "constant:1"}, 0).facts["zero"] == []


@pytest.mark.parametrize("kind", ["edit_mask", "replace_mask"])
def test_edited_mask(kind: str) -> None:
    """After the mask changed, O and LSE are those of the new mask."""
    case = Case(dut="bsa.backward", params={**SMALL, "seq_kv": 160}, program={"kind": kind})
    seen = []
    for made in backward_steps(case):
        _, lse = oracle(made)
        assert torch.equal(made.tensors["softmax_lse"], lse.to(torch.float32))
        seen.append(lse)
    assert len(seen) == 2
    assert not torch.equal(seen[0], seen[1])


def test_replaced_mask_was_freed() -> None:
    """Nothing keeps the first mask alive when the second one is allocated."""
    case = Case(dut="bsa.backward", params={**SMALL, "seq_kv": 160}, program={"kind": "replace_mask"})
    program = backward_steps(case)
    first = next(program)
    second = next(program)
    assert MASK not in first.tensors
    assert MASK in second.tensors


def test_repeat_computes_once() -> None:
    """Repeated calls get the very same tensors."""
    case = Case(dut="bsa.backward", params=SMALL, program={"kind": "repeat", "times": 3})
    made = list(backward_steps(case))
    assert len(made) == 3
    assert all(call.tensors["softmax_lse"] is made[0].tensors["softmax_lse"] for call in made)


def test_contradictory_arguments_can_be_made() -> None:
    """A case about refusal gets zeros for O and LSE."""
    made = make_backward({**SMALL, "heads_q": 5, "heads_kv": 2}, 0)
    assert made.tensors["attention_out"].shape == (1, 5, 40, 16)
    assert not made.tensors["softmax_lse"].any()


@pytest.mark.parametrize(("argument", "value"), [("dout", "hot"), ("dout", 3), ("lse_form", "row")])
def test_wrong_parameter(argument: str, value: Any) -> None:
    """The parameters that backward adds are refused by name too."""
    with pytest.raises(StimulusError) as caught:
        make_backward({**SMALL, argument: value}, 0)
    assert caught.value.argument == argument
