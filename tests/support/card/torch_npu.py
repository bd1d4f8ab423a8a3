"""A stand-in for torch_npu where there is no card: the device "npu" is the CPU, its kernels run in PyPTO's simulator.

It shows that the script for a card runs from its first probe to its last; what it answers says nothing of a card.
"""

from types import SimpleNamespace

import torch

from bsa._pypto import load, simulate

load()
from pypto.frontend.parser.entry import JitCallableWrapper  # noqa: E402 - PyPTO is loaded by then

_call, _to = JitCallableWrapper.__call__, torch.Tensor.to


def _simulated(kernel, *tensors, **named):
    with simulate(passes="none"):
        return _call(kernel, *tensors, **named)


JitCallableWrapper.__call__ = _simulated
torch.Tensor.to = lambda tensor, *where: tensor if where == ("npu",) else _to(tensor, *where)
torch.npu = SimpleNamespace(set_device=lambda number: None, synchronize=lambda: None)
