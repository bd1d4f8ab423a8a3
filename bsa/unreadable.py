"""Why a file of tensors cannot be read, without the libraries' advice to load it unsafely."""

from __future__ import annotations

import pickle

from bsa.messages import text

_OBJECTS = ("pickle", "weights_only", "weights only")
"""Words of numpy and torch where a file holds Python objects, or something that looks like them."""


def why_unreadable(error: Exception) -> str:
    """One line.

    Args:
        error: what ``numpy.load`` or ``torch.load`` raised.
    """
    words = str(error)
    if isinstance(error, pickle.UnpicklingError) or any(word in words.lower() for word in _OBJECTS):
        return text("error.objects")
    said = words.strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
