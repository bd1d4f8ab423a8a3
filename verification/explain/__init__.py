"""Where a kernel goes wrong: its replay with numbers, held against what each variable should be."""

from verification.explain.comparing import Divergence, Explanation, explain
from verification.explain.expectation import Context, Dataflow, MisplacedError
from verification.explain.values import Value

__all__ = ["Context", "Dataflow", "Divergence", "Explanation", "MisplacedError", "Value", "explain"]
