"""Calls of the wrappers under the stand-in for the device's runtime, for a process that runs PyPTO."""

from pathlib import Path

import torch

import bsa
from verification.limits.order import launch_order
from verification.mutants import Edit, Mutant, load_mutant

WRAPPERS = {"forward": "bsa.forward", "backward": "bsa.backward"}
FUNCTIONS = {"forward": "_launch", "backward": "run_backward"}
BEFORE, AFTER = "  # limit 13: the kernel", "  # limit 13: rows"


def _inputs(heads=1):
    query = torch.linspace(-1, 1, heads * 64 * 64).reshape(1, heads, 64, 64).half()
    return query, query.flip(2).contiguous(), query.flip(3).contiguous()


def _forward(calls):
    query, key, value = _inputs()
    mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    for _ in range(calls):
        result = bsa.block_sparse_attention(query, key, value, mask, block_shape=(64, 64))
    return result.out


def _backward(calls):
    query, key, value = _inputs()
    mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    lse = torch.zeros(1, 1, 64)
    for _ in range(calls):
        result = bsa.block_sparse_attention_grad(query, query, key, value, value, lse, mask, block_shape=(64, 64))
    return result[0]


def run(name, *, without="", poison=False, folder=None, calls=1):
    """Returns the result, what was dirty, launches and waits; ``without`` takes one synchronize out of the wrapper."""
    if without:
        argument = "run_mode" if name == "forward" else "call.run_mode"
        find = f"synchronize({argument}){without}"
        edit = Edit(function=FUNCTIONS[name], find=find, replace=f"pass{without}")
        mutant = Mutant(name="m", dut=WRAPPERS[name], module=WRAPPERS[name], edits=(edit,), fault="", directed=())
        load_mutant(mutant, Path(folder))
    with launch_order(poison=poison) as order:
        out = {"forward": _forward, "backward": _backward}[name](calls)
        order.synchronize()
    return out, order.dirty, order.launches, order.waits
