"""PyPTO's limits: what is known of each, probes that show whether it is there, and what to expect of them."""

from verification.limits.limit import Limit, Probe, Text
from verification.limits.registry import LIMITS, find_limit

__all__ = ["LIMITS", "Limit", "Probe", "Text", "find_limit"]
