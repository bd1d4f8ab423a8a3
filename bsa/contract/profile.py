"""What a contract allows, as data: one profile per implementation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch

SUPPORTED_LAYOUTS: tuple[str, ...] = ("BNSD", "TND")
"""Layouts that our kernels have."""
SUPPORTED_DTYPES: tuple[torch.dtype, ...] = (torch.float16, torch.bfloat16)
"""Input dtypes that our kernels have."""
HEAD_DIMS: tuple[int, ...] = (64, 128, 256)
BLOCK_STEP = 16
"""Block sides are multiples of this: one fractal of the cube unit."""
BLOCK_MAXIMUM: tuple[int, int] = (512, 1024)
"""Largest block, (query rows, key rows)."""
MAXIMUM_ELEMENTS = 2**31 - 1
"""Elements of one tensor, so that every offset inside a kernel fits in 32 bits."""
MAXIMUM_SELECTED = 2**25
"""Blocks that a mask selects: the tables that list them are tensors of at most 49 elements a block."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The limits of one implementation of the operator.

    Attributes:
        name: ``pypto``, ``aclnn``, or ``reference`` for the reference computations.
        layouts: accepted layouts.
        dtypes: accepted dtypes of the FP16/BF16 tensors.
        head_dims: accepted head dimensions; None = any.
        block_step: block sides are multiples of this.
        block_maximum: largest block (query rows, key rows); None = no maximum.
        block_entries_beyond_two: whether block_shape may have more entries, which mean nothing.
        grouped_heads: whether query may have more heads than key.
        mask_required: whether block_sparse_mask must be given.
        strided_inputs: whether inputs may be non-contiguous.
        flat_lse: whether softmax_lse may come without its last axis of 1.
        selected_maximum: most blocks that a mask selects; None = no maximum.
    """

    name: str
    layouts: tuple[str, ...]
    dtypes: tuple[torch.dtype, ...]
    head_dims: tuple[int, ...] | None
    block_step: int
    block_maximum: tuple[int, int] | None
    block_entries_beyond_two: bool = False
    grouped_heads: bool = True
    mask_required: bool = False
    strided_inputs: bool = True
    flat_lse: bool = True
    selected_maximum: int | None = None


PYPTO = Profile(
    name="pypto",
    layouts=SUPPORTED_LAYOUTS,
    dtypes=SUPPORTED_DTYPES,
    head_dims=HEAD_DIMS,
    block_step=BLOCK_STEP,
    block_maximum=BLOCK_MAXIMUM,
    selected_maximum=MAXIMUM_SELECTED,
)
"""What our PyPTO kernels can do."""

ACLNN = Profile(
    name="aclnn",
    layouts=("BNSD",),
    dtypes=(torch.float16, torch.bfloat16),
    head_dims=(128,),
    block_step=1,
    block_maximum=None,
    block_entries_beyond_two=True,
    grouped_heads=False,
    mask_required=True,
    strided_inputs=False,
    flat_lse=False,
)
"""What the text of aclnnBlockSparseAttentionGrad says of the built-in operator."""

REFERENCE = Profile(
    name="reference",
    layouts=("BNSD", "TND"),
    dtypes=(torch.float16, torch.bfloat16, torch.float32, torch.float64),
    head_dims=None,
    block_step=1,
    block_maximum=None,
)
"""What the references can do: whatever has a meaning."""

PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in (PYPTO, ACLNN)})
"""The profiles that a caller may name."""
