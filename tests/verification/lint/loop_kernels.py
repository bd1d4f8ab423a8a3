"""Loops with an unroll_list, and how often each of their iterations runs in the simulator."""

import torch

from bsa._pypto import load, simulate

LOOPS = (
    (0, 7, 1, (3, 2, 1)),
    (0, 8, 3, (4, 1)),
    (2, 7, 1, (2, 1)),
    (1, 8, 2, (2, 1)),
    (1, 4, 1, (1,)),
    (1, 1, 1, (2, 1)),
    (1, 4, 1, (2, 1)),
    (1, 5, 1, (4, 2, 1)),
    (4, 9, 3, (2, 1)),
    (2, 7, 1, (8, 1)),
    (0, 7, 1, (4, 2)),
)
"""(begin, end, step, unroll_list), right ones before wrong ones."""
MOST = 16
"""Indices below it are counted."""
ALL = len(LOOPS) * MOST


def _kernel(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([ALL, ALL], pypto.DT_FP32), y: pypto.Tensor([1, ALL], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(1, ALL)
        for number in range(len(LOOPS)):
            begin = LOOPS[number][0]
            end = LOOPS[number][1]
            step = LOOPS[number][2]
            for j in pypto.loop(begin, end, step, unroll_list=LOOPS[number][3]):
                y[:] = y + pypto.view(x, [1, ALL], [number * MOST + j, 0])

    return kernel


def counts():
    """How often each index of each loop ran: one list a loop."""
    y = torch.zeros(1, ALL)
    kernel = _kernel(load())
    with simulate():
        kernel(torch.eye(ALL), y)
    return y.view(len(LOOPS), MOST).int().tolist()
