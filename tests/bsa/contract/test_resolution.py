"""What a legal call resolves to: defaults, lengths, blocks, starts."""

from __future__ import annotations

import math

import pytest
import torch

from bsa.contract import SUPPORTED_DTYPES, SUPPORTED_LAYOUTS, check_backward
from bsa.contract.profile import HEAD_DIMS
from bsa.reference.problem import reference_problem
from tests.bsa.contract.calls import make, zeros


def test_defaults_are_resolved() -> None:
    """None means every row, 1 / sqrt(D), the heads of key, every block."""
    problem = make(heads=(4, 2), rows=(33, 48)).bend(block_sparse_mask=None).check("pypto")
    assert (problem.batch, problem.heads_q, problem.heads_kv, problem.group) == (2, 4, 2, 2)
    assert (problem.seq_q, problem.seq_kv, problem.tokens_q, problem.tokens_kv) == (33, 48, 66, 96)
    assert (problem.lengths_q, problem.lengths_kv) == ((33, 33), (48, 48))
    assert (problem.starts_q, problem.starts_kv) == ((0, 33), (0, 48))
    assert (problem.blocks_q, problem.blocks_kv, problem.mask_shape) == (3, 3, (2, 4, 3, 3))
    assert math.isclose(problem.scale, 128**-0.5)
    assert problem.lse_shape == (2, 4, 33)


def test_given_values_are_kept() -> None:
    """Lengths become plain ints, the scale a float."""
    call = make().bend(actual_seq_lengths=torch.tensor([0, 7], dtype=torch.int32), scale=1, num_key_value_heads=2)
    problem = call.check("aclnn")
    assert problem.lengths_q == (0, 7)
    assert all(type(length) is int for length in problem.lengths_q)
    assert (problem.scale, type(problem.scale)) == (1.0, float)


def test_packed_sequences() -> None:
    """TND: starts are prefix sums, the mask covers the longest length, tokens beyond the sum are padding."""
    problem = reference_problem(
        zeros(60, 4, 8),
        zeros(50, 2, 8),
        zeros(50, 2, 8),
        torch.ones(3, 4, 3, 2, dtype=torch.bool),
        block_shape=(16, 32),
        actual_seq_lengths=[20, 0, 33],
        actual_seq_lengths_kv=[1, 2, 47],
        layout="TND",
        scale=None,
        num_key_value_heads=2,
    )
    assert (problem.batch, problem.seq_q, problem.seq_kv) == (3, 33, 47)
    assert (problem.starts_q, problem.starts_kv) == ((0, 20, 20), (0, 1, 3))
    assert (problem.tokens_q, problem.tokens_kv, problem.lse_shape) == (60, 50, (60, 4))


def test_packed_sequences_that_are_all_empty_count_one_block() -> None:
    """A mask never has an axis of 0."""
    problem = reference_problem(
        *(zeros(5, 1, 8),) * 3,
        torch.ones(2, 1, 1, 1, dtype=torch.bool),
        block_shape=(16, 16),
        actual_seq_lengths=[0, 0],
        actual_seq_lengths_kv=[0, 0],
        layout="TND",
        scale=None,
        num_key_value_heads=None,
    )
    assert (problem.seq_q, problem.blocks_q, problem.lengths_q) == (1, 1, (0, 0))


@pytest.mark.parametrize("width", HEAD_DIMS)
@pytest.mark.parametrize("dtype", SUPPORTED_DTYPES)
def test_every_supported_width_and_dtype_is_accepted(width: int, dtype: torch.dtype) -> None:
    """Profile pypto accepts what it declares."""
    assert make(width=width, dtype=dtype).check("pypto").head_dim == width
    assert "BNSD" in SUPPORTED_LAYOUTS


@pytest.mark.parametrize("shape", [(2, 2, 32), (2, 2, 32, 1)])
def test_lse_with_and_without_its_last_axis(shape: tuple[int, ...]) -> None:
    """Profile pypto takes both; aclnn only the text's [B, Hq, S, 1]."""
    call = make().bend(softmax_lse=zeros(*shape, dtype=torch.float32))
    assert check_backward(call.arguments, profile="pypto").lse_shape == (2, 2, 32)
    refusal = call.refusal("aclnn")
    assert (refusal is None) == (len(shape) == 4)
    assert refusal is None or "profile 'pypto' would accept it" in str(refusal)


@pytest.mark.parametrize("rows", [1, 2])
def test_lse_axes_never_depend_on_sizes(rows: int) -> None:
    """With Hq = S, or S = 1, [B, Hq, S] is still that; a squeezed or transposed one has another shape or meaning."""
    call = make(batch=3, heads=(2, 2), rows=(rows, 16))
    assert call.bend(softmax_lse=zeros(3, 2, rows, dtype=torch.float32)).check("pypto").lse_shape == (3, 2, rows)
    refusal = call.bend(softmax_lse=zeros(3, 2, dtype=torch.float32)).refusal("pypto")
    assert refusal is not None
    assert refusal.rule == "lse-shape"


def test_aclnn_takes_block_shapes_that_only_the_built_in_operator_runs() -> None:
    """Blocks of 100 by 3: profile aclnn accepts, our kernels refuse, and the error says so."""
    call = make(block=(100, 3))
    assert call.refusal("aclnn") is None
    error = call.any_refusal("aclnn")
    assert error is not None
    assert (error.rule, error.profile, error.other, error.other_rule) == ("block-shape", "pypto", "aclnn", "")


def test_aclnn_ignores_entries_of_the_block_shape_beyond_two() -> None:
    """[16, 16, 7] means [16, 16]; profile pypto takes exactly two."""
    call = make().bend(block_shape=[16, 16, 7])
    assert call.check("aclnn").block_shape == (16, 16)
    refusal = call.refusal("pypto")
    assert refusal is not None
    assert refusal.rule == "block-shape-type"


@pytest.mark.parametrize("block", [(16, 16), (512, 1024), (48, 16)])
def test_blocks_that_our_kernels_have(block: tuple[int, int]) -> None:
    """Multiples of 16, up to 512 by 1024."""
    assert make(block=block).check("pypto").block_shape == block


@pytest.mark.parametrize("block", [(15, 16), (17, 16), (528, 16), (16, 8), (16, 1000), (16, 1040)])
def test_blocks_that_our_kernels_do_not_have(block: tuple[int, int]) -> None:
    """Anything else is refused, naming the side, and aclnn would accept it."""
    refusal = make(block=block).refusal("pypto")
    assert refusal is not None
    assert (refusal.rule, refusal.argument, refusal.other_rule) == (
        "block-shape",
        f"blockShapeOptional[{int(block[0] == 16)}]",
        "",
    )


@pytest.mark.parametrize("width", [64, 256])
def test_head_dims_that_only_our_kernels_have(width: int) -> None:
    """Profile aclnn has 128 alone, and says that pypto would accept."""
    refusal = make(width=width).refusal("aclnn")
    assert refusal is not None
    assert (refusal.rule, refusal.other_rule) == ("head-dim", "")
