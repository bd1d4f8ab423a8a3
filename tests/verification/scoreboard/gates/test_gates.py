"""Gates: standards of others that a suite makes part of its verdict."""

from __future__ import annotations

import pytest
import torch

from tests.verification.scoreboard.made import Made, broken, check, made, made_lse
from verification.scoreboard.standards import NAMES


def _large() -> Made:
    """A right output of values around 3 with BF16's errors, which the published tolerance rejects."""
    output = made(dtype="bfloat16", scale=3.0)
    return output.with_found((output.gold * (1 + 2.0**-7)).to(torch.bfloat16).double().to(torch.bfloat16))


def test_the_published_gate_is_off_unless_asked_for() -> None:
    """Only the suite's gates judge."""
    assert "published" not in {one.rule for one in made().judged().checks}


def test_the_published_gate_passes_what_the_published_tolerance_passes() -> None:
    """1e-4 + 2^-7 |g|."""
    result = made().judged(gates=("published",))
    assert result.passed
    assert check(result, "published").ratio == next(one.ratio for one in result.standards if one.name == "seed")


def test_the_published_gate_fails_and_is_located() -> None:
    """One element that our rules pass and 1e-4 + 2^-7 |g| does not."""
    output = made()
    for tensor in (output.gold, output.same, output.found):
        tensor[0, 0, 0] = 100.0
        tensor[1, 2, 9, 4] = 0.01
    output.same[0, 0, 0, 0] += 0.5
    output.same[1, 2, 9, 4] += 5e-4
    found = output.copy()
    found[1, 2, 9, 4] += 5e-4
    result = output.with_found(found).judged(gates=("published",))
    assert broken(result) == {"published"}
    assert result.location is not None
    assert result.location.text == "b=1 h=2 row 9 (1 of 12288 elements)"
    assert result.location.worst[0].index == (1, 2, 9, 4)


@pytest.mark.parametrize(("error", "passes"), [(4e-6, True), (6e-6, False)])
def test_the_lse_gate_is_ten_times_tighter_than_the_published_error(error: float, passes: bool) -> None:
    """2e-6 + 2^-21 |LSE|: 5.3e-6 at 7, where the published error is 2e-5."""
    lse = made_lse()
    lse.gold[0, 0, 0] = 7.0
    lse.same[0, 0, 0] = 7.0 + 2e-5
    found = lse.copy()
    found[0, 0, 0] = 7.0 + error
    result = lse.with_found(found).judged(gates=("published",))
    assert check(result, "lse").passed
    assert check(result, "published").passed is passes


def test_any_standard_can_be_a_gate() -> None:
    """Its ratio becomes a check of its name."""
    result = _large().judged(gates=NAMES)
    assert {one.rule for one in result.checks} >= set(NAMES)
    for standard in result.standards:
        assert check(result, standard.name).passed == standard.passed
        assert check(result, standard.name).ratio == standard.ratio


def test_an_unknown_gate_is_refused() -> None:
    """The error lists what there is."""
    with pytest.raises(ValueError, match="gates: 'strict' is not one of published, seed, pypto-article"):
        made().judged(gates=("strict",))
