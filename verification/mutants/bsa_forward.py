"""Wrong-by-construction forward kernels, one for each relation of :mod:`stimuli.properties`, and one with a lost tail.

Where ``directed`` names a case of suite ``properties``, its relation notices without any reference.
"""

from __future__ import annotations

from verification.mutants.mutant import Edit, Mutant

KERNEL = "bsa.kernels.forward"
TABLES = "bsa.tables"
WRAPPER = "bsa.forward"
ROWS = "block_sparse_attention_forward"
_PLACES = "keys.grid()[picks]"
_KEY_HEAD = "block // (group * rows)"
_KEY_HEADS = "(selected.shape[1] // group)"
_LAUNCH = "kernel(*arguments, problem.scale)"
_WEIGHTS = "pypto.exp(pypto.sub(logits, maximum))"
_LSE = "pypto.add(maximum, pypto.log(total))"
_SELECTED = "selected_blocks(mask, problem)"
_WHOLE = (
    "(np.arange(1, problem.blocks_kv + 1) * problem.block_shape[1] <= np.array(problem.lengths_kv)[:, None])"
    "[:, None, None]"
)
_TABLES = "forward_tables(block_sparse_mask, problem, config)"
_KEPT = f'globals().setdefault("kept", {{}}).setdefault(block_sparse_mask.data_ptr(), {_TABLES})'


def _mutant(module: str, name: str, fault: str, *edits: Edit, case: str) -> Mutant:
    directed = (f"properties/{case}",)
    return Mutant(name=name, dut="bsa.forward", module=module, edits=edits, fault=fault, directed=directed)


MUTANTS = (
    Mutant(
        name="tail-block-lost",
        dut="bsa.forward",
        module=TABLES,
        edits=(Edit(function="forward_tables", find=_SELECTED, replace=f"{_SELECTED} & {_WHOLE}"),),
        fault="a KV block that the length cuts short is not attended to",
        directed=("smoke/tails",),
    ),
    _mutant(
        WRAPPER,
        "scale-drifts",
        "the scale grows a little with every call",
        Edit(
            function="_launch",
            find=_LAUNCH,
            replace='kernel(*arguments, globals().setdefault("n", []).append(1) or problem.scale * 1.01 ** len(n))',
            count=2,
        ),
        case="repeat: tails",
    ),
    _mutant(
        WRAPPER,
        "scale-of-the-last-call",
        "each call uses the scale of the one before",
        Edit(
            function="_launch",
            find=_LAUNCH,
            replace='kernel(*arguments, globals().setdefault("s", [problem.scale]).append(problem.scale) or s[-2])',
            count=2,
        ),
        case="history: tails",
    ),
    _mutant(
        WRAPPER,
        "tables-by-address",
        "the tables are kept by the address of the mask",
        Edit(function="block_sparse_attention", find=_TABLES, replace=_KEPT),
        case="edited-mask: tails",
    ),
    _mutant(
        WRAPPER,
        "strides-ignored",
        "the inputs are read as if they were contiguous",
        Edit(
            function="_two_axes",
            find="tensor.contiguous().view(-1, problem.head_dim)",
            replace="tensor.as_strided((tensor.numel() // tensor.shape[-1], tensor.shape[-1]), (tensor.shape[-1], 1))",
        ),
        case="strided: GQA",
    ),
    _mutant(
        TABLES,
        "one-padded-key",
        "the first key beyond the length is attended to",
        Edit(
            function="forward_tables",
            find=_PLACES,
            replace=f"np.minimum({_PLACES} + [0, 0, 1], [2**31, 2**31, keys.block])",
        ),
        case="padding-poison: keys",
    ),
    _mutant(
        TABLES,
        "no-mask-loses-a-block",
        "without a mask the last KV block is lost",
        Edit(
            function="forward_tables",
            find=_SELECTED,
            replace=f"{_SELECTED} & ((mask is not None) | (np.arange(problem.blocks_kv) + 1 < problem.blocks_kv))",
        ),
        case="all-ones: tails",
    ),
    _mutant(
        TABLES,
        "keys-of-batch-0",
        "every batch reads the keys of the first",
        Edit(function="_picks", find=_KEY_HEAD, replace=f"({_KEY_HEAD} % {_KEY_HEADS})"),
        case="batch-slice: plain",
    ),
    _mutant(
        TABLES,
        "keys-of-head-0",
        "every head reads the keys of the first",
        Edit(function="_picks", find=_KEY_HEAD, replace=f"{_KEY_HEAD} // {_KEY_HEADS} * {_KEY_HEADS}"),
        case="head-slice: two groups",
    ),
    _mutant(
        TABLES,
        "wrong-group",
        "query heads take the key heads in turn",
        Edit(
            function="_picks",
            find=_KEY_HEAD,
            replace=f"(block // rows // selected.shape[1] * {_KEY_HEADS} + block // rows % {_KEY_HEADS})",
        ),
        case="gqa-expanded: 4 to 2",
    ),
    _mutant(
        TABLES,
        "first-query-block-dense",
        "the first query block attends to everything",
        Edit(
            function="forward_tables",
            find=_SELECTED,
            replace=f"{_SELECTED} | (np.arange(problem.blocks_q) == 0)[:, None]",
        ),
        case="permute-q: sparse",
    ),
    _mutant(
        TABLES,
        "first-kv-block-always",
        "every query block attends to the first KV block",
        Edit(function="forward_tables", find=_SELECTED, replace=f"{_SELECTED} | (np.arange(problem.blocks_kv) == 0)"),
        case="permute-kv: sparse",
    ),
    _mutant(
        KERNEL,
        "lse-base-2",
        "the LSE is in base 2",
        Edit(function=ROWS, find=_LSE, replace=f"pypto.mul({_LSE}, 1.4426950408889634)", count=2),
        case="merge-halves: two blocks",
    ),
    _mutant(
        WRAPPER,
        "negative-cut-off",
        "negative elements of the output become 0",
        Edit(function="block_sparse_attention", find="out.masked_fill_(", replace="out.relu_().masked_fill_("),
        case="linearity: tails",
    ),
    _mutant(
        KERNEL,
        "maximum-not-subtracted",
        "the softmax does not subtract the maximum: right until exp overflows",
        Edit(function=ROWS, find=_WEIGHTS, replace="pypto.exp(logits)", count=2),
        Edit(function=ROWS, find=_LSE, replace="pypto.log(total)", count=2),
        case="shift: up by 16",
    ),
)
