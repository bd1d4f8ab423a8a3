"""Every case in sim is recorded, replayed, compared with PyPTO's account and sanitized; each can fail it."""

import dataclasses
from pathlib import Path

import pytest
import toy_dut

from tests.support.attempts import attempt
from verification.backends import open_backend
from verification.backends.observation import RAISED, Raised
from verification.backends.sim import measure
from verification.dut import find_duts
from verification.engine import decide
from verification.plan import Budget
from verification.sanitizer import Finding
from verification.selection import find_case
from verification.shadow import Disagreement

FINDING = Finding(
    kind="written-twice",
    file="pack/kernel.py",
    line=12,
    indices=(("u", 3),),
    tensor="out",
    region="[0:32, 0:64]",
    facts={"before": "kernel.py:11", "then": "u=2", "loop": ""},
)


def toy_kernel_file():
    """The toy's kernel; it cannot be imported here, where PyPTO is not loaded."""
    return Path(toy_dut.__file__).with_name("toy_kernel.py")


class Altered:
    """A backend that returns what another one saw, with another measurement."""

    name, synthetic = "sim", False

    def __init__(self, seen, **changes):
        self._seen = dataclasses.replace(seen, measurement=dataclasses.replace(seen.measurement, **changes))

    def run(self, case, dut, call, budget):
        return self._seen

    def finish(self, keep):
        pass


class Kept:
    """A backend that keeps what was seen last."""

    def __init__(self, backend):
        self._backend = backend

    def __getattr__(self, name):
        return getattr(self._backend, name)

    def run(self, *args):
        self.seen = self._backend.run(*args)
        return self.seen


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield Kept(opened)
    opened.close()


@pytest.fixture(scope="module")
def toy(backend, tmp_path_factory):
    """The record of a right case, and what the backend saw."""
    return attempt(backend, tmp_path_factory.mktemp("run"), "toy.double", "rows 128"), backend.seen


def test_record_holds_executed_lines_and_trips(toy):
    record, _ = toy
    assert record.verdict == "PASS", record.reason
    file = next(name for name in record.measurement.executed if name.endswith("toy_kernel.py"))
    assert not Path(file).is_absolute()
    kernel = record.measurement.executed[file]
    at = 1 + toy_kernel_file().read_text(encoding="utf-8").splitlines().index("@pypto.frontend.jit")
    assert kernel == {
        "traced": f"{at + 2}-{at + 5}",
        "helped": "",
        "compiled": f"{at + 2}-{at + 5}",
        "arcs": f"-{at}>{at + 2}>{at + 3}>-{at}, {at + 3}>{at + 4}>{at + 5}>{at + 3}",
        "arms": f"{at + 3}>-{at}, {at + 3}>{at + 4}",
        "compiled_arms": f"{at + 3}>-{at}, {at + 3}>{at + 4}",
    }
    assert record.measurement.trips == {"ROWS": [2]}
    assert record.measurement.control_flow == {
        loop: {"1": {"traced": "0", "compiled": "0", "executed": "0"}} for loop in ("ROWS", "default_loop_1")
    }
    assert {"integrity:replay", "integrity:sanitizer"} <= {check.rule for check in record.integrity}
    assert type(record).from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("dut", "name"), [("bsa.forward", "smoke/tails"), ("bsa.backward", "smoke/batches of mixed lengths")]
)
def test_our_kernels_have_no_finding(backend, tmp_path, dut, name):
    record = attempt(backend, tmp_path, dut, name)
    assert record.verdict == "PASS", record.reason
    assert (record.measurement.findings, record.measurement.not_replayed) == ((), "")
    assert all(file.startswith("bsa/kernels/") for file in record.measurement.executed)


def test_disagreement_is_a_failure_that_says_it_is_ours(backend, tmp_path, monkeypatch):
    found = Disagreement(call=1, replayed="TENSOR_A", ran="TENSOR_B")
    monkeypatch.setattr(measure, "crosscheck", lambda roots, launch: found)
    record = attempt(backend, tmp_path, "toy.double", "rows 64")
    assert record.verdict == "FAIL"
    assert record.reason.startswith("integrity:replay: this environment's replay is wrong")
    assert "call 1: replayed TENSOR_A, PyPTO ran TENSOR_B" in record.reason


def test_finding_fails_a_case_with_right_numbers(toy, tmp_path):
    altered = Altered(toy[1], findings=(FINDING.to_json(),))
    record = attempt(altered, tmp_path, "toy.double", "rows 128")
    assert record.verdict == "FAIL"
    assert record.reason.startswith("integrity:sanitizer: pack/kernel.py:12 [u=3]: out[0:32, 0:64] is written again")


def test_finding_stands_before_the_error_that_it_explains(toy):
    """PyPTO ends the launch of a kernel that reads what was never written with FB100E and no hint."""
    seen = dataclasses.replace(
        toy[1],
        ended=RAISED,
        error=Raised(kind="KernelError", message="kernel 'total' failed: Errcode: FB100E!"),
        measurement=dataclasses.replace(toy[1].measurement, findings=(FINDING.to_json(),)),
    )
    case = find_case(find_duts(), "toy.double:rows 128").case
    verdict, reason = decide(case, seen, (), (), Budget(seconds=1.0, bytes=1))
    assert verdict == "FAIL"
    assert reason.startswith("integrity:sanitizer: pack/kernel.py:12 [u=3]: out[0:32, 0:64] is written again")
    assert reason.endswith("(raised KernelError: kernel 'total' failed: Errcode: FB100E!)")


def test_finding_with_a_reason_at_its_line_does_not(toy, tmp_path):
    excused = dataclasses.replace(FINDING, excuse="the second pass overwrites on purpose")
    record = attempt(Altered(toy[1], findings=(excused.to_json(),)), tmp_path, "toy.double", "rows 128")
    assert record.verdict == "PASS", record.reason
    assert record.measurement.findings[0]["excuse"] == "the second pass overwrites on purpose"
