"""The contract as a page: Markdown made from the rule table, the profiles and the operator's arguments."""

from __future__ import annotations

from bsa.contract.profile import PROFILES
from bsa.contract.rules import RULES
from bsa.contract.words import asks
from bsa.errors import INVALID, NULL
from bsa.messages import catalogue

_HEAD = f"""# The contract

Made by `python -m bsa.contract` from the rules in `bsa/contract`; a test keeps it up to date.

Every argument is validated before anything is compiled or allocated. A call that breaks a rule raises
`bsa.ContractError`, which names the rule, the argument, its value, the legal range and what to do. Its `code` is
CANN's: {NULL} when a required argument is missing, {INVALID} otherwise. It says which profile refused and whether the
other would accept.

- Profile **pypto**: what our kernels can do. The forward call knows only this one.
- Profile **aclnn**: what the text of aclnnBlockSparseAttentionGrad (CANN, ops-transformer) says of the built-in
  operator. Our kernels run such a call, so it has to satisfy both profiles.

Source: *text* is that description, with its section; *kernel* is what our kernels need; *ours* are this library's own
options. *Decision* says what holds where the text contradicts itself or is silent.

## Rules
"""

_ARGUMENTS_HEAD = """
## Arguments of the operator

`bsa.aclnn.block_sparse_attention_grad` takes them by these names and in this order.

| operator | ours | notes |
|---|---|---|
"""

ARGUMENTS: tuple[tuple[str, str, str], ...] = (
    ("dout", "dout", ""),
    ("query", "query", ""),
    ("key", "key", ""),
    ("value", "value", ""),
    ("attentionOut", "attention_out", ""),
    ("softmaxLse", "softmax_lse", "natural logarithm"),
    ("blockSparseMaskOptional", "block_sparse_mask", ""),
    ("attenMaskOptional", "none", "no mask within blocks exists: one legal meaning"),
    ("blockShapeOptional", "block_shape", "None = [128, 128]"),
    ("actualSeqLengthsOptional", "actual_seq_lengths", "None = all rows (BNSD)"),
    ("actualSeqLengthsKvOptional", "actual_seq_lengths_kv", "None = all rows (BNSD)"),
    ("qInputLayout", "layout", ""),
    ("kvInputLayout", "layout", "equal to qInputLayout"),
    ("numKeyValueHeads", "num_key_value_heads", ""),
    ("maskType", "none", "one legal value, 0"),
    ("scaleValue", "scale", ""),
    ("preTokens", "none", "one legal value, 2147483647"),
    ("nextTokens", "none", "one legal value, 2147483647"),
    ("dq", "result dq", "written in place, any strides"),
    ("dk", "result dk", "written in place, any strides"),
    ("dv", "result dv", "written in place, any strides"),
    ("workspaceSize", "not applicable", "an output for the caller's allocation; PyPTO allocates its own workspace"),
    ("executor", "not applicable", "a handle between aclnn's two call phases; a Python call has one phase"),
)
"""Every argument of the operator in its order: (operator's name, our name, notes)."""


def page() -> str:
    """The whole page, Markdown."""
    names, messages = tuple(PROFILES), catalogue("en")
    rows = [
        "| rule | arguments | " + " | ".join(names) + " | code | source | decision |",
        "|---" * (len(names) + 5) + "|",
    ]
    for rule in RULES.values():
        limits = [asks(rule.id, profile, messages) if profile in rule.profiles else "–" for profile in PROFILES]
        code = NULL if rule.null else INVALID
        cells = [f"`{rule.id}`", ", ".join(rule.arguments), *limits, str(code), rule.source, rule.decision]
        rows.append("| " + " | ".join(cells) + " |")
    arguments = ["| " + " | ".join(row) + " |" for row in ARGUMENTS]
    return _HEAD + "\n" + "\n".join(rows) + "\n" + _ARGUMENTS_HEAD + "\n".join(arguments) + "\n"
