"""Loops with an unroll_list: lint reports those that run other iterations than Python's range, as measured."""

import textwrap
from collections import Counter

import pytest

from tests.verification.lint import loop_kernels
from tests.verification.lint.loop_kernels import LOOPS
from verification.limits.expectation import expectation_for
from verification.lint import ERROR, lint_source
from verification.lint.loops import iterations

KERNEL = """
    import pypto
    FACTORS = [4, 1]
    BLOCK = 8

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([512, 64], pypto.DT_FP32), t: pypto.Tensor([9, 4], pypto.DT_INT32),
               y: pypto.Tensor([512, 64], pypto.DT_FP32)):
        zero = 0
        one = 1
        aligned = t[0, 1] // 4 * 4
        factors = [2, 1]
        for j in {loop}:
            pypto.assemble(pypto.add(pypto.view(x, [8, 64], [j * 8, 0]), 1.0), [j * 8, 0], y)
"""


def _lint(loop):
    found = lint_source(textwrap.dedent(KERNEL.format(loop=loop)), expectation_for("0.2.0"))
    assert all((one.rule, one.limit, one.level, one.line) == ("unroll-list", 27, ERROR, 13) for one in found)
    return len(found)


def test_iterations_are_those_that_the_simulator_runs(forked):
    """Loop by loop, and how often; what lint knows of PyPTO was run."""
    for (begin, end, step, listed), counts in zip(LOOPS, forked(loop_kernels.counts), strict=True):
        ran = {index: count for index, count in enumerate(counts) if count}
        assert ran == Counter(iterations(begin, end, step, sorted(listed, reverse=True))), (begin, end, step, listed)


@pytest.mark.parametrize(("begin", "end", "step", "listed"), LOOPS)
def test_a_loop_of_numbers_is_an_error_if_it_runs_other_iterations(begin, end, step, listed):
    """Of the loops that ran, exactly those that are not Python's."""
    right = iterations(begin, end, step, sorted(listed, reverse=True)) == list(range(begin, end, step))
    assert right == ((begin, end, step, listed) in LOOPS[:5])
    assert _lint(f"pypto.loop({begin}, {end}, {step}, unroll_list={list(listed)})") == (not right)


@pytest.mark.parametrize(
    "loop",
    [
        "pypto.loop(t[0, 0], unroll_list=[4, 1])",
        "pypto.loop(0, t[0, 0], t[0, 1], unroll_list=[4, 1])",
        "pypto.loop(zero, t[0, 0], unroll_list=[4, 1])",
        "pypto.loop(t[0, 0], t[0, 1])",
        "pypto.loop(t[0, 0], t[0, 1], unroll_list=[1])",
        "pypto.loop(8, t[0, 1], unroll_list=FACTORS)",
        "pypto.loop(8, t[0, 1], 2, unroll_list=FACTORS)",
        "pypto.loop(BLOCK, t[0, 1], unroll_list=[8, 4, 2, 1])",
        "pypto.loop(t[0, 0] * 4, t[0, 1], unroll_list=[4, 2, 1])",
        "pypto.loop(aligned + 8, t[0, 1], unroll_list=[4, 2, 1])",
        "pypto.loop(0, aligned, unroll_list=[4])",
        "pypto.loop(1, 1000000001, unroll_list=[1])",
        "pypto.loop(2, 1000000001, unroll_list=[2, 1])",
        "pypto.loop(one, t[0, 0], unroll_list=t)",
        "pypto.loop_unroll(1, 4, unroll_list=[2, 1])",
    ],
)
def test_right_loops_are_clean(loop):
    """Begin 0, a begin that is a multiple of the largest pass, and what is not to be seen."""
    assert _lint(loop) == 0


@pytest.mark.parametrize(
    "loop",
    [
        "pypto.loop(t[0, 0], t[0, 1], unroll_list=[2, 1])",
        "pypto.loop(one, t[0, 1], unroll_list=[2, 1])",
        "pypto.loop(one, 4, unroll_list=factors)",
        "pypto.loop(2, t[0, 1], unroll_list=FACTORS)",
        "pypto.loop(4, t[0, 1], 2, unroll_list=FACTORS)",
        "pypto.loop(t[0, 0] * 2, t[0, 1], unroll_list=(4, 2, 1))",
        "pypto.loop(aligned + 2, t[0, 1], unroll_list={4, 1})",
        "pypto.loop(t[0, 0], unroll_list=[4])",
        "pypto.loop(aligned + 2, unroll_list=[4])",
        "pypto.loop(1, t[0, 0], t[0, 1], unroll_list=[2, 1])",
        "pypto.loop(1, 1000000000, unroll_list=[2, 1])",
    ],
)
def test_loops_that_need_not_fit_are_errors(loop):
    """Where the bounds are no numbers: wrong for some of their values."""
    assert _lint(loop) == 1
