"""The rule of a claim: equal bits, or roundings of the output's dtype."""

import math

import pytest
import torch

from stimuli.properties import EQUAL, RELATIONS, Claim
from verification.dut import OutputSpec
from verification.properties import judge_relation
from verification.properties._rule import judge_claim

OUT = OutputSpec(name="out", dtype="input", dims=("b", "h", "row", "d"))
LSE = OutputSpec(name="lse", dtype="float32", kind="lse", dims=("b", "h", "row"))


def values(*shape):
    """Numbers of size 1 to 2 in FP16."""
    return (1.0 + torch.arange(math.prod(shape)) / math.prod(shape)).reshape(shape).half()


def judged(found, wanted, *, factor, spec=OUT, dtype="float16", size=None):
    """One claim judged."""
    claim = Claim(output=spec.name, call=2, found=found, wanted=wanted, factor=factor, size=size)
    return judge_claim(claim, spec, "some", name="name", dtype=dtype, blocks=(4, 4))


def test_equal_bits_allow_nothing():
    """The least change of one element fails, and is located."""
    wanted = values(1, 2, 8, 16)
    assert judged(wanted.clone(), wanted, factor=EQUAL).passed
    found = wanted.clone()
    found[0, 1, 5, 3] += 2.0**-10
    result = judged(found, wanted, factor=EQUAL)
    assert not result.passed
    assert result.ratio == math.inf
    assert result.location.text == "b=0 h=1 query block 1 row 5 (1 of 256 elements)"
    assert result.location.worst[0].index == (0, 1, 5, 3)
    assert "call 2 is off by" in result.checks[0].detail


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("factor", [EQUAL, 2.0])
def test_not_finite_is_never_within_a_limit(bad, factor):
    """NaN in both is no agreement, and Inf agrees with the same Inf only."""
    wanted = values(1, 1, 4, 8)
    found = wanted.clone()
    found[0, 0, 2, 1] = bad
    assert not judged(found, wanted, factor=factor).passed
    assert not judged(wanted, found, factor=factor).passed
    assert judged(found, found.clone(), factor=factor).passed == (not math.isnan(bad))


@pytest.mark.parametrize(("dtype", "floor"), [("float16", 2.0**-10), ("bfloat16", 2.0**-7)])
def test_rounding_limit(dtype, floor):
    """A relative error of a row below the floor passes, one above does not; the factor and the size widen it."""
    wanted = values(1, 1, 4, 64).double()
    near, far = wanted * (1 + 0.9 * floor), wanted * (1 + 1.2 * floor)
    assert judged(near, wanted, factor=1.0, dtype=dtype).passed
    assert not judged(far, wanted, factor=1.0, dtype=dtype).passed
    assert judged(far, wanted, factor=2.0, dtype=dtype).passed
    assert judged(far, wanted, factor=1.0, dtype=dtype, size=2 * wanted).passed


def test_lse_limit():
    """4 ulp of float32, of 1 at least; -inf agrees with -inf."""
    wanted = torch.tensor([[[-torch.inf, 0.0, 6.0]]], dtype=torch.float32)
    ulp = torch.tensor([[[0.0, 2.0**-23, 2.0**-21]]])
    assert judged(wanted + 3 * ulp, wanted, factor=1.0, spec=LSE).passed
    assert not judged(wanted + 6 * ulp, wanted, factor=1.0, spec=LSE).passed


def test_missing_output_breaks_the_relation():
    """A call that returned too little fails and does not raise."""
    out = {"out": values(1, 1, 4, 8)}
    results = judge_relation(RELATIONS["repeat"], [out, {}], [{}, {}], [OUT], dtype="float16")
    assert [result.passed for result in results] == [False]
    assert "call 2 returned no out" in results[0].checks[0].detail


def test_other_shape_breaks_the_relation():
    """Outputs that cannot be compared fail and do not raise."""
    first, other = {"out": values(1, 1, 4, 8)}, {"out": values(1, 1, 2, 8)}
    results = judge_relation(RELATIONS["repeat"], [first, other], [{}, {}], [OUT], dtype="float16")
    assert [result.passed for result in results] == [False]
    assert "the shape is [1, 1, 2, 8], not [1, 1, 4, 8]" in results[0].checks[0].detail
