"""Digests of tensors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import torch


def digest(tensor: torch.Tensor) -> str:
    """sha256 over dtype, shape and the bytes in logical order, so that strides do not matter. Any device."""
    own = tensor.detach().cpu().contiguous()
    name = str(own.dtype).removeprefix("torch.")
    head = f"{name}|{','.join(str(size) for size in own.shape)}|"
    state = hashlib.sha256(head.encode())
    state.update(own.reshape(-1).view(torch.uint8).numpy().data)
    return state.hexdigest()


def digests(tensors: Mapping[str, torch.Tensor]) -> dict[str, str]:
    """The digest of each tensor, by name."""
    return {name: digest(tensor) for name, tensor in tensors.items()}
