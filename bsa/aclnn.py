"""The backward pass by the names, order and defaults of CANN's aclnnBlockSparseAttentionGrad."""

# ruff: noqa: N803 - the operator's own names

from __future__ import annotations

from collections.abc import Sequence

import torch

from bsa.backward import run_backward
from bsa.contract import DEFAULT_BLOCK_SHAPE, NO_WINDOW, BackwardCall, OperatorArguments, check_operator
from bsa.contract.lengths import Lengths
from bsa.results import Grad


def block_sparse_attention_grad(  # noqa: PLR0917 - the operator's own order
    dout: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attentionOut: torch.Tensor,
    softmaxLse: torch.Tensor,
    blockSparseMaskOptional: torch.Tensor | None = None,
    attenMaskOptional: torch.Tensor | None = None,
    blockShapeOptional: Sequence[int] | None = None,
    actualSeqLengthsOptional: Lengths | None = None,
    actualSeqLengthsKvOptional: Lengths | None = None,
    qInputLayout: str = "BNSD",
    kvInputLayout: str = "BNSD",
    numKeyValueHeads: int | None = None,
    maskType: int = 0,
    scaleValue: float | None = None,
    preTokens: int = NO_WINDOW,
    nextTokens: int = NO_WINDOW,
    dq: torch.Tensor | None = None,
    dk: torch.Tensor | None = None,
    dv: torch.Tensor | None = None,
    *,
    profile: str = "aclnn",
    run_mode: str = "sim",
) -> Grad:
    """Write dq, dk and dv in place, computed by our kernels from the operator's arguments.

    The operator's workspaceSize and executor are not applicable: PyPTO allocates its own workspace, and a Python call
    has one phase. ``docs/contract.md`` has every rule with its source, and what was decided where the operator's text
    contradicts itself.

    Args:
        dout: gradient of the output, shape and dtype of query.
        query: FP16 or BF16 ``[batch, headNum, maxQSeqLength, headDim]`` (TND: ``[totalQTokens, headNum, headDim]``).
        key: the same dtype, ``[batch, numKeyValueHeads, maxKvSeqLength, headDim]`` (TND: ``[totalKTokens, …]``).
        value: as key.
        attentionOut: output of the forward pass, shape and dtype of query.
        softmaxLse: natural log-sum-exp, FP32 ``[batch, headNum, maxQSeqLength, 1]`` (TND: ``[totalQTokens, headNum,
            1]``); profile ``pypto`` takes it without the last axis too.
        blockSparseMaskOptional: BOOL ``[batch, headNum, ceil(maxQSeqLength / X), ceil(maxKvSeqLength / Y)]``; required
            by profile ``aclnn``, None = dense with profile ``pypto``.
        attenMaskOptional: None, or a BOOL tensor without elements.
        blockShapeOptional: [X, Y], rows of a query block and of a key block; None = [128, 128].
        actualSeqLengthsOptional: rows of each query sequence; None = all (BNSD), required in TND.
        actualSeqLengthsKvOptional: the same for keys.
        qInputLayout: ``BNSD``, with profile ``pypto`` also ``TND``.
        kvInputLayout: the same.
        numKeyValueHeads: heads of key; None = take them from key.
        maskType: 0.
        scaleValue: factor on query·key; None = 1 / sqrt(headDim).
        preTokens: 2147483647.
        nextTokens: 2147483647.
        dq: written with the gradient of query: its shape and dtype, any strides. May be one of the inputs.
        dk: written with the gradient of key, likewise.
        dv: written with the gradient of value, likewise.
        profile: ``aclnn``, what the operator's text allows, or ``pypto``, all that our kernels can do.
        run_mode: ``sim`` with CPU tensors, ``npu`` with NPU tensors.

    Returns:
        The tensors dq, dk and dv that were given.

    Raises:
        ContractError: an argument lies outside the contract; ``code`` is CANN's 161001 (null) or 161002 (invalid).
            Nothing was compiled, allocated or written.
        KernelError: PyPTO failed, with its true error.
        PyptoEnvironmentError: PyPTO or a tool it needs is missing or unfit.
    """
    call = BackwardCall(
        dout=dout,
        query=query,
        key=key,
        value=value,
        attention_out=attentionOut,
        softmax_lse=softmaxLse,
        block_sparse_mask=blockSparseMaskOptional,
        block_shape=DEFAULT_BLOCK_SHAPE if blockShapeOptional is None else blockShapeOptional,
        actual_seq_lengths=actualSeqLengthsOptional,
        actual_seq_lengths_kv=actualSeqLengthsKvOptional,
        layout=qInputLayout,
        scale=scaleValue,
        num_key_value_heads=numKeyValueHeads,
        run_mode=run_mode,
    )
    extra = OperatorArguments(
        atten_mask=attenMaskOptional,
        kv_layout=kvInputLayout,
        mask_type=maskType,
        pre_tokens=preTokens,
        next_tokens=nextTokens,
        outputs={"dq": dq, "dk": dk, "dv": dv},
    )
    problem = check_operator(call, extra, profile=profile)
    outputs = extra.given_outputs()
    with torch.no_grad():
        for output, gradient in zip(outputs, run_backward(call, problem), strict=True):
            output.copy_(gradient)
    return outputs
