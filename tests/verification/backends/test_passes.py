"""Results after each compile pass are compared by us: PyPTO's own verdict passes NaN against a finite value."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from attempts import attempt

from bsa._pypto import compare_passes
from verification.backends import open_backend

HEADER = (
    *("passName", "verifyType", "loopInfo", "ioflag", "outputShape", "outputValidShape", "outputDtype"),
    *("outputTensor", "goldenTensor", "verifyResult"),
)


def launch(folder, output, golden, *, dtype="DT_FP16", shape=(), valid=()):
    """A launch's folder with one pass and one output."""
    place = Path(folder) / "output_x" / "verify_y"
    (place / "Pass_14_SplitK").mkdir(parents=True)
    for name, values in (("out.data", output), ("golden.data", golden)):
        values.tofile(place / "Pass_14_SplitK" / name)
    with (place / "verify_result_brief.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEADER)
        shapes = (str(list(shape)), str(list(valid)))
        writer.writerow(
            ("Pass_14_SplitK", "PATH0", "i=0", "output0", *shapes, dtype, "out.data", "golden.data", "PASS")
        )
    return place.parent


@pytest.mark.parametrize(
    ("value", "differs"), [(1.0, False), (1.0009765625, False), (1.5, True), (np.nan, True), (np.inf, True)]
)
def test_one_element(tmp_path, value, differs):
    """A far element, a NaN and an infinity are found whatever PyPTO's verdict; rounding is not."""
    golden = np.ones(64, dtype=np.float16)
    output = golden.copy()
    output[7] = value
    (found,) = compare_passes(launch(tmp_path, output, golden))
    assert (found.name, found.outputs, found.differing) == ("Pass_14_SplitK", 1, int(differs))
    assert ("first 7" in found.first) == differs


def test_unwritten_places_agree(tmp_path):
    """NaN in the same place on both sides is what the output was allocated with."""
    values = np.full(8, np.nan, dtype=np.float32)
    (found,) = compare_passes(launch(tmp_path, values, values, dtype="DT_FP32"))
    assert found.differing == 0


@pytest.mark.parametrize(("value", "differs"), [(1.0, False), (2.0, True), (np.nan, True)])
def test_corner_of_an_output(tmp_path, value, differs):
    """Where a pass wrote the first corner only, that corner is compared."""
    golden = np.arange(16, dtype=np.float16).reshape(4, 4)
    corner = golden[:2, :2].copy()
    corner[0, 1] = value
    (found,) = compare_passes(launch(tmp_path, corner, golden, shape=[4, 4], valid=[2, 2]))
    assert ("1 elements, first 1" in found.first) == differs


def test_missing_file_is_a_difference(tmp_path):
    """What cannot be compared does not pass."""
    folder = launch(tmp_path, np.ones(4, dtype=np.float16), np.ones(4, dtype=np.float16))
    next(folder.rglob("golden.data")).unlink()
    (found,) = compare_passes(folder)
    assert "nothing to compare" in found.first


def test_table_of_an_older_pypto(tmp_path):
    """It names the pass in another column and keeps no golden tensors: its own verdicts are taken."""
    folder = tmp_path / "verify_1"
    folder.mkdir()
    rows = [("function_f_8_pass_04_ExpandFunction", "PASS"), ("function_f_8_pass_14_SplitK", "FAILED"), ("tensor", "")]
    with (folder / "verify_result.csv").open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["passName", "verifyType", "verifyResult", "maxAbsDiff", "errorCount"])
        table.writerows(["", kind, verdict, "0.5", "3"] for kind, verdict in rows)
    found = {one.name: (one.outputs, one.differing) for one in compare_passes(tmp_path)}
    assert found == {"Pass_04_ExpandFunction": (1, 0), "Pass_14_SplitK": (1, 1)}
    assert "3 elements: 0.5" in compare_passes(tmp_path)[1].first


def test_real_passes_agree_and_are_recorded(tmp_path):
    """The toy kernel gives the same after every pass of PyPTO's default list, and the record says which."""
    backend = open_backend("sim", {})
    try:
        record = attempt(backend, tmp_path, "toy.double", "rows 128", pass_filter="default")
    finally:
        backend.close()
    assert record.verdict == "PASS", record.reason
    passes = record.measurement.passes
    assert len(passes) >= 3
    assert set(passes.values()) == {""}
    assert "integrity:passes" in {check.rule for check in record.integrity}
    assert json.loads(json.dumps(record.to_json()))["measurement"]["pass_filter"] == "default"
