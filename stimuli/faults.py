"""The faults of the published forward kernel, each as a case that a right kernel passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stimuli.case import Case, case
from stimuli.parameters import FORWARD_DEFAULTS

_SHAPE: Mapping[str, Any] = {"heads_q": 2, "heads_kv": 1, "seq_q": 512, "seq_kv": 1024}
_POISONED: Mapping[str, Any] = {**_SHAPE, "lengths_q": [300], "lengths_kv": [700]}


def forward_cases(dut: str) -> tuple[Case, ...]:
    """Six faults, seven cases (NaN and Inf apart)."""

    def fault(name: str, what: str, *, program: str = "once", **params: Any) -> Case:
        options = {"kind": program}
        return case(dut, FORWARD_DEFAULTS, name=f"faults/{name}", source=what, program=options, **params)

    return (
        fault(
            "empty query block",
            "attends block 0 where a query block selects nothing and no lengths are given",
            **_SHAPE,
            mask={"family": "empty_rows", "rows": [1]},
            values={"value": "shifted:1"},
        ),
        fault("NaN beyond the lengths", "NaN spreads through S*mask and P@V", **_POISONED, padding="nan"),
        fault("Inf beyond the lengths", "Inf spreads through S*mask and P@V", **_POISONED, padding="inf"),
        fault(
            "logits below -65504",
            "a finite minus infinity of -65504 wins over true logits",
            **_SHAPE,
            lengths_kv=[700],
            values="very_negative",
        ),
        fault(
            "mask edited in place",
            "tables are cached by the mask's address",
            program="edit_mask",
            **_SHAPE,
            density=0.5,
        ),
        fault("rows beyond the length", "they hold the mean of V instead of 0", **_POISONED, padding="drawn"),
        fault("scale stored in FP16", "the LSE is off by 1.07e-4 times the logit", **_SHAPE, values="large"),
    )
