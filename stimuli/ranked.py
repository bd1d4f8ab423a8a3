"""Keys and queries whose attention is one-hot: the answer is a row of V, with no rounding at all.

Token t of a batch and KV head has a rank π(t), a random permutation. Keys hold the rank's digits in base 64, queries
their weights, so that q·k = ±1280·π(t), an integer. Even query rows point at the highest rank among the tokens they
may see, odd rows at the lowest. Neighbouring ranks differ by 1280·scale in their logits: over 110 for any usual scale,
and exp(-110) is 0 in FP32.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError
from stimuli.random import Stream

GAP = 1280
"""q·k of neighbouring ranks differ by this."""
BASE = 64
"""Base of the rank's two digits; both digits and all weights are exact in FP16 and BF16."""
MAX_TOKENS = BASE * 256
"""Beyond it a digit would not be exact in BF16."""


def _copies(head_dim: int) -> int:
    """Channels that share a digit: the largest power of two in half of ``head_dim``, at most 256."""
    if head_dim < 4:
        raise StimulusError(argument="head_dim", value=head_dim, legal="at least 4 with values 'exact'")
    copies: int = min(256, 1 << ((head_dim // 2).bit_length() - 1))
    return copies


def query(shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Weights, by row: float32 [B, N, S, D]."""
    copies = _copies(shape[-1])
    values = np.zeros(shape, dtype=np.float32)
    values[..., :copies] = BASE * GAP / copies
    values[..., copies : 2 * copies] = GAP / copies
    values[..., 1::2, :] *= np.float32(-1.0)
    return values


def key(stream: Stream, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Digits of ranks: float32 [B, N, S, D]."""
    copies = _copies(shape[-1])
    tokens = shape[-2]
    if tokens > MAX_TOKENS:
        raise StimulusError(argument="seq_kv", value=tokens, legal=f"at most {MAX_TOKENS} with values 'exact'")
    sequences = math.prod(shape[:-2])
    words = stream.words(sequences * tokens).reshape(sequences, tokens)
    rank = np.argsort(np.argsort(words, axis=-1, kind="stable"), axis=-1, kind="stable")
    rank = rank.reshape(shape[:-1])[..., None]
    values = np.zeros(shape, dtype=np.float32)
    values[..., :copies] = rank // BASE
    values[..., copies : 2 * copies] = rank % BASE
    return values
