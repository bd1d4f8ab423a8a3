"""What the calls return."""

from __future__ import annotations

from typing import NamedTuple

import torch


class Forward(NamedTuple):
    """Outputs of the forward pass.

    Attributes:
        out: attention output, shape of query.
        lse: natural log-sum-exp of scaled scores, ``[B, Hq, S]``, in TND ``[T, Hq]``; -inf where nothing is selected.
    """

    out: torch.Tensor
    lse: torch.Tensor


class Grad(NamedTuple):
    """Gradients of the forward pass.

    Attributes:
        dq: shape of query.
        dk: shape of key.
        dv: shape of value.
    """

    dq: torch.Tensor
    dk: torch.Tensor
    dv: torch.Tensor
