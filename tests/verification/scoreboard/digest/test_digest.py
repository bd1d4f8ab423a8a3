"""Digests of tensors."""

from __future__ import annotations

import hashlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from verification.scoreboard import digest, digests

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool, torch.int32, torch.complex64)


def test_the_digest_is_sha256_of_dtype_shape_and_bytes() -> None:
    """So that anybody can compute it."""
    tensor = torch.tensor([[1.0, 2.0]], dtype=torch.float32)
    assert digest(tensor) == hashlib.sha256(b"float32|1,2|" + tensor.numpy().tobytes()).hexdigest()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_strides_do_not_matter(dtype: torch.dtype) -> None:
    """A transposed view has the digest of its copy; an expanded one too."""
    tensor = torch.arange(12).reshape(3, 4).to(dtype)
    assert digest(tensor.T) == digest(tensor.T.contiguous())
    assert digest(tensor[:1].expand(5, 4)) == digest(tensor[:1].repeat(5, 1))


@settings(deadline=None)
@given(index=st.integers(0, 11), bit=st.integers(0, 15))
def test_every_bit_counts(index: int, bit: int) -> None:
    """One bit flipped, another digest: NaN payloads and the sign of zero included."""
    tensor = torch.zeros(12, dtype=torch.int16)
    changed = tensor.clone()
    changed[index] ^= torch.tensor(1 << bit).to(torch.int16)
    assert digest(tensor.view(torch.float16)) != digest(changed.view(torch.float16))


def test_dtype_and_shape_count() -> None:
    """The same bytes as another dtype or in another shape are another tensor."""
    tensor = torch.zeros(4, dtype=torch.float16)
    others = [tensor.view(torch.bfloat16), tensor.view(2, 2), tensor.view(torch.int16), tensor[:0], tensor[0]]
    assert len({digest(one) for one in (tensor, *others)}) == 6


def test_digests_go_by_name() -> None:
    """One digest a tensor."""
    tensors = {"a": torch.ones(2), "b": torch.ones(3)}
    assert digests(tensors) == {name: digest(tensor) for name, tensor in tensors.items()}
