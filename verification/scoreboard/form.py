"""An output's outer form: that it is there, with the right shape and dtype."""

from __future__ import annotations

import math

import torch

from verification.record import Check, OutputResult
from verification.scoreboard.digest import digest
from verification.scoreboard.ulp import Format

RULE = "form"


def check_form(found: torch.Tensor | None, gold: torch.Tensor, form: Format) -> str:
    """What is wrong with the form of an output; empty if nothing is."""
    if found is None:
        return "the output is missing"
    if not isinstance(found, torch.Tensor):
        return f"the output is a {type(found).__name__}, not a tensor"
    if found.shape != gold.shape:
        return f"the shape is {list(found.shape)}, right is {list(gold.shape)}"
    name = _dtype_name(found)
    if name != form.name:
        return f"the dtype is {name}, right is {form.name}"
    if found.layout != torch.strided or found.is_meta:
        return "the output has no dense storage"
    return ""


def refused(name: str, found: torch.Tensor | None, problem: str) -> OutputResult:
    """The failed result of an output that cannot be compared."""
    there = isinstance(found, torch.Tensor)
    return OutputResult(
        name=name,
        shape=tuple(found.shape) if found is not None and there else (),
        dtype=_dtype_name(found) if found is not None and there else "",
        passed=False,
        max_error=math.nan,
        checks=(Check(rule=RULE, passed=False, value=1.0, limit=0.0, ratio=math.inf, detail=problem),),
        digest=digest(found) if found is not None and there and _dense(found) else "",
    )


def _dense(found: torch.Tensor) -> bool:
    return found.layout == torch.strided and not found.is_meta


def _dtype_name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
