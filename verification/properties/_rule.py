"""The rule of a claim: two outputs are equal, or the same within the roundings that a relation allows.

A rounding of a tensor is, per row, ‖a - w‖₂ <= floor * ‖size‖₂ + sqrt(width) * e, with the criterion's floor and e of
the output's dtype: two honest results of the same numbers, added in another order, differ by less. A rounding of a
log-sum-exp is 4 ulp of its size in float32, of 1 at least.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from stimuli.properties import EQUAL, Claim
from verification.dut import OutputSpec
from verification.record import Check, Location, OutputResult, WorstElement
from verification.scoreboard.digest import digest
from verification.scoreboard.heatmap import heatmap, heatmap_axes
from verification.scoreboard.layout import Layout, layout_of
from verification.scoreboard.lse import ULPS
from verification.scoreboard.triple import kinds
from verification.scoreboard.ulp import FORMATS, Array, Format, format_of, ulp
from verification.scoreboard.words import place_words

PREFIX = "relation"
"""Rules are named ``relation:<name>``."""
WORST = 8
"""Elements listed."""


def judge_claim(
    claim: Claim, spec: OutputSpec, relation: str, *, name: str, dtype: str, blocks: tuple[int, int]
) -> OutputResult:
    """One claim judged.

    Args:
        claim: two tensors of one shape.
        spec: how the output is judged.
        relation: the relation's name.
        name: what the result is called.
        dtype: the case's dtype, for outputs whose dtype is ``input``.
        blocks: rows of a block of queries and of keys.
    """
    form = format_of(dtype if spec.dtype == "input" else spec.dtype)
    layout = layout_of(tuple(claim.found.shape), spec.dims, kind=spec.kind)
    found, wanted = _rows(claim.found, layout), _rows(claim.wanted, layout)
    size = wanted if claim.size is None else _rows(claim.size, layout)
    error = _errors(found, wanted)
    norms: Array = np.sqrt(np.einsum("ij,ij->i", error, error)) if claim.factor else error.max(axis=1, initial=0.0)
    limits = _limits(claim.factor, size, spec, form)
    ratios = _ratios(norms, limits)
    check = _check(f"{PREFIX}:{relation}", norms, limits, ratios, claim=claim, layout=layout)
    return OutputResult(
        name=name,
        shape=tuple(claim.found.shape),
        dtype=form.name,
        passed=check.passed,
        max_error=float(error.max(initial=0.0)),
        checks=(check,),
        location=None if check.passed else _location((found, wanted, error), ratios, layout, blocks),
        digest=digest(claim.found),
    )


def _rows(tensor: torch.Tensor, layout: Layout) -> Array:
    array: Array = layout.arrange(tensor.detach()).to(torch.float64).numpy()
    return array


def _errors(found: Array, wanted: Array) -> Array:
    """|a - w|; inf where either is NaN, which no right output holds, or where they are not finite alike."""
    alike = (kinds(found) == kinds(wanted)) & ~np.isnan(found)
    both = np.isfinite(found) & np.isfinite(wanted)
    with np.errstate(invalid="ignore"):
        plain = np.abs(found - wanted)
    errors: Array = np.where(both, plain, np.where(alike, 0.0, np.inf))
    return errors


def _limits(factor: float, size: Array, spec: OutputSpec, form: Format) -> Array:
    """The error that each row may have."""
    known = np.where(np.isfinite(size), size, 0.0)
    if factor == EQUAL:
        return np.zeros(len(known))
    if spec.kind == "lse":
        largest = np.maximum(np.abs(known).max(axis=1, initial=0.0), 1.0)
        lse: Array = factor * ULPS * ulp(largest, FORMATS["float32"])
        return lse
    norms = np.sqrt(np.einsum("ij,ij->i", known, known))
    tensor: Array = factor * (form.row_floor * norms + math.sqrt(known.shape[1]) * form.small_error)
    return tensor


def _ratios(norms: Array, limits: Array) -> Array:
    positive = np.where(limits > 0.0, limits, 1.0)
    ratios: Array = np.where(limits > 0.0, norms / positive, np.where(norms > 0.0, np.inf, 0.0))
    return ratios


def _check(rule: str, norms: Array, limits: Array, ratios: Array, *, claim: Claim, layout: Layout) -> Check:
    if not ratios.size:
        return Check(rule=rule, passed=True, value=0.0, limit=0.0, ratio=0.0)
    worst = int(np.lexsort((norms, ratios))[-1])
    value, limit, ratio = float(norms[worst]), float(limits[worst]), float(ratios[worst])
    wrong = int((ratios > 1.0).sum())
    detail = ""
    if wrong:
        place = layout.words(worst)
        detail = (
            f"call {claim.call} is off by {value:.3g} at {place}, allowed {limit:.3g}; {wrong} of {ratios.size} rows"
        )
    return Check(rule=rule, passed=not wrong, value=value, limit=limit, ratio=ratio, detail=detail)


def _location(values: tuple[Array, Array, Array], ratios: Array, layout: Layout, blocks: tuple[int, int]) -> Location:
    """Where rows are beyond the limit; ``values`` are what was found, what was wanted, and the errors."""
    found, wanted, error = values
    row_block = blocks[1] if layout.row_axis == "kv_row" else blocks[0]
    failing = ratios > 1.0
    wide = (layout.groups, layout.rows)
    beyond = np.where(failing[:, None], error, 0.0)
    count, total = int((beyond > 0.0).sum()), error.size
    order = np.argsort(-beyond, axis=None, kind="stable")[: min(WORST, count)]
    places = [(int(row), int(element)) for row, element in zip(*np.unravel_index(order, error.shape), strict=True)]
    return Location(
        text=f"{place_words(layout, failing.reshape(wide), row_block)} ({count} of {total} elements)",
        count=count,
        total=total,
        worst=tuple(
            WorstElement(
                index=layout.index(row, element),
                found=float(found[row, element]),
                expected=float(wanted[row, element]),
                error=float(error[row, element]),
            )
            for row, element in places
        ),
        heatmap=heatmap(ratios.reshape(wide), row_block),
        heatmap_axes=heatmap_axes(layout, row_block),
    )
