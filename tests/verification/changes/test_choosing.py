"""Of cases with records, an edit chooses those that ran what it touches: all of them, and few others."""

import dataclasses
import importlib
import subprocess
import sys

import pytest

from tests.support.records import make_record
from verification.changes.choosing import Last, choose
from verification.changes.host_lines import host_lines
from verification.changes.ran import ran
from verification.changes.texts import changed_files, keep_texts
from verification.plan import PlanEntry
from verification.record import CRASH, FAIL, MEMORY, PASS, TIMEOUT, Measurement, OutputResult

PACKAGE = {
    "sizes.py": "LIMIT = 4\n",
    "work.py": """\
from edited.sizes import LIMIT


def work(x):
    if x > LIMIT:
        y = large(x)
    elif x % 2:
        y = x + 1
    else:
        y = x
    return y


def large(x):
    return 3 * x
""",
    "other.py": "def other(x):\n    return -x\n",
    "__init__.py": "",
}
CASES = {"one": 1, "two": 2, "three": 3, "five": 5, "six": 6, "other": None}
LATER = 1_000_000_000_000.0


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package under git, imported from there."""
    folder = tmp_path / "code" / "edited"
    folder.mkdir(parents=True)
    for name, text in PACKAGE.items():
        (folder / name).write_text(text, encoding="utf-8")
    commit(folder.parent)
    monkeypatch.syspath_prepend(str(folder.parent))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "edited"]:
        del sys.modules[name]


def commit(folder):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "text")):
        subprocess.run(["git", "-C", folder, *identity, *command], check=True)


@pytest.fixture
def last(package, tmp_path, toy_case):
    """A record of each case, by its name: what it really ran."""
    work, other = importlib.import_module("edited.work"), importlib.import_module("edited.other")
    run = tmp_path / "run"
    run.mkdir()
    found = {}
    for number, (name, x) in enumerate(CASES.items(), 1):
        host = {}
        with host_lines(host):
            other.other(0) if x is None else work.work(x)
        host = {path: lines for path, lines in host.items() if str(package) in path}
        seen = {file: one for file, one in ran(host, {}, since=LATER).items() if file.startswith("edited/")}
        keep_texts(run, seen)
        record = make_record(toy_case(name).id, measurement=Measurement(ran=seen, wall_s=float(number)))
        found[name] = Last(record=record, folder=run)
    return found


@pytest.fixture
def toy_case():
    from toy_dut import toy

    return lambda name: toy(name, rows=64 * (1 + [*CASES, "new"].index(name)))


@pytest.fixture
def chosen(last, toy_case):
    """Names of the cases that are run now, in order."""

    def choosing(since=None, more=(), records=None):
        entries = [PlanEntry(case=toy_case(name), suites=("toy",)) for name in (*CASES, *more)]
        by_id = {entry.case_id: (records or last)[entry.case.name] for entry in entries if entry.case.name in last}
        choice = choose(entries, by_id, since=since, seconds=lambda _: 0.5)
        assert {one.case_id for one in (*choice.entries, *choice.left)} == {one.case_id for one in entries}
        return [entry.case.name for entry in choice.entries]

    return choosing


def edit(package, file, old, new):
    text = (package / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (package / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("y = x + 1", "y = x + 2", ["one", "three"]),
        ("        y = x\n", "        x = x + 1\n        y = x\n", ["two"]),
        ("return 3 * x", "return x * 3", ["five", "six"]),
        ("elif x % 2", "elif x % 2 == 1", ["one", "two", "three"]),
        ("    return y", "    return y + 0", ["one", "two", "three", "five", "six"]),
        ("def large(x):", "def large(x, z=3):", ["five", "six"]),
    ],
)
def test_edited_branch_chooses_the_cases_that_run_it(package, chosen, old, new, expected):
    assert chosen() == []
    edit(package, "work.py", old, new)
    assert sorted(chosen()) == sorted(expected)


def test_constant_concerns_whatever_imports_it(package, chosen):
    edit(package, "sizes.py", "4", "5")
    assert sorted(chosen()) == sorted(set(CASES) - {"other"})


def test_comment_concerns_nothing(package, chosen):
    edit(package, "work.py", "    return y", "    # done\n    return y")
    assert chosen() == []


def test_new_case_runs_and_the_cheapest_goes_first(package, chosen):
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    assert chosen(more=("new",)) == ["new", "one", "three"]


def test_case_that_failed_last_goes_first(package, last, chosen):
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    failed = dataclasses.replace(last["three"].record, verdict=FAIL, reason="wrong")
    assert last["three"].record.verdict == PASS
    assert chosen(records={**last, "three": dataclasses.replace(last["three"], record=failed)}) == ["three", "one"]


def test_case_that_runs_more_of_what_is_changed_goes_before_a_cheaper_one(package, chosen):
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    edit(package, "work.py", "y = large(x)", "y = large(x) + 0")
    edit(package, "work.py", "return 3 * x", "return x * 3")
    assert chosen() == ["one", "five", "six", "three"]


def test_revision_counts_where_the_record_is_newer(package, chosen):
    """The records were made with the text as it is now, which differs from the revision before."""
    edit(package, "work.py", "    return y", "    y = +y\n    return y")
    assert sorted(chosen()) == ["five", "one", "six", "three", "two"]
    edit(package, "work.py", "    y = +y\n    return y", "    return y")
    assert chosen() == []
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    commit(package.parent)
    edit(package, "work.py", "y = x + 2", "y = x + 1")
    assert chosen() == []
    assert sorted(chosen(since="HEAD")) == ["one", "three"]
    assert chosen(since="HEAD~1") == []


def test_changed_files_of_every_repository_that_knows_the_revision(package, tmp_path):
    """One's own kernel and this project are two of them."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "kernel.py").write_text("A = 1\n", encoding="utf-8")
    commit(own)
    subprocess.run(["git", "-C", own, "branch", "mine"], check=True)
    (own / "kernel.py").write_text("A = 2\n", encoding="utf-8")
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    (package / "new.py").write_text("", encoding="utf-8")
    folders = [package, own, tmp_path / "nowhere"]
    assert changed_files(folders, "HEAD") == (package / "new.py", package / "work.py", own / "kernel.py")
    assert changed_files(folders, "mine") == (own / "kernel.py",)


def test_record_that_does_not_say_what_ran_is_chosen(last, chosen):
    silent = dataclasses.replace(last["other"].record, measurement=Measurement())
    assert chosen(records={**last, "other": dataclasses.replace(last["other"], record=silent)}) == ["other"]


@pytest.mark.parametrize("verdict", [FAIL, CRASH, TIMEOUT, MEMORY])
def test_case_that_broke_off_is_chosen_until_it_runs_through(package, last, chosen, verdict):
    """What it would have run is not known: the edit that mends it may be in lines that it never came to."""
    broken = dataclasses.replace(last["other"].record, verdict=verdict, reason="raised KernelError: x")
    records = {**last, "other": dataclasses.replace(last["other"], record=broken)}
    assert chosen(records=records) == ["other"]
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    assert chosen(records=records) == ["other", "one", "three"]


def test_case_with_wrong_numbers_is_chosen_by_what_it_ran(package, last, chosen):
    wrong = OutputResult(name="out", shape=(1,), dtype="float16", passed=False, max_error=1.0, checks=())
    failed = dataclasses.replace(last["other"].record, verdict=FAIL, reason="wrong", outputs=(wrong,))
    records = {**last, "other": dataclasses.replace(last["other"], record=failed)}
    edit(package, "work.py", "y = x + 1", "y = x + 2")
    assert chosen(records=records) == ["one", "three"]


def test_text_that_may_not_be_what_ran_is_taken_for_changed(package, last, chosen):
    record = last["other"].record
    seen = {**record.measurement.ran}
    seen["edited/other.py"] = {**seen["edited/other.py"], "digest": ""}
    unsure = dataclasses.replace(record, measurement=dataclasses.replace(record.measurement, ran=seen))
    assert chosen(records={**last, "other": dataclasses.replace(last["other"], record=unsure)}) == ["other"]


def test_kernel_line_that_is_only_compiled_is_witnessed_by_the_cheapest(package, last, chosen):
    kernel = {"edited/other.py": {"traced": [2], "arcs": []}}
    compiled = {}
    for name, one in last.items():
        ran_too = {**one.record.measurement.ran}
        ran_too["edited/other.py"] = {**ran_too["edited/other.py"], "lines": ""}
        measurement = dataclasses.replace(one.record.measurement, ran=ran_too, executed=kernel)
        compiled[name] = dataclasses.replace(one, record=dataclasses.replace(one.record, measurement=measurement))
    edit(package, "other.py", "return -x", "return 0 - x")
    assert chosen(records=compiled) == ["one"]
