"""Field case F16: "kernels" that do not compute anything right must fail, each by the rule that is meant for it."""

import pytest
import torch

from stimuli.case import Case
from tests.support.attempts import attempt_entry
from verification.backends.observation import RETURNED, Observation, Returned
from verification.plan import PlanEntry
from verification.record import FAIL, PASS, Measurement
from verification.scoreboard import digests

CASE = Case(dut="bsa.forward", params={"batch": 2, "seq_q": 32, "seq_kv": 48, "block_shape": [16, 16]})


def right(stimulus, outputs):
    """What a right kernel returns."""


def zeros(stimulus, outputs):
    """Zeros everywhere."""
    outputs["out"].zero_()


def copies_an_input(stimulus, outputs):
    """The query in place of the output."""
    outputs["out"].copy_(stimulus.tensors["query"])


def right_in_batch_0_only(stimulus, outputs):
    """The first batch again in place of the second."""
    outputs["out"][1] = outputs["out"][0]
    outputs["lse"][1] = outputs["lse"][0]


def returns_an_input(stimulus, outputs):
    """The storage of the query itself."""
    outputs["out"] = stimulus.tensors["query"]


def changes_an_input(stimulus, outputs):
    """The right outputs, and a query that is another afterwards."""
    stimulus.tensors["query"].mul_(2)


def leaves_the_output_as_it_was(stimulus, outputs):
    """Outputs are allocated as NaN: what nobody wrote is NaN."""
    outputs["out"].fill_(torch.nan)


class Pretender:
    """A backend whose kernel does what ``act`` does to the right outputs."""

    name = "fake"
    synthetic = True

    def __init__(self, act, *, tasks=1, log=True):
        self._act, self._tasks, self._log = act, tasks, log

    def run(self, case, dut, call, budget):
        (stimulus,) = dut.stimuli(case)
        before = digests(stimulus.tensors)
        outputs = {name: tensor.clone() for name, tensor in dut.references(stimulus).same.items()}
        self._act(stimulus, outputs)
        inputs = {tensor.data_ptr(): name for name, tensor in stimulus.tensors.items()}
        shared = tuple(f"{n} = {inputs[t.data_ptr()]}" for n, t in outputs.items() if t.data_ptr() in inputs)
        returned = Returned(
            outputs=outputs, digests_before=before, digests_after=digests(stimulus.tensors), shared=shared
        )
        return Observation(
            ended=RETURNED, calls=(returned,), measurement=Measurement(tasks=self._tasks), log_found=self._log
        )

    def finish(self, keep):
        del keep


def judged(backend, folder):
    """The verdict on a pretender, and the rules that it breaks."""
    record = attempt_entry(backend, folder, PlanEntry(case=CASE, suites=()))
    checks = [check for output in record.outputs for check in output.checks] + list(record.integrity)
    return record.verdict, {check.rule for check in checks if not check.passed}


def test_the_pretence_itself_passes(tmp_path):
    """Right outputs pass, so that what fails below fails for what it does."""
    assert judged(Pretender(right), tmp_path) == (PASS, set())


@pytest.mark.parametrize(
    ("act", "rule"),
    [
        (zeros, "row"),
        (copies_an_input, "row"),
        (right_in_batch_0_only, "lse"),
        (returns_an_input, "integrity:storage"),
        (changes_an_input, "integrity:inputs"),
        (leaves_the_output_as_it_was, "structure"),
    ],
)
def test_pretenders_fail(tmp_path, act, rule):
    """Each fails by its rule."""
    verdict, broken = judged(Pretender(act), tmp_path)
    assert verdict == FAIL
    assert rule in broken


@pytest.mark.parametrize(("options", "rule"), [({"tasks": 0}, "integrity:tasks"), ({"log": False}, "integrity:log")])
def test_without_a_trace_of_the_kernel(tmp_path, options, rule):
    """Right numbers prove nothing if no kernel task ran, or no log says so."""
    assert judged(Pretender(right, **options), tmp_path) == (FAIL, {rule})
