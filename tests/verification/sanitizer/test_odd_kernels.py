"""Mistakes are found in whatever dress they come, at the statement and iteration that makes them."""

import pytest

from tests.verification.sanitizer import odd_kernels
from tests.verification.sanitizer.faulty_kernels import line_of
from verification.sanitizer import Sanitizer
from verification.shadow import replay

ODD = {
    "inlined": ([[0, 0], [32, 0], [80, 0]], "view-outside", (("u", 2),), "x", "[80:112, 0:64]"),
    "view_of_view": ([[0, 0], [8, 0], [24, 0]], "view-outside", (("u", 2),), "part", "[24:40, 0:64]"),
    "sliced": ([[0, 0], [32, 0], [80, 0]], "view-outside", (("u", 2),), "x", "[80:112, 0:64]"),
    "unrolled": ([[0, 0]] * 3, "written-twice", (("u", 0), ("turn", "1")), "out", "[0:32, 0:64]"),
    "before_the_table": ([[0, 0]] * 3, "table-outside", (("u", 0),), "t", "[-1, 0]"),
    "more_than_the_view": ([[32, 0], [40, 0]], "padding", (("u", 1),), "part", "[0:40, 0:64]"),
    "gathered": ([[32, 32], [20, 32], [32, 32]], "padding", (("u", 1),), "tile", "[20:32, 0:64]"),
    "shared": ([[0, 0]] * 3, "parallel-overlap", (("u", 1),), "held", "[0:32, 0:64]"),
}


@pytest.mark.parametrize("name", ODD)
def test_mistake_is_found(forked, tmp_path, name):
    table, kind, indices, tensor, region = ODD[name]
    launch, _ = forked(odd_kernels.run, name, table, tmp_path)
    sanitizer = Sanitizer()
    replay(launch, [sanitizer])
    (found,) = sanitizer.findings
    assert (found.kind, found.indices, found.tensor, found.region) == (kind, indices, tensor, region)
    assert (found.file, found.line) == (odd_kernels.__file__, line_of(name, odd_kernels.__file__))


def test_tensor_of_each_parallel_iteration_is_its_own(forked, tmp_path):
    launch, out = forked(odd_kernels.run, "own", [[0, 0]] * 3, tmp_path)
    sanitizer = Sanitizer()
    replay(launch, [sanitizer])
    assert sanitizer.findings == ()
    assert bool((out == 4.0).all())


MISREPORTED = {
    "never_begun": ([[0, 0]] * 3, "uninitialised", (("u", 0),), "total", "[0:32, 0:64]"),
    "before_begin": ([[0, 0], [-32, 0], [64, 0]], "view-outside", (("u", 1),), "x", "[-32:0, 0:64]"),
    "beyond_end": ([[0, 0], [32, 0], [80, 0]], "write-outside", (("u", 2),), "out", "[80:112, 0:64]"),
}


@pytest.mark.parametrize("name", MISREPORTED)
def test_what_pypto_misreports_is_found_too(forked, tmp_path, name):
    """PyPTO ends the launch with an error that does not say what is wrong; the trace is whole and says it."""
    table, kind, indices, tensor, region = MISREPORTED[name]
    launch, said = forked(odd_kernels.break_, name, table, tmp_path)
    sanitizer = Sanitizer()
    replay(launch, [sanitizer])
    found = sanitizer.findings[0]
    assert (found.kind, found.indices, found.tensor, found.region) == (kind, indices, tensor, region)
    assert found.line == line_of(name, odd_kernels.__file__)
    assert kind not in said
