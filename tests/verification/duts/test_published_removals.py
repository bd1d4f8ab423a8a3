"""Workarounds taken out of a copy of the stand-in checkout: each that sim can see makes a right output wrong."""

import shutil
from pathlib import Path

import pytest
from attempts import attempt

from verification.backends import open_backend
from verification.duts._published import ROOT

CHECKOUT = Path(__file__).parents[2] / "support" / "published"
FORWARD, BACKWARD = "FWD/bsa_fwd_impl.py", "BWD/bsa_bwd_impl.py"
REMOVALS = {
    "4 forward": (FORWARD, "view(scaled, [block_q, block_kv]", "view(scaled, [1, 1]"),
    "4 backward": (BACKWARD, "view(minus_q, [block_q, block_kv]", "view(minus_q, [1, 1]"),
    "7 forward": (
        FORWARD,
        "pypto.assemble(pypto.reshape(tile, [1, block_q, dim]), [u, 0, 0], out)",
        "pypto.assemble(tile, [u * block_q, 0], pypto.reshape(out, [4 * block_q, dim]))",
    ),
    "7 backward": (
        BACKWARD,
        "pypto.assemble(tile, [u, 0, 0], dq)",
        "pypto.assemble(pypto.mul(sum_q, scale), [u * block_q, 0], pypto.reshape(dq, [4 * block_q, dim]))",
    ),
    "12 forward": (FORWARD, "[u * block_q, 0], lse)", "[0, u * block_q], lse)"),
    "12 backward": (BACKWARD, "view(lse, [block_q, 1], [u * block_q, 0])", "view(lse, [block_q, 1], [0, u * block_q])"),
}
"""By limit and pass: the file, what stands in it, and what stands there without the workaround."""
CASES = {FORWARD: ("published.forward", "field/F03 1024x512, K=0"), BACKWARD: ("published.backward", "field/F02 S256")}
"""A case of each pass that the stand-in passes, with four query blocks."""


def _attempt(tmp_path, monkeypatch, file, edit=None):
    copy = shutil.copytree(CHECKOUT, tmp_path / "checkout", ignore=shutil.ignore_patterns("__pycache__"))
    if edit is not None:
        find, replace = edit
        source = (copy / file).read_text(encoding="utf-8")
        assert source.count(find) == 1
        (copy / file).write_text(source.replace(find, replace), encoding="utf-8")
    monkeypatch.setenv(ROOT, str(copy))
    backend = open_backend("sim", {})
    try:
        return attempt(backend, tmp_path, *CASES[file])
    finally:
        backend.close()


@pytest.mark.nightly
@pytest.mark.parametrize("file", CASES)
def test_copy_passes_as_it_is(tmp_path, monkeypatch, file):
    """Without an edit."""
    record = _attempt(tmp_path, monkeypatch, file)
    assert record.verdict == "PASS", record.reason


@pytest.mark.nightly
@pytest.mark.parametrize("name", REMOVALS)
def test_removal_is_caught(tmp_path, monkeypatch, name):
    """An error, or wrong numbers."""
    file, find, replace = REMOVALS[name]
    record = _attempt(tmp_path, monkeypatch, file, (find, replace))
    assert record.verdict in ("FAIL", "CRASH"), f"survived: {record.verdict}"
    assert "incompatible function arguments" not in record.reason
