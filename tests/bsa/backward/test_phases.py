"""Either phase runs alone from the same source, so that the cost model can time it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from bsa.kernels.backward_config import DEFAULT, Phases
from tests.bsa.backward.calls import Contract, call, tensors_of
from tests.support.warm_process import WarmProcess

CONTRACT = Contract(heads_q=2, seq_q=40, seq_kv=40)


def gradients(phases: Phases) -> dict[str, torch.Tensor]:
    """Return the gradients of a kernel with these phases."""
    return call(CONTRACT, tensors_of(CONTRACT), config=replace(DEFAULT, phases=phases))._asdict()


@pytest.mark.parametrize(("phases", "computed"), [("dq", {"dq"}), ("dkv", {"dk", "dv"})])
def test_one_phase(forked: WarmProcess, phases: Phases, computed: set[str]) -> None:
    """Its gradients equal the merged kernel's; the others stay NaN."""
    merged, alone = forked(gradients, "both"), forked(gradients, phases)
    for name, gradient in alone.items():
        if name in computed:
            assert torch.equal(gradient, merged[name])
        else:
            assert gradient.isnan().all()
