"""The tile sanitizer: mistakes in a kernel's reads and writes that PyPTO runs without a word.

It watches a replay (:mod:`verification.shadow`), so that it sees data-dependent offsets with their real numbers and
costs milliseconds. A finding is excused only by a reason at its line: ``# sanitizer: KIND: REASON``.
"""

from verification.sanitizer.finding import KINDS, Finding
from verification.sanitizer.sanitizer import LARGEST_OFFSET, Sanitizer

__all__ = ["KINDS", "LARGEST_OFFSET", "Finding", "Sanitizer"]
