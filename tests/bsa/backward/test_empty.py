"""Where nothing is computed the gradient is exactly zero, and where the kernel should have written it is not filled."""

from __future__ import annotations

import torch

from tests.bsa.backward.calls import Contract, call, check, failures, tensors_of
from tests.support.warm_process import WarmProcess

HIDDEN = Contract(heads_q=2, heads_kv=1, seq_q=64, seq_kv=48, hide=((1, -1), (-1, 2)))
"""Query block 1 selects nothing; nobody selects key block 2."""


def gradients(contract: Contract) -> dict[str, torch.Tensor]:
    """Return the gradients."""
    return call(contract, tensors_of(contract))._asdict()


def test_blocks_that_meet_nothing_are_zero(forked: WarmProcess) -> None:
    """A query block that selects nothing, and a key block that nobody selects."""
    grad = forked(gradients, HIDDEN)
    assert not grad["dq"][:, :, 16:32].any()
    assert not grad["dk"][:, :, 32:].any()
    assert not grad["dv"][:, :, 32:].any()
    assert all(part.any() for part in (grad["dq"][:, :, :16], grad["dk"][:, :, :32], grad["dv"][:, :, :32]))


def test_they_have_no_share_in_the_others(forked: WarmProcess) -> None:
    """The remaining gradients are those of the oracle, which drops what is not selected."""
    assert not failures(forked(check, HIDDEN))


def test_nothing_at_all(forked: WarmProcess) -> None:
    """A mask without a block, and lengths of 0: zeros, without a launch."""
    for contract in (Contract(density=0.0), Contract(lengths_q=(0,)), Contract(lengths_kv=(0,))):
        assert not any(gradient.any() for gradient in forked(gradients, contract).values())


def without_stores(contract: Contract) -> dict[str, bool]:
    """Say which gradients keep a NaN when the kernel writes nothing."""
    import bsa.backward

    bsa.backward.build_backward = lambda *_: lambda *_: None  # type: ignore[assignment]
    return {name: bool(gradient.isnan().any()) for name, gradient in gradients(contract).items()}


def test_a_kernel_that_writes_nothing_leaves_nan(forked: WarmProcess) -> None:
    """Outputs start as NaN; the wrapper fills only what its tables declare empty."""
    assert forked(without_stores, HIDDEN) == {"dq": True, "dk": True, "dv": True}
