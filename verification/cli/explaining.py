"""What ``replay --explain`` says: the first statement that goes wrong, else the first compile pass that does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bsa.messages import text
from verification.record import Record

AGREES = 0.02
"""Largest difference between our float64 replay and PyPTO's outputs, relative to the output's largest element, that
rounding explains: intermediates are rounded to 8 bits at the coarsest."""


def explanation(record: Record, *, declared: bool) -> list[str]:
    """A record's explanation, in words.

    Args:
        record: of a case that was run with ``explain``.
        declared: whether its DUT says what its variables should hold.
    """
    explained = record.measurement.explained
    lines: list[str] = [] if declared else [text("cli.explain.undeclared", dut=str(record.case["dut"]))]
    lines += [text("cli.explain.nothing")] if declared and not explained else []
    for number, one in enumerate(explained, 1):
        found = _launch(one)
        words = {"number": number, "kernel": str(one["kernel"]), "words": found[0]}
        lines += [text("cli.explain.launch", **words), *found[1:]]
        if one.get("divergence") is not None:
            return lines
    return lines + _passes(record)


def _launch(one: Mapping[str, Any]) -> list[str]:
    if "problem" in one:
        return [text("cli.explain.problem", why=str(one["problem"]).strip().splitlines()[-1])]
    first = one["divergence"]
    if first is None:
        lines = [text("cli.explain.agrees" if one["compared"] else "cli.explain.none", count=one["compared"])]
        lines += [text(f"cli.explain.{key}", names=", ".join(one[key])) for key in ("unknown", "silent") if one[key]]
        off = float(one["off"])
        return [*lines, text("cli.explain.pypto", off=f"{off:.2g}")] if off > AGREES else lines
    indices = ", ".join(f"{name}={value}" for name, value in first["indices"])
    lines = [text("cli.explain.first", place=f"{first['file']}:{first['line']}", indices=indices)]
    lines.append(f"    {first['source']}")
    if first["called_from"] is not None:
        line, source = first["called_from"]
        lines.append(text("cli.explain.called", line=line, source=source))
    values = {"name": first["name"], "element": ", ".join(map(str, first["element"]))}
    if first["why"]:
        return [*lines, text("cli.explain.why", name=first["name"], why=first["why"])]
    numbers = {key: f"{float(first[key]):.6g}" for key in ("expected", "found")}  # JSON has NaN as text
    return [*lines, text("cli.explain.values", **values, **numbers)]


def _passes(record: Record) -> list[str]:
    """The first pass whose outputs differ, where the passes were interpreted."""
    if record.measurement.pass_filter == "none":
        return [text("cli.explain.no_passes")]
    for name, difference in record.measurement.passes.items():
        if difference:
            return [text("cli.explain.pass", name=name, difference=difference)]
    return [text("cli.explain.passes_agree", count=len(record.measurement.passes))]
