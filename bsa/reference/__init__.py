"""Reference computations: a float64 oracle, and what the operands' precision allows."""

from bsa.reference.autograd import autograd_oracle
from bsa.reference.backward import backward_oracle, backward_same_precision
from bsa.reference.forward import forward_oracle, forward_same_precision

__all__ = [
    "autograd_oracle",
    "backward_oracle",
    "backward_same_precision",
    "forward_oracle",
    "forward_same_precision",
]
