"""The signature of a failure does not depend on sizes, and tells kinds of failures apart."""

import math

from tests.verification.shrinking.emulated import forward_case, record_of
from verification.record import CRASH, FAIL, Check, OutputResult
from verification.shrinking import signature

CASE = forward_case()


def output(name, rule):
    """One failed output."""
    check = Check(rule=rule, passed=False, value=1.0, limit=0.0, ratio=math.inf)
    return OutputResult(name=name, shape=(), dtype="float16", passed=False, max_error=1.0, checks=(check,))


def test_rules_about_numbers_are_one():
    """A number that is off is off, whichever rule notices; the call does not matter."""
    found = {
        signature(record_of(CASE, [output(*one)])) for one in (("out", "row"), ("out", "maximum"), ("out@2", "lse"))
    }
    assert found == {(FAIL, "out", "value")}


def test_kinds_are_told_apart():
    """Another output, NaN, a relation, a refusal and a signal are other failures."""
    records = [
        record_of(CASE, [output("out", "row")]),
        record_of(CASE, [output("lse", "lse")]),
        record_of(CASE, [output("out", "structure")]),
        record_of(CASE, [output("out~repeat@2", "relation:repeat")]),
        record_of(CASE, verdict=FAIL, reason="raised KernelError: a"),
        record_of(CASE, verdict=FAIL, reason="raised ValueError: a"),
        record_of(CASE, verdict=CRASH),
    ]
    assert len({signature(record) for record in records}) == len(records)
