"""The rule table: every rule that can refuse a call, with what each profile asks and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule.

    Attributes:
        id: kebab-case name, as in ``ContractError.rule``.
        arguments: the arguments it speaks of.
        pypto: what profile ``pypto`` asks.
        source: where the rule comes from.
    """

    id: str
    arguments: tuple[str, ...]
    pypto: str
    source: str


_QKV = ("query", "key", "value")
_LENGTHS = ("actual_seq_lengths", "actual_seq_lengths_kv")
_ACLNN = "BlockSparseAttentionGrad"
_KERNEL = "our kernel"
_TABLE = (
    Rule(id="tensor-required", arguments=_QKV, pypto="not None", source=_ACLNN),
    Rule(id="tensor-type", arguments=(*_QKV, "block_sparse_mask"), pypto="a strided torch.Tensor", source=_ACLNN),
    Rule(id="layout", arguments=("layout",), pypto="BNSD", source=_ACLNN),
    Rule(id="rank", arguments=_QKV, pypto="4 axes in BNSD, 3 in TND", source=_ACLNN),
    Rule(id="empty-tensor", arguments=_QKV, pypto="every axis at least 1", source=_ACLNN),
    Rule(id="dtype", arguments=_QKV, pypto="FP16", source=_ACLNN),
    Rule(id="dtype-equal", arguments=_QKV, pypto="one dtype for all", source=_ACLNN),
    Rule(id="run-mode", arguments=("run_mode",), pypto="sim or npu", source=_KERNEL),
    Rule(id="run-mode-device", arguments=(*_QKV, "block_sparse_mask"), pypto="sim: CPU, npu: one NPU", source=_KERNEL),
    Rule(id="element-count", arguments=(*_QKV, "block_sparse_mask"), pypto="at most 2^31 - 1", source=_KERNEL),
    Rule(id="kv-shape-equal", arguments=("key", "value"), pypto="equal shapes", source=_ACLNN),
    Rule(id="batch-equal", arguments=("query", "key"), pypto="equal batch in BNSD", source=_ACLNN),
    Rule(id="head-dim-equal", arguments=("query", "key"), pypto="equal head_dim", source=_ACLNN),
    Rule(id="head-dim", arguments=("query",), pypto="64, 128 or 256", source=_KERNEL),
    Rule(id="heads-ratio", arguments=("query", "key"), pypto="Hq >= Hkv and Hq % Hkv == 0", source=_ACLNN),
    Rule(id="num-key-value-heads", arguments=("num_key_value_heads",), pypto="heads of key, or None", source=_ACLNN),
    Rule(id="block-shape-type", arguments=("block_shape",), pypto="two ints", source=_ACLNN),
    Rule(id="block-shape", arguments=("block_shape",), pypto="multiples of 16, up to 512 by 1024", source=_KERNEL),
    Rule(id="lengths-required", arguments=_LENGTHS, pypto="given in TND", source=_ACLNN),
    Rule(id="lengths-type", arguments=_LENGTHS, pypto="sequence of int, or CPU integer tensor", source=_ACLNN),
    Rule(id="lengths-count", arguments=_LENGTHS, pypto="one per batch", source=_ACLNN),
    Rule(id="lengths-range", arguments=_LENGTHS, pypto="0 <= length <= S (TND: T)", source=_ACLNN),
    Rule(id="lengths-sum", arguments=_LENGTHS, pypto="TND: sum of lengths <= T", source=_ACLNN),
    Rule(id="scale-type", arguments=("scale",), pypto="a real number or None", source=_ACLNN),
    Rule(id="scale-finite", arguments=("scale",), pypto="finite in FP32", source=_KERNEL),
    Rule(id="mask-dtype", arguments=("block_sparse_mask",), pypto="BOOL", source=_ACLNN),
    Rule(id="mask-shape", arguments=("block_sparse_mask",), pypto="[B, Hq, query blocks, key blocks]", source=_ACLNN),
    Rule(id="mask-binary", arguments=("block_sparse_mask",), pypto="bytes 0 and 1 only", source=_ACLNN),
    Rule(id="query-shape-equal", arguments=("dout", "attention_out"), pypto="the shape of query", source=_ACLNN),
    Rule(id="lse-dtype", arguments=("softmax_lse",), pypto="FP32", source=_ACLNN),
    Rule(id="lse-shape", arguments=("softmax_lse",), pypto="[B, Hq, S], [T, Hq], or a last axis of 1", source=_ACLNN),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _TABLE})
"""Every rule by name, in the order in which the table is printed."""
