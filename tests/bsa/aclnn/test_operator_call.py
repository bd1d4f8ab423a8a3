"""``bsa.aclnn`` maps the operator's arguments onto our backward call and writes its outputs in place."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch

import bsa
from bsa import aclnn
from bsa.contract import BackwardCall, Problem
from bsa.contract.document import ARGUMENTS
from bsa.errors import INVALID, NULL, ContractError
from bsa.reference import backward_oracle, backward_same_precision, forward_oracle
from bsa.results import Grad

NOT_APPLICABLE = ("workspaceSize", "executor")


def same_precision(call: BackwardCall, problem: Problem) -> Grad:
    """In the kernel's place: the reference, on what the call was resolved to."""
    return backward_same_precision(
        call.dout,
        call.query,
        call.key,
        call.value,
        call.attention_out,
        call.softmax_lse,
        call.block_sparse_mask,
        block_shape=problem.block_shape,
        actual_seq_lengths=problem.lengths_q,
        actual_seq_lengths_kv=problem.lengths_kv,
        layout=problem.layout,
        scale=problem.scale,
    )


def arguments(rows: int = 160, heads: int = 2, density: float = 0.7) -> dict[str, Any]:
    """A legal call, with outputs full of NaN."""
    generator = torch.Generator().manual_seed(0)
    query, key, value, dout = (torch.randn(2, heads, rows, 128, generator=generator).half() for _ in range(4))
    mask = torch.rand(2, heads, 2, 2, generator=generator) < density
    forward = forward_oracle(query, key, value, mask, block_shape=(128, 128), actual_seq_lengths=[rows, rows - 3])
    return {
        "dout": dout,
        "query": query,
        "key": key,
        "value": value,
        "attentionOut": forward.out.half(),
        "softmaxLse": forward.lse.float().unsqueeze(-1),
        "blockSparseMaskOptional": mask,
        "actualSeqLengthsOptional": [rows, rows - 3],
        "numKeyValueHeads": heads,
        "scaleValue": 128**-0.5,
        **{name: torch.full_like(query, torch.nan) for name in ("dq", "dk", "dv")},
    }


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference runs in the kernel's place."""
    monkeypatch.setattr(aclnn, "run_backward", same_precision)


def test_names_and_order_are_the_operators() -> None:
    """Every argument of the contract's table, in order; what is not applicable is absent and says why."""
    signature = inspect.signature(bsa.aclnn.block_sparse_attention_grad)
    kinds = inspect.Parameter
    positional = [name for name, one in signature.parameters.items() if one.kind is kinds.POSITIONAL_OR_KEYWORD]
    assert positional == [row[0] for row in ARGUMENTS if row[0] not in NOT_APPLICABLE]
    assert all(notes for name, _, notes in ARGUMENTS if name in NOT_APPLICABLE)
    keyword = {name: one.default for name, one in signature.parameters.items() if one.kind is kinds.KEYWORD_ONLY}
    assert keyword == {"profile": "aclnn", "run_mode": "sim"}


@pytest.mark.usefixtures("replaced")
def test_outputs_are_written_in_place_and_returned() -> None:
    """The three tensors given hold the gradients, and are what is returned."""
    given = arguments()
    grad = aclnn.block_sparse_attention_grad(**given)
    expected = backward_same_precision(
        *(given[name] for name in ("dout", "query", "key", "value", "attentionOut", "softmaxLse")),
        given["blockSparseMaskOptional"],
        block_shape=(128, 128),
        actual_seq_lengths=given["actualSeqLengthsOptional"],
    )
    for name, returned, right in zip(("dq", "dk", "dv"), grad, expected, strict=True):
        assert returned is given[name]
        assert torch.equal(returned, right)


@pytest.mark.usefixtures("replaced")
def test_by_position() -> None:
    """All 21 arguments in the operator's order mean the same as by name."""
    given = arguments()
    by_name = [tensor.clone() for tensor in aclnn.block_sparse_attention_grad(**given)]
    window = 2147483647
    tensors = [given[name] for name in ("dout", "query", "key", "value", "attentionOut", "softmaxLse")]
    outputs = [torch.full_like(given["query"], torch.nan) for _ in range(3)]
    options = [None, [128, 128], given["actualSeqLengthsOptional"], None, "BNSD", "BNSD", 2, 0, 128**-0.5]
    mask = given["blockSparseMaskOptional"]
    aclnn.block_sparse_attention_grad(*tensors, mask, *options, window, window, *outputs)
    assert all(torch.equal(one, other) for one, other in zip(by_name, outputs, strict=True))


@pytest.mark.usefixtures("replaced")
def test_strided_outputs() -> None:
    """Views of one [B, S, 3, N, D] buffer are filled, and nothing else of the buffer is touched."""
    given = arguments()
    plain = [tensor.clone() for tensor in aclnn.block_sparse_attention_grad(**given)]
    buffer = torch.full((2, 160, 4, 2, 128), 7.0).half()
    views = {name: buffer[:, :, index].transpose(1, 2) for index, name in enumerate(("dq", "dk", "dv"))}
    aclnn.block_sparse_attention_grad(**{**given, **views})
    assert not views["dq"].is_contiguous()
    assert all(torch.equal(view, right) for view, right in zip(views.values(), plain, strict=True))
    assert (buffer[:, :, 3] == 7).all()


@pytest.mark.usefixtures("replaced")
def test_an_output_may_be_an_input() -> None:
    """Output dq may overwrite dout: it is written after everything is read."""
    given = arguments()
    plain = [tensor.clone() for tensor in aclnn.block_sparse_attention_grad(**given)]
    aclnn.block_sparse_attention_grad(**{**given, "dq": given["dout"]})
    assert torch.equal(given["dout"], plain[0])


@pytest.mark.parametrize(
    ("change", "argument", "code"),
    [
        ({"attentionOut": None}, "attentionOut", NULL),
        ({"dk": None}, "dk", NULL),
        ({"blockSparseMaskOptional": None}, "blockSparseMaskOptional", NULL),
        ({"softmaxLse": torch.zeros(2, 2, 160)}, "softmaxLse", INVALID),
        ({"blockShapeOptional": [128]}, "blockShapeOptional", INVALID),
        ({"actualSeqLengthsKvOptional": [161, 0]}, "actualSeqLengthsKvOptional[0]", INVALID),
        ({"kvInputLayout": "TND"}, "kvInputLayout", INVALID),
        ({"maskType": 1}, "maskType", INVALID),
        ({"nextTokens": 0}, "nextTokens", INVALID),
    ],
)
def test_a_refused_call_writes_nothing(change: dict[str, Any], argument: str, code: int) -> None:
    """The error has CANN's code and the operator's name for the argument; outputs keep what they held."""
    given = {**arguments(), **change}
    with pytest.raises(ContractError) as caught:
        aclnn.block_sparse_attention_grad(**given)
    assert (caught.value.argument, caught.value.code) == (argument, code)
    assert all(torch.isnan(given[name]).all() for name in ("dq", "dk", "dv") if given[name] is not None)


@pytest.mark.usefixtures("replaced")
def test_profile_pypto_by_the_operators_names() -> None:
    """No mask, grouped heads and an LSE without its last axis: refused by aclnn, run under profile pypto."""
    given = arguments(density=1.0)
    grouped = {name: given[name][:, :1].contiguous() for name in ("key", "value", "dk", "dv")}
    call = {**given, **grouped, "blockSparseMaskOptional": None, "numKeyValueHeads": 1}
    call["softmaxLse"] = given["softmaxLse"].squeeze(-1)
    with pytest.raises(ContractError, match="profile 'pypto' would accept it"):
        aclnn.block_sparse_attention_grad(**call)
    grad = aclnn.block_sparse_attention_grad(**call, profile="pypto")
    assert torch.isfinite(grad.dk).all()


def run_on_the_simulator() -> tuple[float, ...]:
    """Largest difference of dq, dk, dv to the formula in float64, relative to the largest gradient."""
    given = arguments()
    grad = aclnn.block_sparse_attention_grad(**given)
    gold = backward_oracle(
        *(given[name] for name in ("dout", "query", "key", "value", "attentionOut", "softmaxLse")),
        given["blockSparseMaskOptional"],
        block_shape=(128, 128),
        actual_seq_lengths=given["actualSeqLengthsOptional"],
    )
    return tuple(float((one - right).abs().max() / right.abs().max()) for one, right in zip(grad, gold, strict=True))


def test_the_kernel_fills_the_outputs(forked: Any) -> None:
    """On the real simulator, all three outputs hold the gradients to FP16 rounding."""
    assert max(forked(run_on_the_simulator)) < 2**-9
