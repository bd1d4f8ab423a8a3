"""The families by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError
from stimuli.masks import given
from stimuli.masks._grid import Grid
from stimuli.random import Stream

FAMILIES = (
    "random",
    "dense",
    "diagonal",
    "band",
    "block_causal",
    "column",
    "single",
    "per_head",
    "counts",
    "empty_rows",
    "unattended",
)
"""Names that the axis ``mask`` accepts, besides ``none`` (no mask tensor at all)."""

DENSITY_FAMILIES = ("random", "per_head", "empty_rows", "unattended")
"""Families whose blocks are drawn with the probability ``density``."""


def build(spec: str | Mapping[str, Any], grid: Grid, stream: Stream, *, density: float) -> npt.NDArray[np.bool_]:
    """Makes the mask of one family.

    Args:
        spec: a family's name, or ``{"family": name, …options}``.
        grid: the blocks.
        stream: random bits.
        density: probability that a block is selected, where the family draws at random.

    Returns:
        bool [B, Hq, blocks_q, blocks_kv].

    Raises:
        StimulusError: an unknown family or option.
    """
    options = dict(spec) if isinstance(spec, Mapping) else {"family": spec}
    family = options.pop("family", None)
    if family == given.FAMILY:
        return given.make(options, grid)
    if family not in FAMILIES:
        raise StimulusError(argument="mask", value=family, legal=f"none, {', '.join(FAMILIES)}")
    module = importlib.import_module(f"stimuli.masks.{family}")
    try:
        mask: npt.NDArray[np.bool_] = module.make(grid, stream, density=density, **options)
    except TypeError as error:
        raise StimulusError(argument=f"mask {family}", value=options, legal=f"its own options ({error})") from None
    return mask
