"""report.json: for programs, strict JSON, the same in every language."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reports import data, view
from tests.reports import samples


def _report(kind: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"not JSON: {constant}")

    found = json.loads(data.render(view(getattr(samples, f"{kind}_run")())), parse_constant=refuse)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("kind", ["passing", "failing", "synthetic", "empty", "unstarted", "nan", "injection"])
def test_is_strict_json(kind: str) -> None:
    """No NaN or Infinity that other languages cannot read, in any kind of run."""
    report = _report(kind)
    assert report["schema"] == data.SCHEMA
    assert len(report["cases"]) == report["total"]["total"] == sum(report["counts"].values())


def test_answer() -> None:
    """A program can decide on one field."""
    assert _report("passing")["may_merge"] is True
    assert _report("failing")["may_merge"] is False
    assert _report("synthetic")["may_merge"] is False


def test_case() -> None:
    """A case holds its verdict and figures."""
    case = _report("passing")["cases"][0]
    assert (case["name"], case["verdict"], case["deciding_attempt"]) == ("S256 Sparse50", "PASS", 1)
    assert case["outputs"]["out"]["published"] == 1.220703125e-4
    assert 0 < case["outputs"]["out"]["ratio"] == case["ratio"] < 1


def test_case_without_record() -> None:
    """What did not run has no figures, and says how to go on."""
    case = _report("unstarted")["cases"][0]
    assert (case["verdict"], case["ratio"], case["deciding_attempt"]) == ("NOT_RUN", None, None)
    assert case["replay"] == f"bsa-verify run --resume out/{samples.RUN_ID}"


def test_buckets_name_their_cases() -> None:
    """The signature and the ids of the cases."""
    first = _report("failing")["buckets"][0]
    ids = [entry.case_id for entry in samples.published_entries()]
    assert first["cases"] == ids[:2]
    assert (first["dut"], first["cause"]) == ("bsa.forward", "every value is doubled")


def test_non_finite_numbers_are_words() -> None:
    """As in records."""
    assert _report("nan")["cases"][0]["ratio"] == "nan"
    assert data.plain([float("inf"), -float("inf"), (1.5,)]) == ["inf", "-inf", [1.5]]


def test_ledger_is_included() -> None:
    """A claim from sim never travels without what sim cannot see."""
    assert {"key": "time", "card": ""} in _report("passing")["fidelity"]


def test_every_field_is_documented() -> None:
    """docs/reference/report.md names the fields, in their order."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "report.md").read_text(encoding="utf-8")
    table = page[page.index("## report.json") :]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(_report("passing"))
