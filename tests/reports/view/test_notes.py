"""Beneath the answer stand what weakens it and what it covers."""

from __future__ import annotations

from dataclasses import replace

from bsa.messages import catalogue
from reports import view
from reports.notes import scope, warnings
from stimuli.case import Case
from tests.reports import samples
from verification.runs import Run

SAID = catalogue("en")


def _warnings(run: Run) -> str:
    return "\n".join(warnings(view(run), SAID))


def test_a_clean_run_has_no_warning() -> None:
    """Nothing is said where nothing is wrong."""
    assert _warnings(samples.passing_run()) == ""


def test_synthetic_dirty_and_torn_are_said() -> None:
    """Each in one sentence."""
    run = replace(samples.synthetic_run(), manifest=samples.manifest(dirty=True), torn=2)
    found = _warnings(run).splitlines()
    assert [line.split(" ", 3)[:3] for line in found] == [
        ["10", "cases", "rest"],
        ["The", "tree", "had"],
        ["2", "lines", "of"],
    ]


def test_a_planted_fault_is_named() -> None:
    """A run that demonstrates a fault is not mistaken for a failure."""
    run = samples.passing_run()
    assert "planted on purpose: double-scale." in _warnings(replace(run, plan=replace(run.plan, fault="double-scale")))


def test_records_of_different_sources_are_said() -> None:
    """A run that was resumed after an edit mixes two trees; one resumed without does not."""
    first, second = ({"event": event, "tree": tree} for event, tree in (("start", "aa"), ("resume", "bb")))
    run = replace(samples.passing_run(), events=(first, second, {"event": "finish"}))
    assert "2 different trees" in _warnings(run)
    assert _warnings(replace(run, events=(first, {**first, "event": "resume"}))) == ""


def test_records_of_different_installations_are_said() -> None:
    """A run that was resumed with another PyPTO, by version or by content alone, or another torch, is told."""
    first = {"event": "start", "tree": "aa", "versions": {"pypto": "0.2.0", "torch": "2"}, "pypto_file_sha256": "cc"}
    run = samples.passing_run()
    for change in ({"pypto_file_sha256": "dd"}, {"versions": {"pypto": "0.2.0", "torch": "3"}}):
        resumed = {**first, **change, "event": "resume"}
        assert "2 different installations" in _warnings(replace(run, events=(first, resumed)))
    assert _warnings(replace(run, events=(first, {**first, "event": "resume"}))) == ""


def test_one_mask_under_several_names_is_said() -> None:
    """Cases that differ in density alone and had one mask; not those with another mask, seed or shape."""
    made = [("Dense", {}), ("30", {"density": 0.3}), ("70", {"density": 0.7}), ("long", {"density": 0.7, "seq_q": 512})]
    entries = [samples.entry(Case(dut="bsa.backward", params=params, name=name)) for name, params in made]
    for digests, said in ((("aa", "aa", "aa", "aa"), "Dense = 30 = 70."), (("aa", "bb", "bb", "bb"), "30 = 70.")):
        records = [
            samples.record(one, input_digests={"block_sparse_mask": digest})
            for one, digest in zip(entries, digests, strict=True)
        ]
        assert _warnings(samples.run(entries, records)).endswith(f"whatever their density: {said}")
    records = [samples.record(one, input_digests={"block_sparse_mask": str(i)}) for i, one in enumerate(entries)]
    assert _warnings(samples.run(entries, records)) == ""


def test_scope_names_suites_and_duts() -> None:
    """An answer never sounds larger than it is."""
    assert scope(view(samples.passing_run()), SAID) == (
        "Scope: published, smoke on bsa.forward. Nothing else was tried."
    )


def test_scope_of_chosen_cases() -> None:
    """Where only some cases of a suite were asked for, the scope says which."""
    run = samples.passing_run()
    chosen = replace(run, plan=replace(run.plan, selection={"cases": ["quick", "S256 Sparse50"]}))
    assert "only the cases that quick, S256 Sparse50 names" in scope(view(chosen), SAID)


def test_empty_plan_has_no_scope() -> None:
    """Nothing was tried at all."""
    assert scope(view(samples.empty_run()), SAID) == ""
