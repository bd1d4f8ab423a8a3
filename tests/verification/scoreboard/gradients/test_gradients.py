"""Gradients whose answer cancels: a right kernel passes, a leak into rows without a gradient does not."""

from __future__ import annotations

import pytest
import torch

from stimuli.case import Case
from stimuli.stimulus import Stimulus
from verification.dut import References
from verification.duts._gradients import cancellation
from verification.duts.bsa_backward import DUT
from verification.scoreboard import judge

NAMES = {case.name: case for suite in DUT.suites() for case in suite.cases}


def _call(name: str) -> tuple[Case, Stimulus, References]:
    case = NAMES[name]
    stimulus = next(iter(DUT.stimuli(case)))
    return case, stimulus, DUT.references(stimulus)


def _passes(case: Case, found: dict[str, torch.Tensor], references: References) -> bool:
    dtype = str(case.params.get("dtype", "float16"))
    return all(result.passed for result in judge(found, references, DUT.outputs(case), dtype=dtype))


@pytest.mark.parametrize("name", ["field/F01 random V", "field/F07 random V"])
def test_a_rounding_error_where_one_key_cancels_passes(name: str) -> None:
    """DQ of a single key is zero; half the error that FP32 may leave is right."""
    case, _, references = _call(name)
    found = {key: tensor.clone() for key, tensor in references.same.items()}
    assert _passes(case, found, references)
    live = ~references.zeros["dq"]
    found["dq"][live] += 0.5 * references.noise["dq"]
    assert _passes(case, found, references)


def test_rounding_errors_of_many_query_rows_add_up() -> None:
    """DK of the one key of 384 query rows is zero; what a right kernel left there is more than one row may leave."""
    case, _, references = _call("pairwise/82")
    found = {key: tensor.clone() for key, tensor in references.same.items()}
    found["dk"][0, 0, 0, :32] = 0.001220703125
    assert _passes(case, found, references)
    found["dk"][0, 0, 0] = 100.0 * 0.001220703125
    assert not _passes(case, found, references)


def test_a_leak_into_a_row_that_selects_nothing_fails() -> None:
    """Its gradient is zero by definition."""
    case, _, references = _call("field/F04 no lengths")
    assert references.zeros["dq"].any()
    found = {key: tensor.clone() for key, tensor in references.same.items()}
    assert _passes(case, found, references)
    found["dq"][references.zeros["dq"]] = 2.0**-24
    assert not _passes(case, found, references)


def test_padding_does_not_widen_the_limit() -> None:
    """Rows of 1000 beyond the actual length are not looked at."""
    _, stimulus, references = _call("field/F04 no lengths")
    live, keys = ~references.zeros["dq"], ~references.zeros["dk"]
    tensors = {name: stimulus.tensors[name].clone() for name in ("query", "key", "dout")}
    out = stimulus.tensors["attention_out"].clone()
    scale = tensors["query"].shape[-1] ** -0.5
    before = cancellation(tensors, out, scale, query=live, key=keys)
    for tensor in (tensors["query"], tensors["dout"], out):
        tensor[~live] = 1e3
    assert cancellation(tensors, out, scale, query=live, key=keys) == before


def test_without_a_live_row_there_is_no_noise() -> None:
    """Nothing selects anything."""
    _, stimulus, references = _call("field/F04 no lengths")
    none = torch.zeros_like(references.zeros["dq"])
    keys = torch.zeros_like(references.zeros["dk"])
    out = stimulus.tensors["attention_out"]
    assert cancellation(stimulus.tensors, out, 1.0, query=none, key=keys) == {}
