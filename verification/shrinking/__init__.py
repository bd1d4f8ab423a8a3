"""Shrinking: from a failing case to a smaller one that fails in the same way."""

from verification.shrinking._search import Shrunk, shrink
from verification.shrinking._signature import signature

__all__ = ["Shrunk", "shrink", "signature"]
