"""Where a kernel goes wrong: its replay with numbers, held against what each variable should be."""

from verification.explain.comparing import Context, Dataflow, Divergence, Explanation, MisplacedError, explain
from verification.explain.values import Value

__all__ = ["Context", "Dataflow", "Divergence", "Explanation", "MisplacedError", "Value", "explain"]
