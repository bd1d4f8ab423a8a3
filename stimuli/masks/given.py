"""A mask that was given, not drawn: packed into the case itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError
from stimuli.masks._grid import Grid

FAMILY = "given"


def spec(mask: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """The parameter ``mask`` of a case with this mask.

    Args:
        mask: bool [B, Hq, blocks_q, blocks_kv].
    """
    from bsa.capture import pack_mask

    return {"family": FAMILY, **pack_mask(mask)}


def make(options: Mapping[str, Any], grid: Grid) -> npt.NDArray[np.bool_]:
    """The mask of a case.

    Args:
        options: ``shape`` and ``bits``, as :func:`bsa.capture.pack_mask` gives them.
        grid: the blocks.

    Raises:
        StimulusError: the data are damaged, or of another shape than the blocks.
    """
    from bsa.capture import unpack_mask

    try:
        mask = unpack_mask(options)
    except ValueError as error:
        raise StimulusError(argument="mask given", value=str(error), legal="shape and bits of a packed mask") from None
    if mask.shape != grid.shape:
        raise StimulusError(argument="mask given", value=list(mask.shape), legal=f"the shape {list(grid.shape)}")
    return mask
