"""Rules of the log-sum-exp that the backward pass is given."""

from __future__ import annotations

import torch

from bsa.contract.problem import Problem
from bsa.contract.refusal import Refuse


def check_lse(
    refuse: Refuse, argument: str, lse: torch.Tensor, problem: Problem, dtypes: tuple[torch.dtype, ...]
) -> None:
    """One value per query row and head: ``[B, Hq, S]`` or ``[B, Hq, S, 1]``, in TND ``[T, Hq]`` or ``[T, Hq, 1]``.

    The axes keep this order even where sizes coincide (Hq = S, S = 1): a shape never decides what an axis means.

    Raises:
        ContractError: rules ``lse-dtype`` and ``lse-shape``.
    """
    if lse.dtype not in dtypes:
        legal = " or ".join(str(dtype) for dtype in dtypes)
        raise refuse("lse-dtype", argument=argument, value=str(lse.dtype), legal=legal)
    legal_shapes = (problem.lse_shape, (*problem.lse_shape, 1))
    if tuple(lse.shape) not in legal_shapes:
        raise refuse("lse-shape", argument=argument, value=tuple(lse.shape), legal=" or ".join(map(str, legal_shapes)))
