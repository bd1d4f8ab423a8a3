"""Coverage: which bins and pairs of a DUT's stimulus space its records have proved. A pure function of records."""

from verification.coverage.measure import Coverage, measure
from verification.coverage.spaces import space_of

__all__ = ["Coverage", "measure", "space_of"]
