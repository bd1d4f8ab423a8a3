"""Reference computations: a float64 oracle, and what the operands' precision allows."""

from bsa.reference.forward import forward_oracle, forward_same_precision

__all__ = ["forward_oracle", "forward_same_precision"]
