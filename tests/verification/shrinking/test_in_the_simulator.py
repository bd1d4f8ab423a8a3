"""Planted failures of the real kernel become minimal, in one warm parent."""

import pytest

from stimuli.case import Case
from tests.support.attempts import attempt_entry
from verification.backends import open_backend
from verification.plan import PlanEntry
from verification.shrinking import shrink, signature

LARGE = {"batch": 2, "heads_q": 4, "heads_kv": 2, "seq_q": 130, "seq_kv": 200, "block_shape": [64, 64], "density": 0.6}
MINIMAL = {
    "tail-block-lost": {"batch": 1, "heads_q": 1, "heads_kv": 1, "seq_q": 1, "seq_kv": 1},
    "wrong-group": {"batch": 1, "heads_q": 4, "heads_kv": 2, "seq_q": 1, "seq_kv": 1},
    "keys-of-batch-0": {"batch": 2, "heads_q": 1, "heads_kv": 1, "seq_q": 1, "seq_kv": 1},
}


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


@pytest.mark.nightly
@pytest.mark.parametrize("fault", MINIMAL)
def test_planted_failures_become_minimal(backend, tmp_path, fault):
    """A lost tail block, a wrong head map, keys of the first batch: what is left is what the fault needs."""

    def attempt(case):
        return attempt_entry(backend, tmp_path, PlanEntry(case=case, suites=()), fault=fault)

    case = Case(dut="bsa.forward", params=LARGE)
    first = attempt(case)
    assert first.verdict == "FAIL"
    found = shrink(case, first, attempt, attempts=60)
    sizes = {"batch": 1, "heads_q": 1, "heads_kv": 1, **found.case.params}
    assert {name: sizes[name] for name in MINIMAL[fault]} == MINIMAL[fault]
    assert signature(found.record) == signature(first)
