"""Rules of the log-sum-exp that the backward pass is given."""

from __future__ import annotations

import torch

from bsa.contract.problem import Problem
from bsa.contract.refusal import Refuse


def check_lse(
    refuse: Refuse, lse: torch.Tensor, problem: Problem, *, dtypes: tuple[torch.dtype, ...], flat: bool
) -> None:
    """One value per query row and head: ``[B, Hq, S]`` or ``[B, Hq, S, 1]``, in TND ``[T, Hq]`` or ``[T, Hq, 1]``.

    The axes keep this order even where sizes coincide (Hq = S, S = 1): a shape never decides what an axis means.

    Args:
        refuse: makes the error.
        lse: the tensor.
        problem: the sizes.
        dtypes: accepted dtypes.
        flat: whether the last axis of 1 may be left out.

    Raises:
        ContractError: rules ``lse-dtype`` and ``lse-shape``.
    """
    if lse.dtype not in dtypes:
        legal = " or ".join(str(dtype) for dtype in dtypes)
        raise refuse("lse-dtype", argument="softmax_lse", value=str(lse.dtype), legal=legal)
    legal_shapes = [(*problem.lse_shape, 1)]
    if flat:
        legal_shapes.insert(0, problem.lse_shape)
    if tuple(lse.shape) not in legal_shapes:
        legal = " or ".join(map(str, legal_shapes))
        raise refuse("lse-shape", argument="softmax_lse", value=tuple(lse.shape), legal=legal)
