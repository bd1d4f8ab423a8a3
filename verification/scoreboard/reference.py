"""Whether the references can judge at all: a broken reference must never decide a verdict."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from verification.dut import OutputSpec, References
from verification.scoreboard.layout import Layout
from verification.scoreboard.triple import Flags
from verification.scoreboard.ulp import Format


class ReferenceFault(ValueError):  # noqa: N818 - a fault of the reference, not of its caller
    """A reference is missing or cannot be right, so there is nothing to judge by."""


def check_references(references: References, spec: OutputSpec, form: Format) -> tuple[torch.Tensor, torch.Tensor]:
    """Gold and same-precision reference of an output.

    Gold may be -Inf in an LSE (a row that selects nothing), and nothing else may be NaN or infinite: outputs are
    allocated as NaN, so a NaN in gold would let an unwritten output pass.

    Raises:
        ReferenceFault: one is missing, they differ in shape, gold is not float64, or a value is NaN or infinite where
            it may not be.
    """
    gold, same = _one(references.gold, spec, "gold"), _one(references.same, spec, "same")
    if gold.dtype != torch.float64:
        raise ReferenceFault(
            f"gold[{spec.name!r}]: dtype {gold.dtype} is not torch.float64; compute the oracle in float64"
        )
    if gold.shape != same.shape:
        raise ReferenceFault(
            f"same[{spec.name!r}]: shape {list(same.shape)} is not that of gold, {list(gold.shape)}; return both alike"
        )
    empty = torch.isneginf(gold) if spec.kind == "lse" else torch.zeros((), dtype=torch.bool)
    _finite(gold, empty, f"gold[{spec.name!r}]")
    beyond = gold.abs() > form.greatest
    _finite(same, empty | beyond, f"same[{spec.name!r}]")
    if spec.kind == "lse" and not torch.equal(torch.isneginf(same), empty):
        raise ReferenceFault(f"same[{spec.name!r}]: -Inf is not at the places where gold has it; mend a reference")
    return gold, same


def zero_rows(references: References, spec: OutputSpec, layout: Layout) -> Flags | None:
    """Rows that must be exactly zero, [groups * rows]; None if the references do not say.

    Raises:
        ReferenceFault: they have another shape, or gold is not zero there.
    """
    rows = references.zeros.get(spec.name)
    if rows is None:
        return None
    wanted = [size for axis, size in enumerate(layout.shape) if not (layout.has_vector and axis == layout.order[-1])]
    if list(rows.shape) != wanted or rows.dtype != torch.bool:
        raise ReferenceFault(
            f"zeros[{spec.name!r}]: {rows.dtype} {list(rows.shape)} is not torch.bool {wanted}, one flag a row"
        )
    wide = rows.unsqueeze(layout.order[-1]).expand(layout.shape) if layout.has_vector else rows
    flags: Flags = layout.arrange(wide)[:, :1].reshape(-1).numpy()
    gold = layout.arrange(references.gold[spec.name])
    if gold[torch.from_numpy(flags)].any():
        raise ReferenceFault(f"zeros[{spec.name!r}]: gold is not zero in every row marked so; mend a reference")
    return flags


def _one(tensors: Mapping[str, torch.Tensor], spec: OutputSpec, which: str) -> torch.Tensor:
    try:
        return tensors[spec.name].detach()
    except KeyError:
        raise ReferenceFault(f"{which}: no reference for output {spec.name!r}; it has {sorted(tensors)}") from None


def _finite(values: torch.Tensor, allowed: torch.Tensor, name: str) -> None:
    wrong = ~(torch.isfinite(values) | allowed)
    if wrong.any():
        index = wrong.nonzero()[0].tolist()
        value = float(values[tuple(index)])
        raise ReferenceFault(
            f"{name}: {value} at {index} ({int(wrong.sum())} elements); a reference must be finite there"
        )
