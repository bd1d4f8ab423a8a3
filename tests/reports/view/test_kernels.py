"""What the kernels did: three columns, the source line by line, findings with their cases."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from reports import data, html, view
from reports.kernels import Kernels, kernels
from reports.source import NEVER, source_lines
from tests.reports import kernel_samples, samples
from tests.reports.kernel_samples import FILE, TEXT, finding, lines_of, measured
from verification.changes.ran import digest
from verification.shadow.columns import COMPILED, EXECUTED, TRACED


@pytest.fixture(scope="module")
def shown() -> Kernels:
    """The kernels of the sample run."""
    (one,) = view(kernel_samples.kernel_run()).kernels
    return one


def test_each_statement_has_the_state_that_it_says(shown: Kernels) -> None:
    """Executed, compiled only, traced only, never traced; what is no statement has none."""
    (here,) = [one for one in shown.files if one.lines]
    said = {line.number: line.state for line in here.lines if line.state}
    for state in (EXECUTED, COMPILED, TRACED, NEVER):
        assert {number for number, found in said.items() if found == state} >= set(lines_of(state))
    continued = range(lines_of(EXECUTED)[1] + 1, lines_of(EXECUTED)[1] + 4)
    assert {said[number] for number in continued} == {EXECUTED}
    assert set(said) == {*lines_of(EXECUTED, COMPILED, TRACED, NEVER), *continued}


def test_only_functions_with_traced_lines_are_shown(shown: Kernels) -> None:
    """The rest of the file is no kernel."""
    (here,) = [one for one in shown.files if one.lines]
    texts = [line.text for line in here.lines]
    assert texts[0].startswith("def kernel")
    assert not any("unrelated" in text for text in texts)


def test_columns_are_counted(shown: Kernels) -> None:
    """Each column holds the next; another text of the file is counted apart."""
    files = {one.digest: one for one in shown.files}
    assert set(files) == {"0" * 16, digest(TEXT.read_bytes())}
    one = files[digest(TEXT.read_bytes())]
    assert [len(one.kernel.lines(column)) for column in (TRACED, COMPILED, EXECUTED)] == [9, 8, 7]
    assert one.missing == ", ".join(map(str, lines_of(COMPILED, TRACED)))
    assert [shown.paths(column) for column in (TRACED, COMPILED, EXECUTED)] == [3, 2, 1]
    assert (shown.cases, shown.loops[0].trips) == (9, (0, 4))
    assert shown.ops == (("ADD", 108), ("MATMUL", 63))


def test_a_text_that_is_not_at_hand_is_not_replaced_by_another(shown: Kernels) -> None:
    """Numbers of lines mean nothing in a text that has changed since."""
    assert [one.lines for one in shown.files if one.digest == "0" * 16] == [()]


def test_the_text_that_ran_is_taken_from_the_run(tmp_path: Path) -> None:
    """The file may have changed since: the run keeps what it had."""
    text = TEXT.read_text(encoding="utf-8").replace("x.debug", "x.other")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / digest(text.encode())).write_text(text, encoding="utf-8")
    one = samples.published_entries()[0]
    record = measured(samples.record(one), text=digest(text.encode()))
    (found,) = view(samples.run((one,), (record,), path=tmp_path)).kernels
    assert any("x.other" in line.text for line in found.files[0].lines)


def test_findings_are_told_once_with_their_cases(shown: Kernels) -> None:
    """Those that count come first; an excused one has its reason."""
    first, second = shown.findings
    assert (first.finding.kind, first.excused, first.count, len(first.rows)) == ("parallel-overlap", False, 5, 2)
    assert (second.finding.kind, second.excused, second.count, len(second.rows)) == ("written-twice", True, 8, 2)
    assert first.indices == "block=3, slot=0"
    assert shown.link(FILE, finding().line).endswith(f"-L{finding().line}")
    assert shown.link(FILE, 1) == ""


def test_what_could_not_be_replayed_is_said(shown: Kernels) -> None:
    """Nothing is shown of it, which is not the same as nothing happened."""
    assert shown.not_replayed == ("acc[0] is known to a real run only",)


def test_json_has_the_same(shown: Kernels) -> None:
    """For programs, in every language alike."""
    (found,) = json.loads(data.render(view(kernel_samples.kernel_run())))["kernels"]
    assert found["lines"] == {column: shown.lines(column) for column in (TRACED, COMPILED, EXECUTED)}
    assert found["loops"] == [{"loop": "B", "paths": {"traced": 3, "compiled": 2, "executed": 1}, "trips": [0, 4]}]
    assert found["not_replayed"] == ["acc[0] is known to a real run only"]
    overlap, excused = found["findings"]
    wanted = {"kind", "file", "line", "indices", "tensor", "region", "facts", "count", "excuse", "cases"}
    assert set(overlap) == wanted
    assert (overlap["line"], overlap["indices"]) == (finding().line, [["block", 3], ["slot", 0]])
    assert excused["excuse"] == "the second pass overwrites <b>on purpose</b>"
    assert len(excused["cases"]) == 2


def test_runs_that_say_nothing_have_none() -> None:
    """The page says so in one sentence."""
    assert view(samples.passing_run()).kernels == ()
    assert "No record says what its kernels executed" in html.render(view(samples.passing_run()))
    assert kernels((), Path()) == ()


def test_a_text_that_python_cannot_read_is_left_out(shown: Kernels) -> None:
    """A kernel for another Python, say."""
    assert source_lines("def broken(:\n", shown.files[0].kernel) == ()
    assert ast.parse(TEXT.read_text(encoding="utf-8"))


def test_a_reason_cannot_break_out_of_the_page() -> None:
    """It is text of the user's."""
    page = html.render(view(kernel_samples.kernel_run()))
    assert "&lt;b&gt;on purpose&lt;/b&gt;" in page
    assert "<b>on purpose</b>" not in page[: page.index('<script type="application/json"')]


def test_records_of_older_versions_show_nothing_made_up() -> None:
    """They do not say what was compiled."""
    one = samples.published_entries()[0]
    record = measured(samples.record(one))
    old = replace(record, measurement=replace(record.measurement, control_flow={}))
    assert view(samples.run((one,), (old,))).kernels == ()
