"""``list``: one case a line on standard output and nothing else, for people and for programs."""

import json
import subprocess
import sys

from stimuli.case import Case


def test_lines(shell):
    """Id, DUT, suites and name, separated by tabs, each case once, in the order of its suite."""
    done = shell("list", "--dut", "toy.double", "--suite", "toy")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[1:] for row in rows] == [["toy.double", "toy", f"rows {n}"] for n in (64, 128, 192)]
    assert len({row[0] for row in rows}) == 3


def test_json_is_a_case(shell):
    """Each line of ``--json`` holds the case and its suites."""
    done = shell("list", "--json", "--dut", "toy.double", "--suite", "toy")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one.pop("suites") for one in found] == [["toy"]] * 3
    assert [Case.from_json(one).name for one in found] == ["rows 64", "rows 128", "rows 192"]


def test_without_options_everything_is_listed(shell):
    """Every case of every DUT, each once."""
    lines = shell("list").stdout.splitlines()
    assert len(lines) == len(set(lines))
    assert {line.split("\t")[1] for line in lines} >= {"bsa.forward", "bsa.backward", "toy.double"}


def test_names_ids_and_duts_select(shell):
    """A name, the beginning of an id and DUT:NAME select the same case."""
    only = ("list", "--dut", "toy.double", "--cases")
    (line,) = shell(*only, "toy.double:rows 64").stdout.splitlines()
    case_id = line.split("\t")[0]
    for word in ("rows 64", case_id, case_id[:8], f"toy.double:{case_id}"):
        assert shell(*only, word).stdout.splitlines() == [line], word


def test_a_reader_that_stops_is_no_error(shell):
    """``list | head``: the rest is not wanted, and nothing is said about that."""
    listing = f"{sys.executable} -m verification.cli list --suite toy-many --dut toy.double"
    command = f"{listing} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=shell.cwd, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""
