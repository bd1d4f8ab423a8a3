"""All rules over a file, with what the expectation of a PyPTO version says of each."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from verification.limits import LIMITS
from verification.limits.expectation import Expectation
from verification.limits.expectation import Finding as Shown
from verification.limits.limit import ACTIVE, LIFTED
from verification.limits.tags import uses_of
from verification.lint import loops, modules, operations, outputs, scalars
from verification.lint.finding import ERROR, WARNING, Finding, Match
from verification.lint.scope import Kernel, kernels

KERNEL_RULES: Final[tuple[Callable[[Kernel], Iterator[Match]], ...]] = (
    scalars.explicit_cond,
    scalars.symbolic_power,
    scalars.boolean_of_condition,
    scalars.python_min_max,
    scalars.control_flow,
    operations.two_expanded_axes,
    operations.where_scalar,
    operations.cast_from_bool,
    operations.fp16_sum,
    operations.composed_of_a_part,
    operations.zeros,
    operations.cube_tile,
    operations.column_view,
    operations.ignored_keyword,
    loops.unroll_list,
    outputs.reshaped_output,
    outputs.copied_input,
    outputs.moved_source,
    outputs.update_by_assemble,
    outputs.double_assemble,
)
SYNCHRONIZE: Final = "missing-synchronize"
Effect: TypeAlias = tuple[int, str, str]
"""A limit, a level, and what it surfaces as."""


def lint_file(path: Path, expectation: Expectation) -> list[Finding]:
    """Lints one file.

    Args:
        path: a Python file.
        expectation: of the PyPTO version linted for.

    Raises:
        OSError: it cannot be read.
        SyntaxError: it is not Python, or in no encoding that it names.
        UnicodeDecodeError: it is not in the encoding that it names, or in UTF-8 if it names none.
        ValueError: it is no file of text, or too deeply nested to be read.
    """
    if path.exists() and not path.is_file():
        raise ValueError("not a regular file")
    with tokenize.open(path) as stream:
        source = stream.read()
    try:
        return lint_source(source, expectation, path=str(path))
    except RecursionError as error:
        raise ValueError("an expression in it is nested too deeply") from error


def lint_source(source: str, expectation: Expectation, *, path: str = "<string>") -> list[Finding]:
    """Lints the source of a module; a line tagged ``# limit N: …`` keeps what it is tagged for to itself.

    Args:
        source: the text.
        expectation: of the PyPTO version linted for.
        path: what the findings call it.

    Raises:
        SyntaxError: it is not Python.
    """
    tagged = {(use.line, use.number) for use in uses_of(source, Path(path))}
    known = rules(expectation)
    found = []
    for match in _matches(ast.parse(source)):
        effect = _effect_of(match, known, expectation)
        if effect is not None:
            limit, level, surfaces = effect
            line, column = getattr(match.node, "lineno", 0), getattr(match.node, "col_offset", 0)
            last = getattr(match.node, "end_lineno", line) or line
            if not any((number, limit) in tagged for number in range(line, last + 1)):
                found.append(
                    Finding(
                        path=path,
                        line=line,
                        column=column + 1,
                        level=level,
                        rule=match.rule,
                        limit=limit,
                        what=match.what,
                        surfaces=surfaces,
                    )
                )
    return sorted(found, key=lambda one: (one.line, one.column, one.rule))


def rules(expectation: Expectation) -> Mapping[str, Effect]:
    """Every rule that applies to a version, with the effect of its first form that is an error, else of its first.

    A rule whose probes are all lifted in that version does not apply.
    """
    found: dict[str, Effect] = {SYNCHRONIZE: (13, WARNING, "")}
    for limit in LIMITS.values():
        for probe in limit.probes:
            finding = expectation.finding("sim", limit.number, probe.name)
            level, surfaces = _effect(finding)
            for rule in probe.lint:
                known = found.get(rule)
                if finding.status != LIFTED and (known is None or (known[1] == WARNING and level == ERROR)):
                    found[rule] = (limit.number, level, surfaces)
    return found


def _effect_of(match: Match, known: Mapping[str, Effect], expectation: Expectation) -> Effect | None:
    """The effect of the form at hand, where the match says which of its rule's it is; None if nothing is wrong."""
    effect = known.get(match.rule)
    if effect is None or not match.probe:
        return effect
    shown = expectation.finding("sim", effect[0], match.probe)
    return None if shown.status == LIFTED else (effect[0], *_effect(shown))


def _effect(shown: Shown) -> tuple[str, str]:
    """The level of what a probe showed, and what it surfaces as."""
    return ERROR if shown.status == ACTIVE else WARNING, shown.evidence


def _matches(tree: ast.Module) -> Iterator[Match]:
    found = kernels(tree)
    for kernel in found:
        for rule in KERNEL_RULES:
            yield from rule(kernel)
    yield from modules.shared_name(found)
    yield from modules.missing_synchronize(tree, found)
