"""Each class of mistake that PyPTO runs without a word is found, with its line, loop indices, tensor and region."""

import dataclasses

import pytest
import torch

from bsa.messages import catalogue
from tests.verification.sanitizer import faulty_kernels
from tests.verification.sanitizer.faulty_kernels import line_of
from verification.sanitizer import KINDS, Sanitizer
from verification.shadow import replay

OFFSETS = [[0, 0], [40, 0], [80, 0]]
FAULTS = {
    "view_outside": (OFFSETS, "view-outside", (("u", 2),), "x", "[80:112, 0:64]"),
    "write_outside": ([[0, 0], [0, 32], [0, 0]], "write-outside", (("u", 1),), "out", "[32:64, 32:96]"),
    "table_outside": (OFFSETS, "table-outside", (("u", 2),), "t", "[3, 0]"),
    "never_written": (OFFSETS, "never-written", (), "out", "[0:96, 0:64]"),
    "lost_write": (OFFSETS, "lost-write", (), "out", "[0:96, 0:64]"),
    "written_twice": (OFFSETS, "written-twice", (("u", 0),), "out", "[0:32, 0:64]"),
    "parallel_overlap": (OFFSETS, "parallel-overlap", (("u", 1),), "out", "[0:32, 0:64]"),
    "uninitialised": ([[0, 0], [0, 1], [0, 0]], "uninitialised", (("u", 1), ("c", 1)), "total", "[0:32, 0:64]"),
    "padding": ([[32, 0], [20, 0], [32, 0]], "padding", (("u", 1),), "tile", "[20:32, 0:64]"),
}


@pytest.fixture(scope="module")
def launched(forked, tmp_path_factory):
    """Runs one of the kernels, once each."""
    made = {}

    def launch(name):
        if name not in made:
            made[name] = forked(faulty_kernels.run, name, FAULTS[name][0], tmp_path_factory.mktemp(name))
        return made[name]

    return launch


def findings(launch):
    sanitizer = Sanitizer()
    replay(launch, [sanitizer])
    return sanitizer.findings


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found_where_pypto_is_silent(launched, name):
    launch, out = launched(name)
    _, kind, indices, tensor, region = FAULTS[name]
    found = findings(launch)
    assert [(one.kind, one.indices, one.tensor, one.region) for one in found] == [(kind, indices, tensor, region)]
    assert (found[0].file, found[0].line) == (faulty_kernels.__file__, line_of(kind))
    assert out.shape == (96, 64)


@pytest.mark.parametrize("name", ["view_outside", "uninitialised", "padding"])
def test_same_kernel_with_right_tables_has_no_finding(launched, name):
    launch, _ = launched(name)
    right = {"view_outside": [[0, 0], [32, 0], [64, 0]], "uninitialised": [[0, 0]] * 3, "padding": [[32, 0]] * 3}
    assert findings(dataclasses.replace(launch, tables={"t": right[name]})) == ()


def test_offsets_beyond_32_bits_are_found_without_a_tensor(launched):
    launch, _ = launched("view_outside")
    rows = 2**31 // 64 + 32
    huge = dataclasses.replace(
        launch, shapes={**launch.shapes, "x": (rows, 64)}, tables={"t": [[0, 0], [0, 0], [rows - 32, 0]]}
    )
    found = {one.kind: one for one in findings(huge)}
    assert set(found) == {"offset-elements", "offset-bytes"}
    assert found["offset-elements"].facts["offset"] == rows * 64 - 1
    assert found["offset-bytes"].facts["offset"] == (rows * 64 - 1) * 4


def test_reading_between_makes_an_update_of_a_second_write(launched):
    launch, out = launched("uninitialised")
    assert torch.equal(out[::32, 0], torch.tensor([2.0, 3.0, 2.0]))
    assert "written-twice" not in {one.kind for one in findings(launch)}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_class_has_words(language, kind):
    assert catalogue(language).messages[f"finding.{kind}"]


def test_words_name_line_indices_tensor_and_region(launched):
    launch, _ = launched("padding")
    words = findings(launch)[0].words(catalogue("en").text)
    assert f"faulty_kernels.py:{line_of('padding')} [u=1]: tile[20:32, 0:64] is read" in words
    assert "only [0:20, 0:64] of tile holds data" in words
