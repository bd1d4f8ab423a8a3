"""The maker of forward stimuli."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stimuli.maker import Maker
from stimuli.parameters import FORWARD, FORWARD_DEFAULTS, complete
from stimuli.stimulus import Stimulus
from stimuli.tensors import Draft

__all__ = ["FORWARD_DEFAULTS", "build_forward", "make_forward"]


def make_forward(params: Mapping[str, Any], seed: int) -> Stimulus:
    """Makes the tensors and arguments of one forward call.

    Args:
        params: see :data:`stimuli.parameters.FORWARD`; missing ones have their defaults.
        seed: source of every random choice.

    Returns:
        A stimulus with ``query`` [B, Hq, Sq, D] (TND: [Tq, Hq, D]), ``key`` and ``value`` [B, Hkv, Skv, D] (TND:
        [Tkv, Hkv, D]), ``block_sparse_mask`` bool [B, Hq, ceil(Sq/bx), ceil(Skv/by)] unless the mask is ``none``,
        and the arguments ``block_shape``, ``actual_seq_lengths``, ``actual_seq_lengths_kv``, ``layout``, ``scale``.
        Fact ``exact``: the output has no rounding (one-hot rows, a mean of dyadic numbers, rows that see one key). Fact
        ``config``: fields of the kernel's configuration that the case sets, or None.

    Raises:
        StimulusError: a parameter that no stimulus can be made from.
    """
    return build_forward(params, seed).to_stimulus()


def build_forward(params: Mapping[str, Any], seed: int) -> Draft:
    """As :func:`make_forward`, by numpy alone."""
    reduced, full = complete(params, FORWARD)
    maker = Maker(reduced, full, seed)
    facts = {"exact": maker.exact(), "config": full["config"]}
    return Draft(tensors=maker.operands(), arguments=maker.arguments(), facts=facts)
