"""Every form is found with its limit and line, and nothing else is."""

import inspect
import textwrap
from pathlib import Path

import pytest

from verification.limits import LIMITS
from verification.limits.expectation import Expectation, Finding, expectation_for
from verification.limits.limit import ACTIVE, LIFTED
from verification.lint import ERROR, WARNING, lint_file, lint_source
from verification.lint.linter import SYNCHRONIZE, rules

ROOT = Path(__file__).parents[3]
EXPECTATION = expectation_for("0.2.0")
PROBES = [(limit, probe) for limit in LIMITS.values() for probe in limit.probes]


def _source(probe):
    return textwrap.dedent(inspect.getsource(probe.build))


def _lint(source):
    return lint_source(textwrap.dedent(source), EXPECTATION)


@pytest.mark.parametrize(("limit", "probe"), PROBES, ids=lambda one: getattr(one, "name", getattr(one, "number", "")))
def test_probe_is_found_as_it_behaves(limit, probe):
    """A form that fails in 0.2.0 is an error if lint knows it, one that works is none: each was run to know."""
    found = _lint(_source(probe))
    assert tuple(sorted({one.rule for one in found})) == tuple(sorted(probe.lint))
    if EXPECTATION.finding("sim", limit.number, probe.name).status != ACTIVE:
        assert ERROR not in {one.level for one in found}
    elif probe.lint:
        assert ERROR in {one.level for one in found}
        assert limit.number in {one.limit for one in found}


SEVERAL = [
    (limit, probe)
    for limit, probe in PROBES
    if probe.lint and EXPECTATION.finding("sim", limit.number, probe.name).evidence
]


@pytest.mark.parametrize(("limit", "probe"), SEVERAL, ids=lambda one: getattr(one, "name", getattr(one, "number", "")))
def test_a_form_surfaces_as_its_own_probe_did(limit, probe):
    """Where a rule has several forms, each with its own error: while is not refused in the words of return."""
    surfaces = {one.surfaces for one in _lint(_source(probe)) if one.limit == limit.number}
    assert surfaces == {EXPECTATION.finding("sim", limit.number, probe.name).evidence}


def test_a_form_that_is_lifted_is_no_finding():
    """Though others of its rule are not."""
    findings = {**EXPECTATION.findings, ("sim", 19, "while"): Finding(status=LIFTED)}
    known = Expectation(pypto="x", findings=findings)
    assert lint_source(_source(LIMITS[19].probe("while")), known) == []
    assert len(lint_source(_source(LIMITS[19].probe("return")), known)) == 1


PART = """
    import pypto
    C = 128

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        for i in pypto.loop(2):
            part = pypto.view(x, [64, 128], [i * 64, 0]{valid})
            pypto.assemble({result}, [i * 64, 0], y)
"""


@pytest.mark.parametrize(
    ("valid", "result", "count"),
    [
        (", valid_shape=[pypto.min(100 - i * 64, 64), 128]", "pypto.sigmoid(pypto.exp(pypto.mul(part, 2.0)))", 1),
        (", valid_shape=[pypto.min(100 - i * 64, 64), 128]", "pypto.rms_norm(pypto.cast(part, pypto.DT_FP32))", 1),
        (", valid_shape=[pypto.min(100 - i * 64, 64), 128]", "pypto.softmax(part, -1)", 0),
        (", valid_shape=[64, 128]", "pypto.sigmoid(part)", 0),
        (", valid_shape=(64, C)", "pypto.sigmoid(part)", 0),
        ("", "pypto.sigmoid(part)", 0),
    ],
)
def test_sigmoid_of_a_part_is_found_through_other_operations(valid, result, count):
    """Not of a whole tile, and not of what PyPTO composes without a tile of ones."""
    assert [one.rule for one in _lint(PART.format(valid=valid, result=result))] == count * ["composed-of-a-part"]


def test_our_kernels_are_clean():
    """Nothing is reported on what we ship, but in the probes."""
    paths = [path for folder in ("bsa", "docs/examples") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 20
    assert [one for path in paths for one in lint_file(path, EXPECTATION)] == []


LAUNCH = """
    def make(pypto):
        @pypto.frontend.jit()
        def kernel(x, y):
            y[:] = pypto.add(x, 1.0)
        return kernel

    def wrapper(x, y):
        run = make(load())
        {before}
        run(x, y)
"""


def test_launch_without_synchronize_is_a_warning():
    """With the line of the launch; sim cannot show it, so it is no error."""
    (found,) = _lint(LAUNCH.format(before="x.mul_(2)"))
    assert (found.rule, found.limit, found.level, found.line) == (SYNCHRONIZE, 13, WARNING, 11)


def test_launch_after_synchronize_is_fine():
    """Of whatever device runtime."""
    assert _lint(LAUNCH.format(before="torch.npu.synchronize()")) == []


def test_tag_keeps_a_finding_to_itself():
    """Only that of its number."""
    line = "        run(x, y)"
    source = LAUNCH.format(before="x.mul_(2)")
    assert _lint(source.replace(line, line + "  # limit 13: the caller waits")) == []
    assert len(_lint(source.replace(line, line + "  # limit 12: no"))) == 1


KERNEL = """
    import pypto
    C = 128

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([{rows}, C], pypto.DT_FP32), y: pypto.Tensor([{rows}, C], pypto.DT_FP32)):
        for i in pypto.loop(x.shape[0] // 64):
            part = pypto.view(x, [64, C], [i * 64, 0])
            pypto.assemble(pypto.mul(part, {scale}), [i * 64, 0], y)
"""


@pytest.mark.parametrize(
    ("rows", "scale", "lines"),
    [
        ("pypto.DYNAMIC", "x.shape[0] ** -0.5", [9]),
        ("256", "x.shape[0] ** -0.5", []),
        ("pypto.DYNAMIC", "x.shape[1] ** -0.5", []),
        ("pypto.DYNAMIC", "i * 0.5", [9]),
        ("pypto.DYNAMIC", "C * 0.5", []),
    ],
)
def test_static_sizes_are_numbers(rows, scale, lines):
    """A size that the annotation states is a number to Python, one that the call brings is not."""
    assert [one.line for one in _lint(KERNEL.format(rows=rows, scale=scale))] == lines


@pytest.mark.parametrize("form", ["min(x.shape[0], 4)", "pypto.min(x.shape[0], 4)", "min(3, 4)"])
def test_python_min_only_of_symbols(form):
    """pypto.min, and min of numbers, are right."""
    found = _lint(KERNEL.format(rows="pypto.DYNAMIC", scale=form))
    assert [one.rule for one in found] == (["python-min-max"] if form.startswith("min(x") else [])


MOVED = """
    import pypto

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([64, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        for i in pypto.loop(2):
            share = pypto.mul(x, 2.0)
            {first}
            {second}
            {third}
"""


@pytest.mark.parametrize(
    ("first", "second", "third", "lines"),
    [
        ("a[:] = share", "b[:] = share", "pass", [9]),
        ("a[:] = share", "pass", "c = pypto.add(a, share)", [10]),
        ("a[:] = share", "share = pypto.exp(x)", "b[:] = share", []),
        ("b = pypto.exp(share)", "a[:] = share", "c = pypto.add(a, b)", []),
        ("a[:] = pypto.exp(share)", "b[:] = share", "pass", []),
    ],
)
def test_moved_source_is_found_where_it_is_used(first, second, third, lines):
    """Until its name is bound again; the use before the assignment is right."""
    found = _lint(MOVED.format(first=first, second=second, third=third))
    assert [(one.rule, one.line) for one in found] == [("moved-source", line) for line in lines]


def test_rules_follow_the_version():
    """In a version where a limit is lifted its rule says nothing; where it is active, it is an error."""
    status = {
        ("sim", limit.number, probe.name): Finding(status=LIFTED if limit.number == 2 else ACTIVE)
        for limit, probe in PROBES
    }
    known = rules(Expectation(pypto="x", findings=status))
    assert "explicit-cond" not in known
    assert known["where-scalar"][1] == ERROR
    assert rules(EXPECTATION)["where-scalar"][1] == WARNING


def test_finding_says_what_it_comes_to():
    """The true error, and where."""
    (found,) = _lint(_source(LIMITS[2].probe("explicit-cond")))
    assert "RecordIfBranch" in found.surfaces
    assert found.what.startswith("if pypto.cond(")
    assert "pypto.cond" in _source(LIMITS[2].probe("explicit-cond")).splitlines()[found.line - 1]
