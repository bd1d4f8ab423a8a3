"""The verdict on the outputs of one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from verification.dut import OutputSpec, References
from verification.record import Check, OutputResult
from verification.scoreboard import gates as gates_module
from verification.scoreboard.digest import digest
from verification.scoreboard.exact import check_exact
from verification.scoreboard.form import check_form, refused
from verification.scoreboard.head import check_head
from verification.scoreboard.layout import layout_of
from verification.scoreboard.locate import locate
from verification.scoreboard.lse import check_lse
from verification.scoreboard.maximum import check_maximum
from verification.scoreboard.measure import Measures, measure
from verification.scoreboard.reference import check_references, zero_rows
from verification.scoreboard.row import check_row
from verification.scoreboard.small import check_small
from verification.scoreboard.standards import Standards
from verification.scoreboard.structure import check_structure
from verification.scoreboard.triple import Triple
from verification.scoreboard.ulp import format_of


def judge(
    outputs: Mapping[str, torch.Tensor],
    references: References,
    specs: Sequence[OutputSpec],
    *,
    dtype: str,
    gates: Sequence[str] = (),
) -> tuple[OutputResult, ...]:
    """Compares the outputs of one call with its references.

    Whatever a DUT returned gives a result: a missing output, a wrong shape or dtype, NaN everywhere are failures,
    never exceptions.

    Args:
        outputs: what the DUT returned, by name; CPU tensors of any strides.
        references: gold (float64) and same-precision reference, by output name.
        specs: the outputs that must be there, in the order of the results.
        dtype: the case's dtype, for outputs whose dtype is ``input``.
        gates: further rules, ``published`` or the name of a standard.

    Returns:
        One result per spec, then one failed result per output that no spec names.

    Raises:
        ReferenceFault: a reference is missing, has another shape than gold, or is NaN or infinite where a right answer
            cannot be.
        ValueError: dtype, gates or specs are not legal.
    """
    gates_module.check_names(gates)
    results = [_judge_one(outputs.get(spec.name), references, spec, dtype=dtype, gates=gates) for spec in specs]
    unknown = sorted(set(outputs) - {spec.name for spec in specs})
    return (*results, *(refused(name, outputs[name], "no spec names this output") for name in unknown))


def _judge_one(
    found: torch.Tensor | None, references: References, spec: OutputSpec, *, dtype: str, gates: Sequence[str]
) -> OutputResult:
    form = format_of(dtype if spec.dtype == "input" else spec.dtype)
    gold, same = check_references(references, spec, form)
    problem = check_form(found, gold, form)
    if found is None or problem:
        return refused(spec.name, found, problem)
    layout = layout_of(tuple(gold.shape), spec.dims, kind=spec.kind)
    tensor = spec.kind == "tensor"
    triple = Triple(
        layout=layout,
        form=form,
        found=layout.arrange(found.detach()),
        gold=layout.arrange(gold),
        same=layout.arrange(same),
        exact=references.exact and tensor,
        zeros=zero_rows(references, spec, layout) if tensor else np.zeros(layout.groups * layout.rows, dtype=np.bool_),
        noise=float(references.noise.get(spec.name, 0.0)),
    )
    standards = Standards(form, k=spec.k)
    published = gates_module.PublishedGate(spec.kind)
    gated = gates_module.PUBLISHED in gates
    measures = measure(triple, standards, *([published] if gated else []))
    beside = standards.results()
    checks = [check_structure(measures, triple), *_rules(measures, spec, exact=triple.exact)]
    for gate in gates:
        by_standard = gate != gates_module.PUBLISHED
        checks.append(gates_module.check_standard(gate, beside) if by_standard else published.check())
    passed = all(check.passed for check in checks)
    return OutputResult(
        name=spec.name,
        shape=tuple(found.shape),
        dtype=form.name,
        passed=passed,
        max_error=float(measures.max_error.max(initial=0.0)),
        checks=tuple(checks),
        standards=beside,
        location=None
        if passed
        else locate(
            triple,
            measures,
            spec,
            row_block=references.kv_block if layout.row_axis == "kv_row" else references.row_block,
            gate=published if gated else None,
        ),
        digest=digest(found),
    )


def _rules(measures: Measures, spec: OutputSpec, *, exact: bool) -> list[Check]:
    if spec.kind == "lse":
        return [check_lse(measures)]
    if exact:
        return [check_exact(measures)]
    return [
        check_maximum(measures, k=spec.k),
        check_row(measures, k=spec.k),
        check_head(measures, k=spec.k),
        check_small(measures),
    ]
