"""Wrong-by-construction backward kernels."""

from __future__ import annotations

from verification.mutants.mutant import Edit, Mutant

KERNEL = "bsa.kernels.backward"
TABLES = "bsa.kernels.backward_tables"
MERGED = "block_sparse_attention_backward"
ANY = ("smoke/dense",)
GROUPS = ("smoke/GQA 4 to 1",)
TAILS = ("smoke/tails", "smoke/batches of mixed lengths")
DIRTY = ("smoke/batches of mixed lengths",)


def _kernel(name: str, fault: str, *edits: Edit, directed: tuple[str, ...] = ANY) -> Mutant:
    return Mutant(name=name, dut="bsa.backward", module=KERNEL, edits=edits, fault=fault, directed=directed)


def _tables(name: str, fault: str, *edits: Edit, directed: tuple[str, ...]) -> Mutant:
    return Mutant(name=name, dut="bsa.backward", module=TABLES, edits=edits, fault=fault, directed=directed)


def _factor(gradient: str, factor: str, *, was: str, count: int = 3) -> Edit:
    """Another factor on one gradient, wherever it is stored."""
    return Edit(function=MERGED, find=f", {was}, {gradient})", replace=f", {factor}, {gradient})", count=count)


_LSE = "pypto.sub(pypto.mul(scores, scale), log_sum)"
_LSE_BASE_2 = "pypto.sub(pypto.mul(scores, scale), pypto.mul(log_sum, 1.4426950408889634))"
_OTHER_GROUPS = (
    "places = other.grid() if mine.heads >= other.heads else other.grid().reshape(len(mine.lengths), "
    "other.heads // mine.heads, mine.heads, -1, 3).swapaxes(1, 2).reshape(-1, 3)"
)
_ONE_MORE_ROW = "Side(**{**vars(query_side(problem)), 'lengths': query_side(problem).lengths + 1})"
_WITHOUT_LAST = "meeting & ((np.arange(meeting.shape[1]) + 1) % problem.blocks_q != 0)[:, None]"

MUTANTS = (
    _kernel("dq-scale-missing", "dQ is not scaled", _factor("dq", "None", was="scale")),
    _kernel("dq-scale-doubled", "dQ is scaled twice as much", _factor("dq", "2.0 * scale", was="scale")),
    _kernel("dk-scale-missing", "dK is not scaled", _factor("dk", "None", was="scale")),
    _kernel("dk-scale-doubled", "dK is scaled twice as much", _factor("dk", "2.0 * scale", was="scale")),
    _kernel("dv-scaled", "dV is scaled, which it must not be", _factor("dv", "scale", was="None")),
    _kernel("dv-doubled", "dV is doubled", _factor("dv", "2.0", was="None")),
    _kernel(
        "lse-base-2-dq",
        "the LSE is taken for one in base 2 in the dQ phase",
        Edit(function="query_share", find=_LSE, replace=_LSE_BASE_2),
    ),
    _kernel(
        "lse-base-2-dkv",
        "the LSE is taken for one in base 2 in the dK/dV phase",
        Edit(function="key_shares", find=_LSE, replace=_LSE_BASE_2),
    ),
    _tables(
        "dk-wrong-group",
        "dK and dV sum over the query heads of another group",
        Edit(function="_tables", find="places = other.grid()", replace=_OTHER_GROUPS),
        directed=("field/F06 Hq8 Hkv2",),
    ),
    _tables(
        "padded-query-row-leaks",
        "the first padded query row takes part in dK and dV",
        Edit(function="key_tables", find=", query_side(problem),", replace=f", {_ONE_MORE_ROW},"),
        directed=DIRTY,
    ),
    _tables(
        "last-query-block-skipped-dkv",
        "the last query block of each head has no share in dK and dV",
        Edit(function="key_tables", find="meeting.transpose", replace=f"({_WITHOUT_LAST}).transpose"),
        directed=TAILS,
    ),
    _tables(
        "last-query-block-skipped-dq",
        "the last query block of each head has no dQ",
        Edit(function="query_tables", find="_tables(meeting,", replace=f"_tables({_WITHOUT_LAST},"),
        directed=TAILS,
    ),
)
