"""``replay --explain --passes all`` names the compile pass that changes a right kernel's result.

PyPTO's own passes do it, given the numbers for it: a sum in another order, a rounding left out, a NaN that PyPTO's own
verdict lets pass. One case is a stand-in (:mod:`passes_dut`): what was saved after one pass is changed before we look.
"""

import os
from pathlib import Path

import pytest

from tests.support.runs import exec_bsa_verify, run_of

PLANTED = Path(__file__).parents[2] / "support" / "passes"
PASSES = {
    "order": ("Pass_04_ExpandFunction", "124 for 126"),
    "nan": ("Pass_04_ExpandFunction", "nan for 0"),
    "rounding": ("Pass_01_AutoCast", "1 for 0"),
    "saved": ("Pass_14_SplitK", "nan for 128"),
}
FIRST = "first compile pass that differs"


def replay(case, folder):
    path = os.pathsep.join([str(PLANTED), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    words = ("replay", case, "--explain", "--passes", "all")
    return exec_bsa_verify(*words, cwd=folder, env={"PYTHONPATH": path})


@pytest.mark.parametrize("case", PASSES)
def test_first_pass_that_differs_is_named(tmp_path, case):
    done = replay(f"planted.passes:{case}", tmp_path)
    name, difference = PASSES[case]
    (said,) = [line for line in done.stdout.splitlines() if FIRST in line]
    assert f"{FIRST}: {name}: " in said
    assert said.endswith(difference), said
    assert "results are what they should be" in done.stdout
    assert done.returncode == 1
    record = run_of(tmp_path).records[-1]
    assert "integrity:passes" in {check.rule for check in record.integrity if not check.passed}
    differing = [one for one, words in record.measurement.passes.items() if words]
    assert min(differing) == name


@pytest.mark.parametrize("case", ["planted.passes:right", "bsa.forward:tails", "bsa.backward:one token"])
def test_right_passes_are_said_to_agree(tmp_path, case):
    done = replay(case, tmp_path)
    assert done.returncode == 0, done.stdout
    assert "results are what they should be" in done.stdout
    assert "compile passes agree as well" in done.stdout
    assert FIRST not in done.stdout
