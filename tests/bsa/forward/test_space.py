"""The forward is right across the space of shapes, groups, dtypes and layouts that the contract allows."""

from dataclasses import replace

import pytest
import torch

from tests.bsa.forward.calls import Call, assert_right, run

TND = Call(batch=3, heads=(4, 2), lengths=((75, 0, 20), (130, 203, 9)), seq=(75, 203), layout="TND")


@pytest.mark.parametrize("heads", [(1, 1), (14, 2), (32, 1)])
def test_head_groups(forked, heads):
    call = Call(heads=heads, seq=(16, 80), block_shape=(16, 32))
    assert_right(forked(run, call), call)


@pytest.mark.parametrize("head_dim", [64, 256])
def test_head_dims(forked, head_dim):
    call = Call(head_dim=head_dim)
    assert_right(forked(run, call), call)


@pytest.mark.parametrize(
    ("block_shape", "seq"),
    [((16, 16), (40, 100)), ((512, 1024), (600, 1100)), ((112, 80), (130, 250)), ((256, 512), (300, 1030))],
)
def test_block_shapes(forked, block_shape, seq):
    call = Call(block_shape=block_shape, seq=seq, heads=(1, 1), density=0.8)
    assert_right(forked(run, call), call)


def test_rows_longer_than_one_pass_holds(forked):
    """20 key blocks of 16: two chunks of 8 and one of 4, with a tail, and rows that need only one pass."""
    call = Call(block_shape=(16, 16), seq=(60, 310), lengths=((50,), (305,)), density=0.7, padding=float("nan"))
    assert_right(forked(run, call), call)


def test_every_count_of_selected_blocks(forked):
    """Field case F15: 1, 2, 3, 5 and 7 selected blocks, different per query block."""
    call = Call(heads=(1, 1), seq=(80, 256), block_shape=(16, 32), select=(1, 2, 3, 5, 7))
    assert_right(forked(run, call), call)


def test_packed_sequences(forked):
    assert_right(forked(run, TND), TND)


def test_packed_sequences_equal_padded_ones_bit_for_bit(forked):
    packed = forked(run, replace(TND, density=1.1))
    padded = forked(run, replace(TND, density=1.1, layout="BNSD", padding=float("nan")))
    parts = [padded.out[batch, :, :length].transpose(0, 1) for batch, length in enumerate(TND.lengths[0])]
    assert torch.equal(packed.out, torch.cat(parts))


@pytest.mark.parametrize("layout", ["BNSD", "TND"])
def test_bfloat16(forked, layout):
    call = replace(TND, dtype=torch.bfloat16, layout=layout)
    assert_right(forked(run, call), call)
