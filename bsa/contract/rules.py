"""The rule table: every rule that can refuse a call, with what each profile asks and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

BOTH = ("pypto", "aclnn")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule. Texts may hold the placeholders ``{layouts}``, ``{dtypes}``, ``{head_dims}`` and ``{blocks}``.

    Attributes:
        id: kebab-case name, as in ``ContractError.rule``.
        arguments: the arguments it speaks of, by our names.
        asks: what it asks, in words.
        source: where it comes from: ``text`` = the description of aclnnBlockSparseAttentionGrad in CANN's
            ops-transformer, with its section; ``kernel`` = what our kernels need; ``ours`` = this library's options.
        profiles: the profiles that have the rule.
        decision: what we decided where the text contradicts itself or leaves something open.
        null: whether it refuses a missing argument (code 161001); all others give 161002.
    """

    id: str
    arguments: tuple[str, ...]
    asks: str
    source: str
    profiles: tuple[str, ...] = BOTH
    decision: str = ""
    null: bool = False


_QKV = ("query", "key", "value")
_WIDE = ("dout", *_QKV, "attention_out")
_MASK = ("block_sparse_mask",)
_LENGTHS = ("actual_seq_lengths", "actual_seq_lengths_kv")
_OUTPUTS = ("dq", "dk", "dv")
_TENSORS = (*_WIDE, "softmax_lse", *_MASK)

_PRESENCE = (
    Rule(
        id="profile",
        arguments=("profile",),
        asks="pypto or aclnn",
        source="ours",
        decision="A call of profile aclnn is run by our kernels, so it has to satisfy both profiles.",
    ),
    Rule(
        id="tensor-required",
        arguments=(*_WIDE, "softmax_lse", *_OUTPUTS),
        asks="not None",
        source="text, parameters",
        null=True,
    ),
    Rule(
        id="tensor-type",
        arguments=(*_TENSORS, *_OUTPUTS),
        asks="a strided torch.Tensor",
        source="text, parameters (format ND)",
    ),
    Rule(
        id="mask-required",
        arguments=_MASK,
        asks="not None",
        source="text, blockSparseMaskOptional",
        profiles=("aclnn",),
        decision='"Required in this version" contradicts "nullptr means no block sparsity": aclnn refuses None, '
        "pypto takes it as dense.",
        null=True,
    ),
    Rule(
        id="lengths-required",
        arguments=_LENGTHS,
        asks="given in TND",
        source="text, constraints",
        profiles=("pypto",),
        decision="aclnn refuses TND as a whole, by rule layout.",
        null=True,
    ),
)

_TENSOR_RULES = (
    Rule(
        id="layout",
        arguments=("layout",),
        asks="{layouts}",
        source="text, qInputLayout; constraints",
        decision='"TND and BNSD are supported" contradicts "only BNSD at present": aclnn refuses TND.',
    ),
    Rule(
        id="layouts-equal",
        arguments=("layout",),
        asks="qInputLayout equal to kvInputLayout",
        source="text, qInputLayout",
        decision="Our own calls have one layout argument and cannot break it.",
    ),
    Rule(id="rank", arguments=_WIDE, asks="4 axes in BNSD, 3 in TND", source="text, parameters (shape)"),
    Rule(
        id="empty-tensor",
        arguments=_WIDE,
        asks="every axis at least 1",
        source="text, parameters (no empty tensors)",
    ),
    Rule(
        id="dtype",
        arguments=("query",),
        asks="{dtypes}",
        source="text, parameters (dtype); no FLOAT8_E5M2 or FLOAT8_E4M3FN on A2 and A3",
    ),
    Rule(
        id="dtype-equal",
        arguments=("dout", "key", "value", "attention_out"),
        asks="the dtype of query",
        source="text, dq, dk, dv",
        decision="The text never says that the inputs share a dtype; its outputs each follow an input, so they must.",
    ),
    Rule(
        id="contiguous",
        arguments=_TENSORS,
        asks="contiguous inputs",
        source="text, parameters (non-contiguous: no)",
        profiles=("aclnn",),
        decision="pypto reads any strides; outputs may be strided in both.",
    ),
    Rule(id="run-mode", arguments=("run_mode",), asks="sim or npu", source="ours"),
    Rule(
        id="run-mode-device",
        arguments=(*_TENSORS, *_OUTPUTS),
        asks="sim: all on the CPU; npu: all on one NPU",
        source="ours",
    ),
    Rule(
        id="element-count",
        arguments=_TENSORS,
        asks="at most 2^31 - 1 elements",
        source="kernel",
        decision="Strides do not count: a kernel sees a contiguous tensor, and copies use 64-bit offsets.",
    ),
)

_SIZE_RULES = (
    Rule(id="kv-shape-equal", arguments=("key", "value"), asks="value has the shape of key", source="text, key, value"),
    Rule(
        id="batch-equal",
        arguments=("query", "key"),
        asks="equal batch in BNSD",
        source="text, query, key",
    ),
    Rule(id="head-dim-equal", arguments=("query", "key"), asks="equal head_dim", source="text, query, key"),
    Rule(id="head-dim", arguments=("query",), asks="{head_dims}", source="text, constraints; kernel"),
    Rule(
        id="heads-ratio",
        arguments=("query", "key"),
        asks="Hq >= Hkv and Hq % Hkv == 0",
        source="text, constraints",
    ),
    Rule(
        id="heads-equal",
        arguments=("query", "key"),
        asks="Hq == Hkv",
        source="text, constraints",
        profiles=("aclnn",),
        decision='"N1 >= N2 and N1 % N2 == 0" contradicts "only MHA (N1 == N2) at present": aclnn refuses groups.',
    ),
    Rule(
        id="num-key-value-heads",
        arguments=("num_key_value_heads",),
        asks="the heads of key, or None",
        source="text, numKeyValueHeads",
        decision="None takes the number from key. 0 is not a synonym of it.",
    ),
    Rule(
        id="query-shape-equal",
        arguments=("dout", "attention_out"),
        asks="the shape of query",
        source="text, dout, attentionOut",
    ),
    Rule(id="lse-dtype", arguments=("softmax_lse",), asks="FP32", source="text, softmaxLse"),
    Rule(
        id="lse-shape",
        arguments=("softmax_lse",),
        asks="{lse_shapes}",
        source="text, softmaxLse; ours",
        decision="The order of axes never depends on sizes, so Hq = S is not ambiguous.",
    ),
    Rule(id="lengths-type", arguments=_LENGTHS, asks="a sequence of int, or a 1-D CPU integer tensor", source="ours"),
    Rule(
        id="lengths-count",
        arguments=_LENGTHS,
        asks="one per batch; in TND equally many for query and key",
        source="text, actualSeqLengthsOptional",
        decision="In BNSD either may be given without the other.",
    ),
    Rule(
        id="lengths-range",
        arguments=_LENGTHS,
        asks="0 <= length <= S, in TND <= T",
        source="text, actualSeqLengthsOptional",
        decision="The text is silent on empty batches: 0 is legal; such rows have gradient 0.",
    ),
    Rule(
        id="lengths-sum",
        arguments=_LENGTHS,
        asks="sum of lengths <= T in TND",
        source="text, actualSeqLengthsOptional",
        profiles=("pypto",),
        decision="The text is silent on a sum below T: tokens beyond it are padding. Lengths are per batch, not ends.",
    ),
)

_OPTION_RULES = (
    Rule(
        id="block-shape-type",
        arguments=("block_shape",),
        asks="{block_entries} ints",
        source="text, blockShapeOptional",
        decision='"At least two entries": aclnn takes more and ignores them, pypto takes exactly two. '
        "None at bsa.aclnn means [128, 128].",
    ),
    Rule(
        id="block-shape",
        arguments=("block_shape",),
        asks="{blocks}",
        source="text, blockShapeOptional; kernel",
        decision="Without a mask the text ignores it; pypto still checks it, because it sets the tiles.",
    ),
    Rule(id="scale-type", arguments=("scale",), asks="a real number, or None", source="text, scaleValue"),
    Rule(
        id="scale-finite",
        arguments=("scale",),
        asks="finite in FP32",
        source="kernel",
        decision="0 and negative numbers are legal. None = 1 / sqrt(head_dim), what the text recommends.",
    ),
    Rule(
        id="mask-dtype",
        arguments=_MASK,
        asks="BOOL",
        source="text, blockSparseMaskOptional",
        decision="Integer masks are refused, whatever they hold.",
    ),
    Rule(
        id="mask-shape",
        arguments=_MASK,
        asks="[B, Hq, ceil(S / bx), ceil(Skv / by)]",
        source="text, blockSparseMaskOptional",
        decision="In TND, S is the longest actual length, at least 1.",
    ),
    Rule(
        id="mask-binary",
        arguments=_MASK,
        asks="bytes 0 and 1 only",
        source="text, blockSparseMaskOptional",
        decision="The text defines 1 and 0 only: a BOOL view of other bytes is refused.",
    ),
)

_OPERATOR_RULES = (
    Rule(
        id="atten-mask",
        arguments=("attenMaskOptional",),
        asks="None, or a BOOL tensor without elements",
        source="text, attenMaskOptional",
        decision='"Empty tensor supported" contradicts "pass nullptr": an empty one means the same as None.',
    ),
    Rule(id="mask-type", arguments=("maskType",), asks="0", source="text, maskType"),
    Rule(
        id="token-window",
        arguments=("preTokens", "nextTokens"),
        asks="2147483647",
        source="text, preTokens, nextTokens",
    ),
    Rule(
        id="output-like-input",
        arguments=_OUTPUTS,
        asks="shape and dtype of query, key, value",
        source="text, dq, dk, dv",
    ),
    Rule(
        id="output-overlap",
        arguments=_OUTPUTS,
        asks="each element at an address of its own",
        source="ours",
        decision="Outputs may be strided; expanded outputs, and one tensor given twice, are refused.",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.id: rule for rule in (*_PRESENCE, *_TENSOR_RULES, *_SIZE_RULES, *_OPTION_RULES, *_OPERATOR_RULES)}
)
"""Every rule by name, in the order in which the table is printed."""
