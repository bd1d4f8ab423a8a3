"""The contract: what a call may look like, checked before any work."""

from bsa.contract.forward import check_forward
from bsa.contract.problem import Problem
from bsa.contract.profile import SUPPORTED_DTYPES, SUPPORTED_LAYOUTS
from bsa.contract.rules import RULES, Rule

__all__ = ["RULES", "SUPPORTED_DTYPES", "SUPPORTED_LAYOUTS", "Problem", "Rule", "check_forward"]
