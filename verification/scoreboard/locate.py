"""Where an output differs: in words, as the worst elements, as a heat-map, and what the pattern looks like."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from verification.dut import OutputSpec
from verification.record import Location, WorstElement
from verification.scoreboard.cause import explain
from verification.scoreboard.evidence import Evidence
from verification.scoreboard.gates import PublishedGate
from verification.scoreboard.heatmap import heatmap, heatmap_axes
from verification.scoreboard.lse import lse_limits
from verification.scoreboard.maximum import maximum_limit
from verification.scoreboard.measure import Measures
from verification.scoreboard.severity import severity
from verification.scoreboard.triple import SLAB_ELEMENTS, Slab, Triple
from verification.scoreboard.ulp import Array
from verification.scoreboard.words import place_words

WORST = 8
"""Elements listed."""


def locate(
    triple: Triple, measures: Measures, spec: OutputSpec, *, row_block: int = 0, gate: PublishedGate | None = None
) -> Location:
    """Describes the difference of an output that failed.

    Args:
        triple: the output and its references.
        measures: what :func:`measure` found.
        spec: how the output is judged.
        row_block: rows of a block; 0 = not blocked.
        gate: the published gate after it has seen every slab, if it judges too.
    """
    layout = triple.layout
    own = severity(measures, spec, exact=triple.exact)
    ratios = own if gate is None else np.maximum(own, gate.rows)
    failing = ratios > 1.0
    allowed = _allowed(measures, own, spec, exact=triple.exact)
    wide = (layout.groups, layout.rows)
    count, columns = _elements(triple, np.flatnonzero(failing), allowed, gate)
    evidence = Evidence(
        triple=triple,
        measures=measures,
        kind=spec.kind,
        failing=failing.reshape(wide),
        severity=ratios.reshape(wide),
        columns=columns,
        count=count,
        row_block=row_block,
    )
    cause, fit = explain(evidence)
    total = math.prod(layout.shape)
    return Location(
        text=f"{place_words(layout, evidence.failing, row_block)} ({count} of {total} elements)",
        count=count,
        total=total,
        worst=_worst(triple, measures, ratios, allowed, gate),
        heatmap=heatmap(evidence.severity, row_block),
        heatmap_axes=heatmap_axes(layout, row_block),
        ratio_fit=fit,
        cause=cause,
    )


def _allowed(measures: Measures, ratios: Array, spec: OutputSpec, *, exact: bool) -> Array:
    """The error beyond which an element of each row counts: the row's largest error over its error ÷ limit."""
    if spec.kind == "lse":
        return lse_limits(measures)
    if exact:
        return np.zeros_like(ratios)
    finite = np.isfinite(ratios) & (ratios > 0.0)
    by_row = measures.max_error / np.where(finite, ratios, 1.0)
    return np.where(finite, by_row, maximum_limit(measures, k=spec.k))


def _excess(slab: Slab, allowed: Array, gate: PublishedGate | None) -> Array:
    """Error ÷ limit of each element; inf where the structure is broken, above 1 means wrong."""
    floor = np.where(allowed > 0.0, allowed, np.finfo(np.float64).tiny)[:, None]
    with np.errstate(over="ignore"):
        ratios = np.minimum(slab.error / floor, np.finfo(np.float64).max)
    if gate is not None:
        ratios = np.maximum(ratios, gate.ratios(slab))
    return np.where(slab.mismatch, np.inf, ratios)


def _elements(
    triple: Triple, numbers: npt.NDArray[np.intp], allowed: Array, gate: PublishedGate | None
) -> tuple[int, npt.NDArray[np.bool_]]:
    """Elements beyond the limit: how many, and in which columns."""
    step = max(1, SLAB_ELEMENTS // max(1, triple.layout.width))
    count, columns = 0, np.zeros(triple.layout.width, dtype=np.bool_)
    for start in range(0, numbers.size, step):
        some = numbers[start : start + step]
        beyond = _excess(triple.rows(some), allowed[some], gate) > 1.0
        count += int(beyond.sum())
        columns |= beyond.any(axis=0)
    return count, columns


def _worst(
    triple: Triple, measures: Measures, ratios: Array, allowed: Array, gate: PublishedGate | None
) -> tuple[WorstElement, ...]:
    rows = np.lexsort((-measures.max_error, -ratios))[:WORST]
    beyond = _excess(triple.rows(rows), allowed[rows], gate)
    order = np.argsort(-beyond, axis=None, kind="stable")[:WORST]
    result: list[WorstElement] = []
    for row, element in zip(*np.unravel_index(order, beyond.shape), strict=True):
        if beyond[row, element] <= 1.0 and result:
            break
        found = float(triple.found[rows[row], element])
        expected = float(triple.gold[rows[row], element])
        error = abs(found - expected)
        result.append(
            WorstElement(
                index=triple.layout.index(int(rows[row]), int(element)), found=found, expected=expected, error=error
            )
        )
    return tuple(result)
