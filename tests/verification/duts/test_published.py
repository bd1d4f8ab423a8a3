"""A checkout of the published implementation as a DUT: found, called in both forms, judged, and its faults named."""

import os
import re
import sys
from collections import namedtuple
from pathlib import Path
from types import ModuleType

import pytest
import torch
from attempts import attempt

from tests.support import runs
from verification.backends import open_backend
from verification.dut import find_duts
from verification.duts import _published
from verification.duts._published import ROOT, call, root, sources
from verification.duts.published_bsa import BACKWARD, FORWARD
from verification.limits import LIMITS
from verification.limits.tags import uses

CHECKOUT = Path(__file__).parents[2] / "support" / "published"
FAULTS = {
    "field/F04 no lengths": ("out", "query block 0", "only rows that select nothing or lie beyond .* must be 0"),
    "properties/padding-poison: keys": ("out@2", "rows", "NaN or Inf that the inputs hold spreads"),
    "field/F08 logits near -9.2e4": ("lse", "all 256 rows", "a finite minus infinity outweighs the true logits"),
    "properties/edited-mask: sparse": ("out@2", "rows", "call 2 returned the answer of call 1, as tables kept by an"),
    "field/F10 rows from 300 on = 1e3": ("out", "query block 1 rows 300..511", "must be 0, .* as the mean of V would"),
    "field/F03 256x1536": ("lse", "all 256 rows", "a scale stored in FP16"),
}
"""The published faults: the case that shows each, the output, and the place and the cause that the record names."""
MEASURED = [
    (FORWARD, "field/F06 Hq14 Hkv2", 3454),
    (FORWARD, "field/F11 transposed", 755),
    (FORWARD, "field/F12 mask edited in place", 1069),
    (FORWARD, "field/F15 64x64 blocks", 1225),
    (FORWARD, "field/F09 300 keys", 527),
    (BACKWARD, "field/F01 random V", 696),
    (BACKWARD, "field/F02 S296", 1269),
    (BACKWARD, "field/F03 1024x512", 889),
    (BACKWARD, "field/F05 all ones", 1229),
    (BACKWARD, "field/F06 Hq8 Hkv2", 2846),
    (BACKWARD, "field/F12 mask freed and replaced", 2013),
    (BACKWARD, "field/F15 128x128 blocks", 4241),
]
"""Cases, and the peak in MiB that their records held."""


@pytest.fixture(autouse=True)
def _checkout(monkeypatch):
    monkeypatch.setenv(ROOT, str(CHECKOUT))


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


def _case(dut, name):
    return next(case for spec in dut.suites() for case in spec.cases if case.name == name)


def test_found_where_the_variable_says(monkeypatch, tmp_path):
    """Sources of the pass, none of the other; a folder without its folders is refused with the variable's name."""
    assert root() == CHECKOUT
    assert {Path(one).name for one in FORWARD.kernel_sources()} == {"bsa_common.py", "bsa_fwd_impl.py"}
    assert sources("BWD") == (str(CHECKOUT / "BWD" / "bsa_bwd_impl.py"),)
    monkeypatch.setenv(ROOT, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=rf"{ROOT}=.*no folder common/"):
        root()


def test_relative_name_counts_from_where_the_command_began(tmp_path):
    """A case runs in a folder of its own, and its DUT is found all the same."""
    asked = ("--dut", "published.forward", "--suite", "field", "--cases", "field/F09 300 keys", "--out", "out/run")
    env = {ROOT: os.path.relpath(CHECKOUT, tmp_path)}
    done = runs.exec_bsa_verify("run", *asked, cwd=tmp_path, env=env)
    assert "1 passed, 0 failed" in done.stdout, done.stdout + done.stderr


def test_without_the_variable_there_is_nothing_to_run(monkeypatch, tmp_path):
    """No suite has a case of it, and asking for it by name says what is missing."""
    monkeypatch.delenv(ROOT)
    assert FORWARD.suites() == BACKWARD.suites() == ()
    asked = runs.bsa_verify("run", "--dut", "published.forward", "--suite", "field", cwd=tmp_path, env={ROOT: ""})
    assert asked.returncode == 4
    assert f"{ROOT} names no checkout" in asked.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("dut", [FORWARD, BACKWARD], ids=lambda one: one.name)
def test_cases_are_those_that_the_interface_can_say(dut):
    """No TND, BF16 or scale; every suite of ours is there, and the fields' forms in BNSD FP16."""
    ours = {spec.name: spec for spec in find_duts()[dut.name.replace("published", "bsa")].suites()}
    found = {spec.name: spec for spec in dut.suites()}
    assert set(found) == set(ours)
    for name in ("field", "properties", "published", "smoke"):
        assert 0 < len(found[name].cases) <= len(ours[name].cases)
        for case in found[name].cases:
            assert case.params.get("layout", "BNSD") == "BNSD"
            assert case.params.get("dtype", "float16") == "float16"
            assert case.params.get("scale") is None
    assert [case.name for case in found["published"].cases] == [case.name for case in ours["published"].cases]


@pytest.mark.parametrize(("dut", "name", "mib"), MEASURED)
def test_estimate_is_above_the_peak_and_not_far(dut, name, mib):
    """Up to twice what was measured."""
    estimate = dut.capacity(_case(dut, name), "sim").bytes / 2**20
    assert mib <= estimate <= 2 * mib


def test_case_beyond_memory_is_not_run_with_the_figure(backend, tmp_path):
    """Copies and masks of one case, several calls included, are counted before anything is made."""
    record = attempt(backend, tmp_path, "published.forward", "field/F13 repeated", bytes_=2 << 30)
    once = FORWARD.capacity(_case(FORWARD, "field/F06 Hq4 Hkv4"), "sim").bytes
    assert record.verdict == "NOT_RUN"
    assert float(re.search(r"estimated memory ([\d.]+) GiB", record.reason)[1]) * 2**30 > once


@pytest.fixture
def _two_forms(monkeypatch):
    """A checkout with a function that takes one argument, and one of an older version that takes them by name."""
    Inputs = namedtuple("Inputs", "query cfg")  # noqa: PYI024 - as the published one is
    newer, older = ModuleType("newer"), ModuleType("older")
    newer.Inputs, newer.run = Inputs, lambda inputs: (inputs.query, inputs.cfg)
    older.run = lambda query, cfg=None: (query, cfg)
    monkeypatch.setitem(sys.modules, "newer", newer)
    monkeypatch.setitem(sys.modules, "older", older)
    monkeypatch.setattr(_published, "device_on_cpu", _nothing)
    monkeypatch.setattr(_published, "simulate", _nothing)


class _nothing:  # noqa: N801 - stands for a function
    def __init__(self, **options):
        del options

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


@pytest.mark.usefixtures("_two_forms")
@pytest.mark.parametrize("module", ["newer", "older"])
def test_both_forms_of_the_call(module):
    """One argument that holds all, or all by name; what a version does not know must not be dropped in silence."""
    query = torch.ones(1)
    assert call(module, "run", "Inputs", {"query": query, "cfg": 3, "mask": None}) == (query, 3)
    with pytest.raises(TypeError, match=f"takes no mask: {ROOT} names another version"):
        call(module, "run", "Inputs", {"query": query, "mask": query})


def _result(record, output):
    return next(one for one in record.outputs if one.name == output)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_located_and_named(backend, tmp_path, name):
    """The six faults of the published strategy, each by a case of suites field and properties."""
    output, place, cause = FAULTS[name]
    record = attempt(backend, tmp_path, "published.forward", name)
    assert record.verdict == "FAIL"
    location = _result(record, output).location
    assert place in location.text
    assert re.search(cause, location.cause), location.cause


def test_compact_variant_uses_workarounds_that_our_kernels_do_without():
    """Its tagged lines give limits 4, 5, 6, 7 and 12 a user; every tag names a limit that there is."""
    numbers = {use.number for use in uses([*FORWARD.kernel_sources(), *BACKWARD.kernel_sources()])}
    assert {4, 5, 6, 7, 12} <= numbers <= set(LIMITS)


def test_sound_case_differs_by_the_scale_alone(backend, tmp_path):
    """What no fault touches is right: a stand-in that is wrong throughout would show nothing."""
    record = attempt(backend, tmp_path, "published.forward", "field/F15 64x64 blocks")
    assert _result(record, "out").passed
    backward = attempt(backend, tmp_path, "published.backward", "properties/repeat: sparse")
    assert all(one.passed for one in backward.outputs if one.name == "dv")
