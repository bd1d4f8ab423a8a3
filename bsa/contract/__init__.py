"""The contract: what a call may look like, checked before any work."""

from bsa.contract.backward import BackwardCall, check_backward
from bsa.contract.forward import check_forward
from bsa.contract.operator import DEFAULT_BLOCK_SHAPE, NO_WINDOW, OperatorArguments, check_operator
from bsa.contract.problem import Problem
from bsa.contract.profile import PROFILES, SUPPORTED_DTYPES, SUPPORTED_LAYOUTS
from bsa.contract.rules import RULES, Rule

__all__ = [
    "DEFAULT_BLOCK_SHAPE",
    "NO_WINDOW",
    "PROFILES",
    "RULES",
    "SUPPORTED_DTYPES",
    "SUPPORTED_LAYOUTS",
    "BackwardCall",
    "OperatorArguments",
    "Problem",
    "Rule",
    "check_backward",
    "check_forward",
    "check_operator",
]
