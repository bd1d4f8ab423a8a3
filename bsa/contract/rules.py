"""The rule table: every rule that can refuse a call, with what each profile asks and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

BOTH = ("pypto", "aclnn")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule. What it asks is said by the message ``contract.rule.<id>``, in every language.

    Attributes:
        id: kebab-case name, as in ``ContractError.rule``.
        arguments: the arguments it speaks of, by our names.
        source: where it comes from: ``text`` = the description of aclnnBlockSparseAttentionGrad in CANN's
            ops-transformer, with its section; ``kernel`` = what our kernels need; ``ours`` = this library's options.
        profiles: the profiles that have the rule.
        decision: what we decided where the text contradicts itself or leaves something open.
        null: whether it refuses a missing argument (code 161001); all others give 161002.
    """

    id: str
    arguments: tuple[str, ...]
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
        source="ours",
        decision="A call of profile aclnn is run by our kernels, so it has to satisfy both profiles.",
    ),
    Rule(
        id="tensor-required",
        arguments=(*_WIDE, "softmax_lse", *_OUTPUTS),
        source="text, parameters",
        null=True,
    ),
    Rule(
        id="tensor-type",
        arguments=(*_TENSORS, *_OUTPUTS),
        source="text, parameters (format ND)",
    ),
    Rule(
        id="mask-required",
        arguments=_MASK,
        source="text, blockSparseMaskOptional",
        profiles=("aclnn",),
        decision='"Required in this version" contradicts "nullptr means no block sparsity": aclnn refuses None, '
        "pypto takes it as dense.",
        null=True,
    ),
    Rule(
        id="lengths-required",
        arguments=_LENGTHS,
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
        source="text, qInputLayout; constraints",
        decision='"TND and BNSD are supported" contradicts "only BNSD at present": aclnn refuses TND.',
    ),
    Rule(
        id="layouts-equal",
        arguments=("layout",),
        source="text, qInputLayout",
        decision="Our own calls have one layout argument and cannot break it.",
    ),
    Rule(id="rank", arguments=_WIDE, source="text, parameters (shape)"),
    Rule(
        id="empty-tensor",
        arguments=_WIDE,
        source="text, parameters (no empty tensors)",
    ),
    Rule(
        id="dtype",
        arguments=("query",),
        source="text, parameters (dtype); no FLOAT8_E5M2 or FLOAT8_E4M3FN on A2 and A3",
    ),
    Rule(
        id="dtype-equal",
        arguments=("dout", "key", "value", "attention_out"),
        source="text, dq, dk, dv",
        decision="The text never says that the inputs share a dtype; its outputs each follow an input, so they must.",
    ),
    Rule(
        id="contiguous",
        arguments=_TENSORS,
        source="text, parameters (non-contiguous: no)",
        profiles=("aclnn",),
        decision="pypto reads any strides; outputs may be strided in both.",
    ),
    Rule(id="run-mode", arguments=("run_mode",), source="ours"),
    Rule(
        id="run-mode-device",
        arguments=(*_TENSORS, *_OUTPUTS),
        source="ours",
    ),
    Rule(
        id="element-count",
        arguments=_TENSORS,
        source="kernel",
        decision="Strides do not count: a kernel sees a contiguous tensor, and copies use 64-bit offsets.",
    ),
)

_SIZE_RULES = (
    Rule(id="kv-shape-equal", arguments=("key", "value"), source="text, key, value"),
    Rule(
        id="batch-equal",
        arguments=("query", "key"),
        source="text, query, key",
    ),
    Rule(id="head-dim-equal", arguments=("query", "key"), source="text, query, key"),
    Rule(id="head-dim", arguments=("query",), source="text, constraints; kernel"),
    Rule(
        id="heads-ratio",
        arguments=("query", "key"),
        source="text, constraints",
    ),
    Rule(
        id="heads-equal",
        arguments=("query", "key"),
        source="text, constraints",
        profiles=("aclnn",),
        decision='"N1 >= N2 and N1 % N2 == 0" contradicts "only MHA (N1 == N2) at present": aclnn refuses groups.',
    ),
    Rule(
        id="num-key-value-heads",
        arguments=("num_key_value_heads",),
        source="text, numKeyValueHeads",
        decision="None takes the number from key. 0 is not a synonym of it.",
    ),
    Rule(
        id="query-shape-equal",
        arguments=("dout", "attention_out"),
        source="text, dout, attentionOut",
    ),
    Rule(id="lse-dtype", arguments=("softmax_lse",), source="text, softmaxLse"),
    Rule(
        id="lse-shape",
        arguments=("softmax_lse",),
        source="text, softmaxLse; ours",
        decision="The order of axes never depends on sizes, so Hq = S is not ambiguous.",
    ),
    Rule(id="lengths-type", arguments=_LENGTHS, source="ours"),
    Rule(
        id="lengths-count",
        arguments=_LENGTHS,
        source="text, actualSeqLengthsOptional",
        decision="In BNSD either may be given without the other.",
    ),
    Rule(
        id="lengths-range",
        arguments=_LENGTHS,
        source="text, actualSeqLengthsOptional",
        decision="The text is silent on empty batches: 0 is legal; such rows have gradient 0.",
    ),
    Rule(
        id="lengths-sum",
        arguments=_LENGTHS,
        source="text, actualSeqLengthsOptional",
        profiles=("pypto",),
        decision="The text is silent on a sum below T: tokens beyond it are padding. Lengths are per batch, not ends.",
    ),
)

_OPTION_RULES = (
    Rule(
        id="block-shape-type",
        arguments=("block_shape",),
        source="text, blockShapeOptional",
        decision='"At least two entries": aclnn takes more and ignores them, pypto takes exactly two. '
        "None at bsa.aclnn means [128, 128].",
    ),
    Rule(
        id="block-shape",
        arguments=("block_shape",),
        source="text, blockShapeOptional; kernel",
        decision="Without a mask the text ignores it; pypto still checks it, because it sets the tiles.",
    ),
    Rule(id="scale-type", arguments=("scale",), source="text, scaleValue"),
    Rule(
        id="scale-finite",
        arguments=("scale",),
        source="kernel",
        decision="0 and negative numbers are legal. None = 1 / sqrt(head_dim), what the text recommends.",
    ),
    Rule(
        id="mask-dtype",
        arguments=_MASK,
        source="text, blockSparseMaskOptional",
        decision="Integer masks are refused, whatever they hold.",
    ),
    Rule(
        id="mask-shape",
        arguments=_MASK,
        source="text, blockSparseMaskOptional",
        decision="In TND, S is the longest actual length, at least 1.",
    ),
    Rule(
        id="mask-binary",
        arguments=_MASK,
        source="text, blockSparseMaskOptional",
        decision="The text defines 1 and 0 only: a BOOL view of other bytes is refused.",
    ),
    Rule(
        id="selected-blocks",
        arguments=_MASK,
        source="kernel",
        profiles=("pypto",),
        decision="Each selected block costs up to 49 int32 entries in the backward's tables, which stay below 2^31.",
    ),
)

_OPERATOR_RULES = (
    Rule(
        id="atten-mask",
        arguments=("attenMaskOptional",),
        source="text, attenMaskOptional",
        decision='"Empty tensor supported" contradicts "pass nullptr": an empty one means the same as None.',
    ),
    Rule(id="mask-type", arguments=("maskType",), source="text, maskType"),
    Rule(
        id="token-window",
        arguments=("preTokens", "nextTokens"),
        source="text, preTokens, nextTokens",
    ),
    Rule(
        id="output-like-input",
        arguments=_OUTPUTS,
        source="text, dq, dk, dv",
    ),
    Rule(
        id="output-overlap",
        arguments=_OUTPUTS,
        source="ours",
        decision="Outputs may be strided; expanded outputs, and one tensor given twice, are refused.",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.id: rule for rule in (*_PRESENCE, *_TENSOR_RULES, *_SIZE_RULES, *_OPTION_RULES, *_OPERATOR_RULES)}
)
"""Every rule by name, in the order in which the table is printed."""
