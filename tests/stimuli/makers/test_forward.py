"""A forward stimulus has the tensors, shapes and contents that its parameters say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stimuli.attention import build_forward, make_forward
from stimuli.errors import StimulusError
from stimuli.parameters import FORWARD, FORWARD_DEFAULTS

SMALL: dict[str, Any] = {"seq_q": 40, "seq_kv": 70, "head_dim": 16, "block_shape": [16, 32]}


def test_defaults() -> None:
    """Without parameters: one head, 256 rows, FP16, everything selected."""
    made = make_forward({}, 0)
    assert list(made.tensors) == ["query", "key", "value", "block_sparse_mask"]
    assert all(made.tensors[name].shape == (1, 1, 256, 128) for name in ("query", "key", "value"))
    assert all(made.tensors[name].dtype == torch.float16 for name in ("query", "key", "value"))
    assert torch.equal(made.tensors["block_sparse_mask"], torch.ones(1, 1, 1, 1, dtype=torch.bool))
    assert made.arguments == {
        "block_shape": [256, 512],
        "actual_seq_lengths": None,
        "actual_seq_lengths_kv": None,
        "layout": "BNSD",
        "scale": None,
    }


def test_shapes() -> None:
    """Every size goes to its axis; the mask has a block for every started block."""
    made = make_forward({**SMALL, "batch": 2, "heads_q": 6, "heads_kv": 3, "dtype": "bfloat16", "scale": 0.5}, 0)
    assert made.tensors["query"].shape == (2, 6, 40, 16)
    assert made.tensors["key"].shape == made.tensors["value"].shape == (2, 3, 70, 16)
    assert made.tensors["block_sparse_mask"].shape == (2, 6, 3, 3)
    assert made.tensors["query"].dtype == torch.bfloat16
    assert made.arguments["scale"] == 0.5


def test_no_mask() -> None:
    """Mask ``none`` gives no mask tensor."""
    assert "block_sparse_mask" not in make_forward({**SMALL, "mask": "none"}, 0).tensors


def test_reduced_and_complete_parameters_agree() -> None:
    """Leaving a default out changes no byte."""
    complete = build_forward({**FORWARD_DEFAULTS, **SMALL}, 0)
    reduced = build_forward(SMALL, 0)
    assert all(complete.tensors[name].digest() == reduced.tensors[name].digest() for name in reduced.tensors)


def test_tensors_and_seeds_differ() -> None:
    """Query, key and value are independent, and so are seeds and heads."""
    made = make_forward({"heads_q": 2, "heads_kv": 2}, 0).tensors
    other = make_forward({"heads_q": 2, "heads_kv": 2}, 1).tensors
    seen = [made["query"][0, 0], made["query"][0, 1], made["key"][0, 0], made["value"][0, 0], other["query"][0, 0]]
    assert len({tuple(tensor.flatten()[:8].tolist()) for tensor in seen}) == 5


def test_padding_lies_beyond_the_lengths() -> None:
    """Query rows follow the query lengths, key and value rows the key lengths."""
    params = {**SMALL, "batch": 2, "lengths_q": [40, 7], "lengths_kv": [0, 70], "padding": "nan"}
    made = make_forward(params, 0)
    assert made.arguments["actual_seq_lengths"] == [40, 7]
    bad = {name: torch.isnan(made.tensors[name]).all(dim=-1)[:, 0].sum(dim=-1).tolist() for name in made.tensors}
    assert bad["query"] == [0, 33]
    assert bad["key"] == bad["value"] == [70, 0]


def test_packed() -> None:
    """TND: valid rows one after another, then the tail; the mask covers the longest sequence."""
    params = {**SMALL, "batch": 3, "heads_q": 2, "layout": "TND", "lengths_q": [5, 0, 33], "lengths_kv": [70, 1, 2]}
    made = make_forward({**params, "tail": 4, "padding": "inf"}, 0)
    assert made.tensors["query"].shape == (5 + 33 + 4, 2, 16)
    assert made.tensors["key"].shape == (70 + 1 + 2 + 4, 1, 16)
    assert made.tensors["block_sparse_mask"].shape == (3, 2, 3, 3)
    assert torch.isinf(made.tensors["query"][-4:]).all()
    assert torch.isfinite(made.tensors["query"][:-4]).all()


def test_packed_needs_lengths() -> None:
    """TND without lengths gives the full ones."""
    made = make_forward({**SMALL, "batch": 2, "layout": "TND"}, 0)
    assert made.arguments["actual_seq_lengths"] == [40, 40]
    assert made.arguments["actual_seq_lengths_kv"] == [70, 70]


@given(
    strides=st.sampled_from(["bsnd", "transposed", "offset", {"value": "bsnd", "query": "offset"}]),
    layout=st.sampled_from(["BNSD", "TND"]),
)
def test_strides_keep_shapes(strides: Any, layout: str) -> None:
    """A placement changes strides only."""
    params = {**SMALL, "heads_q": 2, "heads_kv": 2, "layout": layout}
    placed, plain = make_forward({**params, "strides": strides}, 0), make_forward(params, 0)
    assert all(placed.tensors[name].shape == plain.tensors[name].shape for name in plain.tensors)
    assert not placed.tensors["value"].is_contiguous()


def test_expanded_means_key_and_value() -> None:
    """``expanded`` leaves the query alone."""
    made = make_forward({**SMALL, "heads_q": 2, "heads_kv": 2, "strides": "expanded"}, 0).tensors
    assert made["key"].stride(1) == made["value"].stride(1) == 0
    assert made["query"].is_contiguous()


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("batch", 0),
        ("batch", True),
        ("seq_q", -1),
        ("block_shape", [16]),
        ("block_shape", [0, 16]),
        ("dtype", "float8"),
        ("mask", 3),
        ("mask", "checkerboard"),
        ("density", 1.5),
        ("lengths_q", 3),
        ("lengths_kv", "longest"),
        ("values", "hot"),
        ("padding", "garbage"),
        ("strides", "reversed"),
        ("strides", {"mask": "bsnd"}),
        ("tail", -1),
        ("scale", "big"),
        ("head_dimension", 64),
    ],
)
def test_wrong_parameter(argument: str, value: Any) -> None:
    """What no stimulus can be made from is refused by name."""
    with pytest.raises(StimulusError) as caught:
        make_forward({"lengths_q": [256], "lengths_kv": [256], argument: value}, 0)
    assert argument in caught.value.argument
    assert caught.value.legal


def test_density_without_a_draw() -> None:
    """A density that would have no effect is refused: it would give one stimulus two names."""
    with pytest.raises(StimulusError, match=r"density = 0\.5"):
        make_forward({"mask": "dense", "density": 0.5}, 0)


@pytest.mark.parametrize("params", [{"heads_q": 5, "heads_kv": 2}, {"lengths_q": [999]}, {"layout": "BSH"}])
def test_what_a_kernel_refuses_can_be_made(params: dict[str, Any]) -> None:
    """Makers judge no contract: cases about refusal need their inputs."""
    assert make_forward({**SMALL, **params}, 0).tensors["query"].shape[-1] == 16


def test_every_parameter_is_documented() -> None:
    """Each parameter says what it means and what is legal, once."""
    assert len({item.name for item in FORWARD}) == len(FORWARD)
    assert all(item.text and item.legal and item.accepts(item.default) for item in FORWARD)


def test_large_inputs_are_quick() -> None:
    """S4096 with 32 heads takes seconds of one processor, not minutes."""
    import time

    start = time.process_time()
    draft = build_forward({"heads_q": 32, "seq_q": 4096, "values": "normal"}, 0)
    assert draft.tensors["query"].storage.dtype == np.float16
    assert time.process_time() - start < 10
