"""What a case of block-sparse attention needs, estimated from its parameters before anything is allocated."""

from __future__ import annotations

from math import ceil, prod

from stimuli.attention import FORWARD_DEFAULTS
from stimuli.case import Case
from verification.dut import Capacity

BASE_BYTES = 600 << 20
"""A child with torch, PyPTO and a small kernel."""
BASE_SECONDS = 2.0


def forward_capacity(case: Case, run_mode: str) -> Capacity:
    """Memory and time of a forward case.

    In sim, the interpreter copies every tensor of the kernel twice per loop iteration.

    Args:
        case: a case of ``bsa.forward``.
        run_mode: ``sim`` or ``npu``.
    """
    params = {**FORWARD_DEFAULTS, **case.params}
    rows, columns = params["block_shape"]
    q = params["batch"] * params["heads_q"] * params["seq_q"] * params["head_dim"]
    kv = params["batch"] * params["heads_kv"] * params["seq_kv"] * params["head_dim"]
    tensors = 2 * (2 * q + 2 * kv)
    if run_mode != "sim":
        return Capacity(bytes=BASE_BYTES + 2 * tensors, seconds=BASE_SECONDS)
    grid = (params["batch"], params["heads_q"], ceil(params["seq_q"] / rows), ceil(params["seq_kv"] / columns))
    iterations = prod(grid[:3]) * max(1.0, grid[3] * float(params["density"]))
    return Capacity(bytes=int(BASE_BYTES + 2 * iterations * tensors), seconds=BASE_SECONDS + 0.05 * iterations)
