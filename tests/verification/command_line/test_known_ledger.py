"""The ledger of known failures: what it lets pass, and what it refuses."""

import json

import pytest

from tests.support.records import make_record
from tests.support.runs import behaviours, bsa_verify, run_of, verdicts
from verification.cli.main import main
from verification.errors import UsageError
from verification.known.entry import KnownFailure
from verification.known.judging import judged, signature_text
from verification.known.ledger import read_ledger
from verification.plan import Plan
from verification.record import Check, OutputResult

CASE = "0123456789ab"
ENTRY = """[[known]]
case = "0123456789ab"
reason = "rows are lost"
author = "Li Wei"
date = 2026-01-01
expires = 2026-02-01
"""


def _entry(**fields):
    return KnownFailure(
        **{"reason": "lost", "author": "Li", "date": "2026-01-01", "expires": "2026-02-01", "case": CASE, **fields}
    )


def _failed(**fields):
    check = Check(rule="maximum", passed=False, value=2.0, limit=1.0, ratio=2.0)
    output = OutputResult(name="dk", shape=(1,), dtype="float16", passed=False, max_error=2.0, checks=(check,))
    return make_record(CASE, verdict="FAIL", outputs=(output,), **fields)


@pytest.mark.parametrize(
    "entry",
    [
        _entry(),
        _entry(signature="FAIL dk value"),
        _entry(case="", dut="toy.double", signature="FAIL dk value"),
        _entry(expires="2026-01-01"),
    ],
    ids=lambda entry: f"{entry.subject} {entry.expires}",
)
def test_a_failure_that_an_entry_describes_is_known(entry):
    """By case, by signature, and up to the last day; the reason tells who answers for it until when."""
    found = judged(_failed(), [entry])
    assert found.verdict == "KNOWN"
    assert all(one in found.reason for one in ("lost", "Li", entry.expires, "because FAIL"))


@pytest.mark.parametrize(
    "entry",
    [
        _entry(case="ba9876543210"),
        _entry(signature="FAIL dv value"),
        _entry(case="", dut="toy.other", signature="FAIL dk value"),
        _entry(signature="CRASH ended"),
    ],
    ids=lambda entry: entry.subject,
)
def test_another_failure_stays_one(entry):
    """Another case, output, DUT or verdict."""
    assert judged(_failed(), [entry]) == _failed()


def test_an_expired_entry_lets_nothing_pass_and_is_named():
    """The record of the day after is a failure that says why."""
    found = judged(_failed(), [_entry(date="2025-01-01", expires="2025-12-31")])
    assert found.verdict == "FAIL"
    assert "because FAIL" in found.reason
    assert "expired on 2025-12-31" in found.reason


def test_a_pass_is_held_against_the_entry_of_its_case_only():
    """An entry about signatures says nothing of a case that passes."""
    found = judged(make_record(CASE), [_entry()])
    assert (found.verdict, CASE in found.reason, "out" in found.reason) == ("FAIL", True, True)
    assert judged(make_record(CASE), [_entry(case="", dut="toy.double", signature="FAIL dk value")]).verdict == "PASS"


@pytest.mark.parametrize("verdict", ["INFRA", "NOT_RUN", "NO_REFERENCE"])
def test_what_says_nothing_of_the_dut_is_never_known(verdict):
    """Ended from outside is not failed."""
    assert judged(make_record(CASE, verdict=verdict), [_entry()]).verdict == verdict


def test_a_signature_is_verdict_place_and_kind():
    """As the how-to page writes it."""
    assert signature_text(_failed()) == "FAIL dk value"
    assert signature_text(make_record(CASE, verdict="TIMEOUT")) == "TIMEOUT ended"


def test_a_ledger_is_read_and_survives_in_a_plan(tmp_path):
    """Every field, dates as text."""
    file = tmp_path / "known.toml"
    file.write_text(ENTRY, encoding="utf-8")
    (entry,) = read_ledger(file)
    assert entry == _entry(reason="rows are lost", author="Li Wei")
    assert bsa_verify(*_run_of_two(tmp_path), cwd=tmp_path).returncode == 1
    plan = run_of(tmp_path).plan
    assert plan.known == (entry,)
    assert Plan.from_text(plan.to_text()) == plan


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('reason = "rows are lost"\n', "", "reason"),
        ('author = "Li Wei"', 'author = " "', "author"),
        ("expires = 2026-02-01", 'expires = "2026-02-01"', "without quotes"),
        ("expires = 2026-02-01", "expires = 2025-02-01", "before date"),
        ("expires = 2026-02-01\n", "", "expires"),
        ('case = "0123456789ab"\n', "", "name a case"),
        ('case = "0123456789ab"\n', 'dut = "bsa.forward"\n', "name a case"),
        ("0123456789ab", "0123", "12 digits"),
        ("author", 'signature = "wrong"\nauthor', "FAIL"),
        ("author", 'until = "x"\nauthor', "until"),
        ("[[known]]", "[[waiver]]", "[[known]]"),
        ("[[known]]", "[[known", "not a ledger"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(tmp_path, before, after, said):
    """File, entry and what is wrong with it."""
    assert before in ENTRY
    file = tmp_path / "known.toml"
    file.write_text(ENTRY.replace(before, after), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_ledger(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_two_entries_about_one_thing_are_refused(tmp_path):
    """Which of them would hold?"""
    file = tmp_path / "known.toml"
    file.write_text(ENTRY + ENTRY, encoding="utf-8")
    with pytest.raises(UsageError, match="known 2: a second entry about 0123456789ab"):
        read_ledger(file)


def test_a_ledger_that_is_named_must_be_there(tmp_path):
    """A mistyped name is no empty ledger."""
    found = bsa_verify("run", "--suite", "smoke", "--known", "none.toml", cwd=tmp_path)
    assert (found.returncode, "none.toml" in found.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def _run_of_two(folder, out="out/r"):
    """A run with declared behaviours: smoke/tails fails, smoke/one token passes."""
    declared = behaviours(folder, default="run", behaviours={"smoke/tails": "zeros"})
    names = ["--cases", "smoke/tails", "smoke/one token", "--dut", "bsa.forward"]
    return ["run", *names, "--backend", "fake", "--behaviours", declared, "-n", "1", "--out", out]


TAILS, ONE_TOKEN = "f3b7dc28a221", "30ccfb915283"


@pytest.mark.parametrize(
    ("case", "until", "found", "said"),
    [
        (TAILS, "2999-01-01", (0, "KNOWN", "PASS"), "1 known failure"),
        (TAILS, "2026-01-02", (1, "FAIL", "PASS"), "expired on 2026-01-02"),
        (ONE_TOKEN, "2999-01-01", (1, "FAIL", "FAIL"), f"entry of {ONE_TOKEN} out"),
    ],
    ids=["known", "expired", "passes"],
)
def test_in_a_run(tmp_path, case, until, found, said):
    """The ledger of the current folder decides the exit code, and the terminal says what it did."""
    text = ENTRY.replace(CASE, case).replace("2026-02-01", until)
    (tmp_path / "known.toml").write_text(text, encoding="utf-8")
    done = bsa_verify(*_run_of_two(tmp_path), cwd=tmp_path)
    judged_as = verdicts(run_of(tmp_path))
    assert (done.returncode, judged_as["smoke/tails"], judged_as["smoke/one token"]) == found
    assert said in done.stdout
    assert ("2 passed" in done.stdout) is False
    assert ("KNOWN bsa.forward smoke/tails: rows are lost (Li Wei" in done.stdout) == (found[0] == 0)


WRONG = [
    ("[[known]]", "[[known]", "known.toml: not a ledger of known failures"),
    ("expires = 2026-02-01", "expires = 2026-13-01", "known.toml: not a ledger of known failures"),
    ('"rows are lost"', "1" + "0" * 5000, "known.toml: not a ledger of known failures"),
    (ENTRY, "known = 3\n", "one [[known]] or more is all it may hold"),
    (ENTRY, "known = [3]\n", "one [[known]] or more is all it may hold"),
    ("[[known]]", "[known]", "one [[known]] or more is all it may hold"),
    (ENTRY, "owner = 'Li'\n" + ENTRY, "one [[known]] or more is all it may hold"),
    ('reason = "rows are lost"\n', "", "known 1: reason = None says nothing; a text in quotes is needed"),
    ('author = "Li Wei"\n', "", "known 1: author = None says nothing; a text in quotes is needed"),
    ("date = 2026-01-01\n", "", "known 1: date = None is no date; write date = 2026-11-30, without quotes"),
    ("expires = 2026-02-01\n", "", "known 1: expires = None is no date; write expires = 2026-11-30, without quotes"),
    ('"rows are lost"', "7", "known 1: reason = 7 says nothing; a text in quotes is needed"),
    ('"Li Wei"', '["Li", "Wei"]', "known 1: author = ['Li', 'Wei'] says nothing; a text in quotes is needed"),
    ('case = "0123456789ab"', "case = 123456789012", "known 1: case = 123456789012 says nothing; a text in quotes"),
    ('case = "0123456789ab"', 'case = "smoke/tails"', "known 1: case = 'smoke/tails' is no id; an id has 12 digits"),
    (
        "= 2026-02-01",
        "= 2026-02-01T00:00:00",
        "datetime.datetime(2026, 2, 1, 0, 0) is no date; write expires",
    ),
    ("= 2026-02-01", "= 20260201", "known 1: expires = 20260201 is no date"),
    ("= 2026-02-01", "= 2025-12-31", "known 1: expires 2025-12-31 is before date 2026-01-01"),
    (ENTRY, ENTRY + ENTRY, "known 2: a second entry about 0123456789ab; keep one"),
    (
        ENTRY,
        ENTRY + ENTRY.replace("author", "colour = 1\nauthor"),
        "known 2: unknown field 'colour'",
    ),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong[2])
def test_a_wrong_ledger_ends_every_command_that_reads_it(tmp_path, monkeypatch, capsys, wrong):
    """One line with 2, before anything is written: in the current folder or named, for ``run`` and ``replay``."""
    monkeypatch.chdir(tmp_path)
    before, after, said = wrong
    assert before in ENTRY
    text = ENTRY.replace(before, after, 1)
    for name, option in (("known.toml", ()), ("my known.toml", ("--known", "my known.toml"))):
        for path in tmp_path.iterdir():
            path.unlink()
        (tmp_path / name).write_text(text, encoding="utf-8")
        selection = ("--cases", "toy.double:rows 64", "--backend", "fake")
        for words in (("run", *selection, *option), ("replay", "toy.double:rows 64", *option)):
            assert main(words) == 2
            out, error = capsys.readouterr()
            assert (out, error.count("\n")) == ("", 1)
            assert name in error
            assert said in error
            assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["folder.toml", "bytes.toml"])
def test_a_ledger_that_cannot_be_read(tmp_path, monkeypatch, capsys, name):
    """A folder, or no text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    assert main(["run", "--cases", "toy.double:rows 64", "--backend", "fake", "--known", name]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert name in error


def test_an_entry_of_a_case_that_no_run_has_changes_nothing_but_the_report(tmp_path):
    """An id that nobody has: verdicts and exit code stay; the report says that no case needs the entry."""
    (tmp_path / "known.toml").write_text(ENTRY.replace("2026-02-01", "2999-01-01"), encoding="utf-8")
    assert bsa_verify(*_run_of_two(tmp_path), cwd=tmp_path).returncode == 1
    assert verdicts(run_of(tmp_path)) == {"smoke/tails": "FAIL", "smoke/one token": "PASS"}
    (entry,) = json.loads((tmp_path / "out/r/report.json").read_text())["known"]
    assert (entry["entry"]["case"], entry["cases"]) == (CASE, [])
    assert "No case of this run failed so." in (tmp_path / "out/r/index.html").read_text()
