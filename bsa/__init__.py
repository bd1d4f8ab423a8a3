"""Block-sparse attention on PyPTO: kernels, host wrappers, contracts and references.

Importing this package loads neither torch nor PyPTO; the names below bring what they need when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bsa._pypto.errors import KernelError, PyptoEnvironmentError, PyptoVersionError
    from bsa.autograd import block_sparse_attention_autograd
    from bsa.backward import block_sparse_attention_grad
    from bsa.config import KernelConfig
    from bsa.errors import ContractError
    from bsa.forward import block_sparse_attention
    from bsa.results import Forward, Grad

_HOMES = {
    "ContractError": "bsa.errors",
    "Forward": "bsa.results",
    "Grad": "bsa.results",
    "KernelConfig": "bsa.config",
    "KernelError": "bsa._pypto.errors",
    "PyptoEnvironmentError": "bsa._pypto.errors",
    "PyptoVersionError": "bsa._pypto.errors",
    "block_sparse_attention": "bsa.forward",
    "block_sparse_attention_autograd": "bsa.autograd",
    "block_sparse_attention_grad": "bsa.backward",
}

_MODULES = ("aclnn", "capture", "contract", "reference")
"""Modules that are public under their own name."""

__all__ = [
    "ContractError",
    "Forward",
    "Grad",
    "KernelConfig",
    "KernelError",
    "PyptoEnvironmentError",
    "PyptoVersionError",
    "block_sparse_attention",
    "block_sparse_attention_autograd",
    "block_sparse_attention_grad",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home module on first use."""
    if name in _MODULES:
        return import_module(f"bsa.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'bsa' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_MODULES})
