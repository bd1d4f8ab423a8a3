"""Same bits whatever the thread count: what the references promise, and how."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def deterministic() -> Iterator[None]:
    """Runs the body on one thread, without gradients and without reduced-precision matrix products.

    A product split over threads sums in another order. On one thread the result depends only on the inputs, the torch
    build and the processor's instruction set: two kinds of processor may still differ in the last bit, because torch
    and its BLAS choose other code paths. Both settings are restored on leaving.
    """
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("highest")
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_float32_matmul_precision(precision)
        torch.set_num_threads(threads)
