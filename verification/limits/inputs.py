"""Inputs of probes: small exact numbers, so that right results have no rounding."""

from __future__ import annotations

from typing import Any


def grid(rows: int, columns: int, dtype: str = "float32", *, seed: int = 0) -> Any:
    """Quarters from -1.5 to 1.5 in a pattern, ``[rows, columns]``; products and short sums are exact in FP16."""
    import torch

    row = torch.arange(rows).unsqueeze(1)
    column = torch.arange(columns).unsqueeze(0)
    values = ((7 * row + 3 * column + 5 * seed) % 13 - 6).double() / 4
    return values.to(getattr(torch, dtype))


def checks(rows: int, columns: int) -> Any:
    """A mask with true and false in every row and column, BOOL ``[rows, columns]``."""
    import torch

    return (torch.arange(rows).unsqueeze(1) * 3 + torch.arange(columns).unsqueeze(0) * 5) % 4 < 2


def one_grid(_call: int) -> tuple[Any, ...]:
    """The inputs of most probes: one FP32 ``[128, 128]``, two blocks of 64 rows."""
    return (grid(128, 128),)
