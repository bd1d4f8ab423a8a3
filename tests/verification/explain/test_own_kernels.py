"""``replay --explain`` of kernels that are not ours: several launches a call, another style, a DUT that says little."""

import os
from pathlib import Path

import pytest

from tests.support.runs import exec_bsa_verify

OWN = Path(__file__).parents[2] / "support" / "two"
LAUNCHES = ("1, squash", "2, stretch", "3, squash", "4, stretch")


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Runs ``replay CASE --explain``; returns the lines from the first about a launch on."""

    def replay(case):
        path = os.pathsep.join([str(OWN), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
        folder = tmp_path_factory.mktemp("own")
        lines = exec_bsa_verify("replay", case, "--explain", cwd=folder, env={"PYTHONPATH": path}).stdout.splitlines()
        return lines[next(number for number, line in enumerate(lines) if line.startswith("explain: ")) :]

    return replay


def test_every_launch_is_held_against_the_inputs_of_its_call(said):
    found = said("planted.two:right")
    launches = [line for line in found if line.startswith("explain: ")]
    assert [line.partition(": ")[2].partition(":")[0] for line in launches] == [f"launch {one}" for one in LAUNCHES]
    assert all(line.endswith("results are what they should be") for line in launches)
    assert not [line for line in found if "not followed" in line or "differ" in line]
    assert found.count("  dataflow says nothing of: together") == 2


@pytest.mark.parametrize("case", ["wrong", "broken"])
def test_the_wrong_launch_is_named_also_where_pypto_ended_it(said, case):
    found = said(f"planted.two:{case}")
    statement = (OWN / "two_kernels.py").read_text(encoding="utf-8").splitlines().index("        stretched = tile * by")
    first = next(line for line in found if "first wrong result" in line)
    assert first.startswith(f"explain: launch 4, stretch: first wrong result: two_kernels.py:{statement + 1} [u=0]")
    assert found[found.index(first) + 1].strip() == "stretched = tile * by"


def test_a_dut_that_says_nothing_is_told_what_to_declare(said):
    first = said("toy.double:rows 64")[0]
    assert "toy.double" in first
    assert "declare `dataflow`" in first
