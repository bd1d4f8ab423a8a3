"""Which tagged lines ran: from the records of the kernels as they are now, per DUT."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.records import make_record
from verification.limits.ran import HOST, NOT_RUN, RAN, lines_of
from verification.limits.tags import Use
from verification.record import Measurement

SEEN = {"traced": "10-12", "helped": "", "compiled": "10-12", "arcs": "-9>10>12>-9", "arms": "", "compiled_arms": ""}
EXECUTED = {"bsa/kernels/forward.py": SEEN}
FLOW = {"default_loop_1": {"1": {"traced": "0", "compiled": "0", "executed": "0"}}}


def _use(line, path="/x/bsa/kernels/forward.py"):
    return Use(number=2, path=Path(path), line=line, function="", what="w")


def _lines(digest="now"):
    made = make_record("c", kernel_digest=digest, measurement=Measurement(executed=EXECUTED, control_flow=FLOW))
    one = replace(made, case={"dut": "bsa.forward"})
    return lines_of("run", [one], {"bsa.forward": "now", "bsa.backward": "now"})


@pytest.mark.parametrize(("line", "state"), [(10, RAN), (12, RAN), (11, NOT_RUN), (40, HOST)])
def test_state_of_a_line(line, state):
    """Executed; traced only; outside any kernel."""
    assert _lines()["bsa.forward"].state(_use(line)) == state


def test_other_files_say_nothing():
    """A file whose name only ends alike is another one."""
    lines = _lines()["bsa.forward"]
    assert lines.state(_use(10, "/x/bsa/config.py")) == HOST
    assert lines.state(_use(10, "/x/other_bsa/kernels/forward.py")) == HOST


def test_records_of_other_sources_and_other_duts_do_not_count():
    """Line numbers mean nothing in a file that has changed."""
    assert _lines("before") == {}
    assert set(_lines()) == {"bsa.forward"}
