"""Rules on the iterations of ``pypto.loop``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from math import gcd, lcm

from verification.lint.finding import Match
from verification.lint.scope import Kernel, op_name


def unroll_list(kernel: Kernel) -> Iterator[Match]:
    """A loop with an ``unroll_list`` that its bounds do not fit, or, where they are no numbers, need not fit."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and op_name(node.iter) == "loop":
            probe = _probe(kernel, node.iter)
            if probe:
                yield Match(rule="unroll-list", node=node.iter, what=ast.unparse(node.iter), probe=probe)


def _probe(kernel: Kernel, call: ast.Call) -> str:
    """The probe of limit 27 that a loop is like; empty where it is right, or its list is not to be seen."""
    factors = _factors(kernel, call)
    known = 1 <= len(call.args) <= 3 and not any(isinstance(one, ast.Starred) for one in call.args)
    if not known or not factors or factors == [1]:
        return ""
    bounds = [ast.Constant(0), *call.args] if len(call.args) == 1 else [*call.args]
    begin, end, step = (kernel.bound_to(one) for one in (*bounds, ast.Constant(1))[:3])
    numbers = [number for one in (begin, end, step) if (number := kernel.integer(one)) is not None]
    if len(numbers) == 3 and numbers[2] > 0:
        return _wrong(numbers[0], numbers[1], numbers[2], factors)
    whole = (kernel.integer(step) or 0) * factors[0]
    if not _is_multiple(kernel, begin, whole):
        return "begin-of-a-table"
    return "" if factors[-1] == 1 or _is_multiple(kernel, end, whole) else "without-one"


def _factors(kernel: Kernel, call: ast.Call) -> list[int]:
    """The factors of a loop's ``unroll_list``, largest first; none where it has none or they are not to be seen."""
    for keyword in call.keywords:
        if keyword.arg == "unroll_list":
            listed = kernel.bound_to(keyword.value)
            found = [kernel.integer(one) for one in listed.elts] if isinstance(listed, _LISTS) else []
            numbers = {one for one in found if one is not None and one > 0}
            return sorted(numbers, reverse=True) if None not in found else []
    return []


_LISTS = (ast.List, ast.Tuple, ast.Set)


def _wrong(begin: int, end: int, step: int, factors: Sequence[int]) -> str:
    """How the iterations of a loop differ from those of ``range``; empty if they do not."""
    period = step * lcm(*factors)
    end -= period * max(0, (end - begin) // period - 2)
    run = iterations(begin, end, step, factors)
    if run == list(range(begin, end, step)):
        return ""
    if len(set(run)) < len(run):
        return "twice"
    if min(run, default=begin) < begin:
        return "before-the-begin"
    return "begin" if factors[-1] == 1 else "without-one"


def iterations(begin: int, end: int, step: int, factors: Sequence[int]) -> list[int]:
    """The iterations of a loop with an ``unroll_list`` that PyPTO 0.2.0 runs, in their order.

    Args:
        begin: of the loop.
        end: of the loop.
        step: of the loop, 1 or more.
        factors: those of the list, largest first.
    """
    run: list[int] = []
    first, left = begin, end
    for factor in factors:
        left = 0 if factor == factors[-1] else left % (step * factor)
        for index in range(first, end - left, step * factor):
            run += range(index, index + step * factor, step)
        first = end - left
    return run


def _is_multiple(kernel: Kernel, node: ast.expr, of: int) -> bool:
    """Whether an expression is a multiple of a number, for all that its source tells; of 0, whether it is 0."""
    found = _divisor(kernel, node)
    return found % of == 0 if of else found == 0


def _divisor(kernel: Kernel, node: ast.expr) -> int:
    """A number that divides an expression; 0 divides 0 alone."""
    node = kernel.bound_to(node)
    number = kernel.integer(node)
    if number is not None:
        return abs(number)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _divisor(kernel, node.left) * _divisor(kernel, node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return gcd(_divisor(kernel, node.left), _divisor(kernel, node.right))
    return 1
