"""Both sides of every rule's boundary, as data: calls that it lets pass, and calls that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from bsa.errors import ContractError
from tests.bsa.contract.calls import Call, dense, huge, largest, make, packed, zeros

Maker = Callable[[], Call]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One rule's two sides.

    Attributes:
        legal: calls that every profile with the rule lets pass.
        illegal: calls that the rule refuses, each with the argument it names.
        forward: whether the forward call has the rule too, for the same changes.
        illegal_profile: the profile that illegal calls name, where that is the point.
        refusal: how to ask for a verdict: by default the operator's check.
    """

    legal: tuple[Maker, ...]
    illegal: tuple[tuple[str, Maker], ...]
    forward: bool = True
    illegal_profile: str | None = None
    refusal: Callable[[Call, str], ContractError | None] = Call.refusal


def _bent(**changes: object) -> Maker:
    return lambda: make().bend(**changes)


def _lengths(*values: object) -> Maker:
    return _bent(actual_seq_lengths=list(values))


def _viewed(byte: int) -> torch.Tensor:
    """The mask of ``make()`` as a view of bytes."""
    return torch.full((2, 2, 2, 3), byte, dtype=torch.uint8).view(torch.bool)


def _strided(*shape: int) -> torch.Tensor:
    return zeros(*shape[:-2], shape[-1], shape[-2]).mT


def _one_output_twice() -> Call:
    output = zeros(*KEY)
    return make().bend(dk=output, dv=output)


def _outputs_in_one_buffer() -> Call:
    buffer = zeros(2, 2, 32, 3, 128)
    return make(rows=(32, 32)).bend(**{name: buffer[..., index, :] for index, name in enumerate(("dq", "dk", "dv"))})


QUERY, KEY, LSE, MASK = (2, 2, 32, 128), (2, 2, 48, 128), (2, 2, 32, 1), (2, 2, 2, 3)
FLAGS = torch.ones(MASK, dtype=torch.bool)

PAIRS: dict[str, Pair] = {
    "tensor-required": Pair(
        legal=(make,),
        illegal=tuple(
            (name, _bent(**{field: None}))
            for name, field in (
                ("query", "query"),
                ("key", "key"),
                ("value", "value"),
                ("dout", "dout"),
                ("attentionOut", "attention_out"),
                ("softmaxLse", "softmax_lse"),
                ("dq", "dq"),
                ("dk", "dk"),
                ("dv", "dv"),
            )
        ),
        forward=False,
    ),
    "tensor-type": Pair(
        legal=(make,),
        illegal=(
            ("query", _bent(query=np.zeros(QUERY, dtype=np.float16))),
            ("key", _bent(key=zeros(*KEY).to_sparse())),
            ("blockSparseMaskOptional", _bent(block_sparse_mask=FLAGS.tolist())),
        ),
    ),
    "mask-required": Pair(
        legal=(make,), illegal=(("blockSparseMaskOptional", _bent(block_sparse_mask=None)),), forward=False
    ),
    "layout": Pair(
        legal=(make,),
        illegal=tuple(("qInputLayout", _bent(layout=layout)) for layout in ("BSND", "bnsd", "", None)),
    ),
    "layouts-equal": Pair(legal=(make,), illegal=(("kvInputLayout", _bent(kv_layout="TND")),), forward=False),
    "rank": Pair(
        legal=(make,),
        illegal=(
            ("query", _bent(query=zeros(2, 32, 128))),
            ("value", _bent(value=zeros(1, *KEY))),
        ),
    ),
    "empty-tensor": Pair(
        legal=(lambda: make(batch=1, heads=(1, 1), rows=(1, 1)),),
        illegal=(
            ("query", lambda: make(batch=0)),
            ("query", lambda: make(rows=(0, 48))),
            ("key", lambda: make(rows=(32, 0))),
        ),
    ),
    "dtype": Pair(
        legal=(make,),
        illegal=tuple(
            ("query", lambda dtype=dtype: make(dtype=dtype))  # type: ignore[misc]
            for dtype in (torch.float32, torch.float64, torch.int8, torch.float8_e5m2, torch.float8_e4m3fn)
        ),
    ),
    "dtype-equal": Pair(
        legal=(make,),
        illegal=(
            ("key", _bent(key=zeros(*KEY, dtype=torch.bfloat16))),
            ("value", _bent(value=zeros(*KEY, dtype=torch.float8_e4m3fn))),
        ),
    ),
    "contiguous": Pair(
        legal=(make,),
        illegal=(
            ("dout", _bent(dout=_strided(*QUERY))),
            ("query", _bent(query=_strided(*QUERY))),
            ("key", _bent(key=_strided(*KEY))),
            ("value", _bent(value=_strided(*KEY))),
            ("attentionOut", _bent(attention_out=_strided(*QUERY))),
            ("softmaxLse", _bent(softmax_lse=zeros(2, 2, 32, 2, dtype=torch.float32)[..., :1])),
            ("blockSparseMaskOptional", _bent(block_sparse_mask=FLAGS[:1].expand(MASK))),
        ),
        forward=False,
    ),
    "run-mode": Pair(
        legal=(make,), illegal=tuple(("run_mode", _bent(run_mode=mode)) for mode in ("SIM", "cpu", 1, None))
    ),
    "run-mode-device": Pair(
        legal=(make,),
        illegal=(
            ("query", _bent(run_mode="npu")),
            ("key", _bent(key=zeros(*KEY).to("meta"))),
            ("blockSparseMaskOptional", _bent(block_sparse_mask=FLAGS.to("meta"))),
        ),
    ),
    "kv-shape-equal": Pair(
        legal=(make,),
        illegal=(("value", _bent(value=zeros(2, 2, 47, 128))), ("value", _bent(value=zeros(2, 1, 48, 128)))),
    ),
    "batch-equal": Pair(legal=(make,), illegal=(("key", _bent(key=zeros(3, 2, 48, 128), value=zeros(3, 2, 48, 128))),)),
    "head-dim-equal": Pair(
        legal=(make,), illegal=(("key", _bent(key=zeros(2, 2, 48, 64), value=zeros(2, 2, 48, 64))),)
    ),
    "head-dim": Pair(
        legal=(make,),
        illegal=tuple(("query", lambda width=width: make(width=width)) for width in (127, 129, 512)),  # type: ignore[misc]
    ),
    "heads-ratio": Pair(
        legal=(lambda: make(heads=(4, 4)), lambda: make(heads=(1, 1))),
        illegal=(("query", lambda: make(heads=(4, 3))), ("query", lambda: make(heads=(2, 4)))),
    ),
    "heads-equal": Pair(
        legal=(lambda: make(heads=(4, 4)),), illegal=(("query", lambda: make(heads=(4, 2))),), forward=False
    ),
    "num-key-value-heads": Pair(
        legal=(_bent(num_key_value_heads=2), _bent(num_key_value_heads=np.int64(2))),
        illegal=tuple(("numKeyValueHeads", _bent(num_key_value_heads=heads)) for heads in (0, 1, 3, "2", 2.0, True)),
    ),
    "query-shape-equal": Pair(
        legal=(make,),
        illegal=(
            ("dout", _bent(dout=zeros(2, 2, 31, 128))),
            ("attentionOut", _bent(attention_out=zeros(2, 2, 33, 128))),
        ),
        forward=False,
    ),
    "lse-dtype": Pair(
        legal=(make,),
        illegal=tuple(
            ("softmaxLse", _bent(softmax_lse=zeros(*LSE, dtype=dtype))) for dtype in (torch.float16, torch.float64)
        ),
        forward=False,
    ),
    "lse-shape": Pair(
        legal=(make, lambda: make(heads=(32, 32))),
        illegal=tuple(
            ("softmaxLse", _bent(softmax_lse=zeros(*shape, dtype=torch.float32)))
            for shape in ((2, 32, 2), (2, 32, 2, 1), (2, 2, 32, 8), (2, 2, 31, 1), (4, 32), (2, 2, 1, 32))
        ),
        forward=False,
    ),
    "lengths-type": Pair(
        legal=(
            _lengths(32, 0),
            _lengths(np.int32(32), torch.tensor(0)),
            _bent(actual_seq_lengths=(1, 2)),
            _bent(actual_seq_lengths=torch.tensor([1, 2], dtype=torch.int32)),
            _bent(actual_seq_lengths=np.array([1, 2])),
        ),
        illegal=(
            ("actualSeqLengthsOptional[1]", _lengths(32, True)),
            ("actualSeqLengthsOptional[0]", _lengths(1.0, 2)),
            ("actualSeqLengthsOptional[0]", _lengths("1", 2)),
            ("actualSeqLengthsOptional[0]", _lengths(torch.tensor(1.0), 2)),
            ("actualSeqLengthsOptional[0]", _lengths(None, 2)),
            ("actualSeqLengthsOptional", _bent(actual_seq_lengths=7)),
            ("actualSeqLengthsOptional", _bent(actual_seq_lengths="12")),
            ("actualSeqLengthsOptional", _bent(actual_seq_lengths=torch.tensor([1.0, 2.0]))),
            ("actualSeqLengthsOptional", _bent(actual_seq_lengths=torch.tensor([True, True]))),
            ("actualSeqLengthsOptional", _bent(actual_seq_lengths=torch.tensor([[1, 2]]))),
            ("actualSeqLengthsOptional", _bent(actual_seq_lengths=torch.tensor([1, 2], device="meta"))),
        ),
    ),
    "lengths-count": Pair(
        legal=(_lengths(1, 2), _bent(actual_seq_lengths_kv=[1, 2])),
        illegal=(
            ("actualSeqLengthsOptional", _lengths()),
            ("actualSeqLengthsOptional", _lengths(1)),
            ("actualSeqLengthsKvOptional", _bent(actual_seq_lengths_kv=[1, 2, 3])),
        ),
    ),
    "lengths-range": Pair(
        legal=(_lengths(0, 0), _lengths(32, 32), _bent(actual_seq_lengths_kv=[48, 0])),
        illegal=(
            ("actualSeqLengthsOptional[1]", _lengths(32, 33)),
            ("actualSeqLengthsOptional[0]", _lengths(-1, 0)),
            ("actualSeqLengthsKvOptional[0]", _bent(actual_seq_lengths_kv=[49, 0])),
            ("actualSeqLengthsOptional[1]", _lengths(0, 2**64)),
        ),
    ),
    "block-shape-type": Pair(
        legal=(_bent(block_shape=[16, 16]), _bent(block_shape=(np.int64(16), 16))),
        illegal=tuple(
            ("blockShapeOptional", _bent(block_shape=shape))
            for shape in ((16,), (), 16, "16", (16.0, 16), (16, True), (None, 16))
        ),
    ),
    "block-shape": Pair(
        legal=(lambda: make(block=(16, 16)), lambda: make(block=(512, 1024))),
        illegal=(
            ("blockShapeOptional[0]", _bent(block_shape=(0, 16))),
            ("blockShapeOptional[1]", _bent(block_shape=(16, -16))),
        ),
    ),
    "scale-type": Pair(
        legal=(_bent(scale=1), _bent(scale=0.5), _bent(scale=np.float32(0.5))),
        illegal=tuple(("scaleValue", _bent(scale=scale)) for scale in ("1", True, 1j, torch.tensor(1.0))),
    ),
    "scale-finite": Pair(
        legal=(_bent(scale=3.4028234663852886e38), _bent(scale=-1.0), _bent(scale=0.0)),
        illegal=tuple(
            ("scaleValue", _bent(scale=scale)) for scale in (3.4028236e38, float("inf"), float("-inf"), float("nan"))
        ),
    ),
    "mask-dtype": Pair(
        legal=(make,),
        illegal=tuple(
            ("blockSparseMaskOptional", _bent(block_sparse_mask=FLAGS.to(dtype)))
            for dtype in (torch.uint8, torch.int8, torch.int64, torch.float16)
        ),
    ),
    "mask-shape": Pair(
        legal=(make, lambda: make(rows=(33, 48))),
        illegal=tuple(
            ("blockSparseMaskOptional", _bent(block_sparse_mask=torch.ones(shape, dtype=torch.bool)))
            for shape in (
                (2, 2, 3, 2),
                (2, 2, 2, 4),
                (2, 2, 1, 3),
                (1, 2, 2, 3),
                (2, 1, 2, 3),
                (2, 2, 6),
                (2, 2, 32, 48),
            )
        ),
    ),
    "mask-binary": Pair(
        legal=(_bent(block_sparse_mask=_viewed(0)), _bent(block_sparse_mask=_viewed(1))),
        illegal=tuple(("blockSparseMaskOptional", _bent(block_sparse_mask=_viewed(byte))) for byte in (2, 255)),
    ),
    "atten-mask": Pair(
        legal=(make, _bent(atten_mask=zeros(0, 0, dtype=torch.bool))),
        illegal=(
            ("attenMaskOptional", _bent(atten_mask=zeros(2, 2, dtype=torch.bool))),
            ("attenMaskOptional", _bent(atten_mask=zeros(0, 0))),
            ("attenMaskOptional", _bent(atten_mask=[])),
        ),
        forward=False,
    ),
    "mask-type": Pair(
        legal=(make,),
        illegal=tuple(("maskType", _bent(mask_type=kind)) for kind in (1, -1, None, False)),
        forward=False,
    ),
    "token-window": Pair(
        legal=(make,),
        illegal=(
            ("preTokens", _bent(pre_tokens=2147483646)),
            ("preTokens", _bent(pre_tokens=2147483648)),
            ("nextTokens", _bent(next_tokens=0)),
        ),
        forward=False,
    ),
    "output-like-input": Pair(
        legal=(make,),
        illegal=(
            ("dq", _bent(dq=zeros(2, 2, 31, 128))),
            ("dk", _bent(dk=zeros(2, 2, 48, 128, dtype=torch.float32))),
            ("dv", _bent(dv=zeros(2, 2, 32, 128))),
        ),
        forward=False,
    ),
    "output-overlap": Pair(
        legal=(
            make,
            _bent(dq=zeros(2, 32, 2, 128).transpose(1, 2)),
            _outputs_in_one_buffer,
        ),
        illegal=(
            ("dq", _bent(dq=zeros(1, 2, 32, 128).expand(QUERY))),
            ("dk", _bent(dk=zeros(2 * 2 * 48 + 127).as_strided(KEY, (96, 48, 1, 1)))),
            ("dv", _one_output_twice),
        ),
        forward=False,
    ),
    "element-count": Pair(
        legal=(largest,),
        illegal=(
            ("query", _bent(query=huge(2, 2, 2**22, 128))),
            ("key", _bent(key=huge(2, 2, 2**22, 128))),
            ("blockSparseMaskOptional", _bent(block_sparse_mask=huge(2, 2, 2**15, 2**14, dtype=torch.bool))),
        ),
    ),
    "selected-blocks": Pair(
        legal=(partial(dense, rows=2**22),),
        illegal=(
            ("blockSparseMaskOptional", partial(dense, rows=2**22 + 512)),
            ("blockSparseMaskOptional", partial(dense, rows=2**22 + 512, mask=False)),
        ),
    ),
    "profile": Pair(
        legal=(make,), illegal=(("profile", make),), forward=False, illegal_profile="cann", refusal=Call.any_refusal
    ),
    "lengths-required": Pair(
        legal=(packed,),
        illegal=(
            ("actual_seq_lengths", lambda: packed().bend(actual_seq_lengths=None)),
            ("actual_seq_lengths_kv", lambda: packed().bend(actual_seq_lengths_kv=None)),
        ),
        forward=False,
        refusal=Call.reference_refusal,
    ),
    "lengths-sum": Pair(
        legal=(packed, lambda: packed().bend(actual_seq_lengths=[20, 31])),
        illegal=(
            ("actual_seq_lengths", lambda: packed().bend(actual_seq_lengths=[20, 33])),
            ("actual_seq_lengths_kv", lambda: packed().bend(actual_seq_lengths_kv=[16, 48])),
        ),
        forward=False,
        refusal=Call.reference_refusal,
    ),
}
