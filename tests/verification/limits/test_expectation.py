"""Expectations: written, read again, and chosen by version."""

import pytest

from verification.limits import LIMITS
from verification.limits import expectation as module
from verification.limits.expectation import Expectation, Finding, expectation_for, read_expectation, write_expectation
from verification.limits.limit import UNKNOWN

SAMPLE = Expectation(
    pypto="1.2.3",
    accepted_by='A "name"',
    accepted="2026-01-31",
    unprotected=(4, 9),
    findings={
        ("sim", 2, "explicit-cond"): Finding(status="ACTIVE", evidence='TypeError: "x" \\ 限制'),
        ("npu", 2, "explicit-cond"): Finding(status="LIFTED"),
    },
)


def test_written_and_read_again(tmp_path):
    """Nothing is lost, quotes and Chinese included."""
    path = tmp_path / "1.2.3.toml"
    write_expectation(path, SAMPLE)
    assert read_expectation(path) == SAMPLE
    assert [one.name for one in tmp_path.iterdir()] == ["1.2.3.toml"]


def test_unknown_probe_is_unknown():
    """What nobody has run has no status."""
    assert SAMPLE.finding("npu", 3, "power").status == UNKNOWN


def test_other_version_gets_the_newest(tmp_path, monkeypatch):
    """0.10.0 is newer than 0.9.0, and the result says which it is."""
    monkeypatch.setattr(module, "folder", lambda: tmp_path)
    for version in ("0.9.0", "0.10.0"):
        write_expectation(tmp_path / f"{version}.toml", Expectation(pypto=version))
    assert expectation_for("0.9.0").pypto == "0.9.0"
    assert expectation_for("7.0.0").pypto == "0.10.0"


def test_no_expectation_at_all(tmp_path, monkeypatch):
    """Then nothing is expected."""
    monkeypatch.setattr(module, "folder", lambda: tmp_path)
    assert expectation_for("0.2.0") == Expectation(pypto="")


def test_damaged_file_is_named(tmp_path):
    """The error says which file."""
    path = tmp_path / "x.toml"
    path.write_text('pypto = "x"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.toml: not an expectation"):
        read_expectation(path)


def test_committed_expectation_covers_every_probe():
    """No probe is added without what is expected of it."""
    expectation = expectation_for("0.2.0")
    wanted = {("sim", limit.number, probe.name) for limit in LIMITS.values() for probe in limit.probes}
    assert wanted == {key for key in expectation.findings if key[0] == "sim"}
