"""Every rule has a call on each side of its boundary, and refuses exactly the one beyond it."""

from __future__ import annotations

import pickle

import pytest

from bsa.contract import PROFILES, RULES
from bsa.contract.operator import NAMES
from bsa.errors import INVALID, NULL, ContractError
from tests.bsa.contract.pairs import PAIRS

SIDES = [(rule, profile) for rule in PAIRS for profile in RULES[rule].profiles]


def test_every_rule_has_its_pair() -> None:
    """No rule is without calls on both sides, and no pair is without a rule."""
    assert set(PAIRS) == set(RULES)
    assert all(pair.legal and pair.illegal for pair in PAIRS.values())


@pytest.mark.parametrize(("rule", "profile"), SIDES)
def test_the_legal_side_is_accepted(rule: str, profile: str) -> None:
    """The profile lets the calls at the boundary pass."""
    pair = PAIRS[rule]
    assert [pair.refusal(make(), profile) for make in pair.legal] == [None] * len(pair.legal)


@pytest.mark.parametrize(("rule", "profile"), SIDES)
def test_the_illegal_side_is_refused_by_this_rule(rule: str, profile: str) -> None:
    """The error names the rule, the argument, its value, the legal range and the code."""
    pair = PAIRS[rule]
    for argument, make in pair.illegal:
        error = pair.refusal(make(), pair.illegal_profile or profile)
        assert error is not None, argument
        assert (error.rule, error.argument) == (rule, argument)
        assert error.code == (NULL if RULES[rule].null else INVALID)
        text = str(error)
        assert all(part in text for part in (argument, repr(error.value), error.legal, repr(rule), str(error.code)))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("rule", [rule for rule, pair in PAIRS.items() if pair.illegal_profile is None])
def test_an_error_says_what_the_other_profile_makes_of_the_call(rule: str, profile: str) -> None:
    """Its claim is that profile's own verdict on the same call."""
    other = "aclnn" if profile == "pypto" else "pypto"
    pair = PAIRS[rule]
    if pair.refusal.__name__ != "refusal" or profile not in RULES[rule].profiles:
        return
    for _, make in pair.illegal:
        mine, theirs = make().refusal(profile), make().refusal(other)
        assert mine is not None
        assert mine.other == other
        assert mine.other_rule == (theirs.rule if theirs else "")
        assert ("would accept it" in str(mine)) == (theirs is None)


@pytest.mark.parametrize("rule", [rule for rule, pair in PAIRS.items() if pair.forward])
def test_the_forward_call_has_the_same_rule(rule: str) -> None:
    """Bent in the same way, a forward call is refused by the same rule, under our argument's name."""
    ours = {theirs: mine for mine, theirs in NAMES.items()}
    for make in PAIRS[rule].legal:
        assert make().check_forward().heads_q >= 1
    for argument, make in PAIRS[rule].illegal:
        with pytest.raises(ContractError) as caught:
            make().check_forward()
        bare, bracket, index = argument.partition("[")
        assert (caught.value.rule, caught.value.profile) == (rule, "pypto")
        assert caught.value.argument == ours.get(bare, bare) + bracket + index
        assert caught.value.other == ""


def test_errors_survive_a_process_boundary() -> None:
    """A pickled error keeps its fields and its text."""
    for pair in PAIRS.values():
        error = pair.refusal(pair.illegal[0][1](), pair.illegal_profile or "aclnn")
        if error is not None:
            again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
            assert str(again) == str(error)
            assert vars(again) == vars(error)


def test_every_error_has_its_words_in_both_languages() -> None:
    """The Chinese text states the rule in Chinese, with the same argument, value and code."""
    for rule, pair in PAIRS.items():
        error = pair.refusal(pair.illegal[0][1](), pair.illegal_profile or "aclnn")
        if error is not None:
            chinese = error.text("zh")
            assert all(part in chinese for part in (error.argument, repr(error.value), rule, str(error.code)))
            assert "违反契约" in chinese
            assert error.text("en") == str(error) != chinese
