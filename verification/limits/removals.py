"""Workarounds taken out of our kernels, one at a time, each with the case that must notice.

A nightly test runs them all: what stands here has been seen to be caught.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stimuli.case import Case, case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS
from verification.mutants.mutant import Edit, Mutant

FORWARD, BACKWARD = "bsa.forward", "bsa.backward"
_ROWS = "block_sparse_attention_forward"
_MERGED = "block_sparse_attention_backward"
_END = "if pypto.is_loop_end(chunk):"
_BEGIN = "if pypto.is_loop_begin(c):"
_WAIT = "  # limit 13: the kernel"
"""Beside the wait before a launch."""
_CHUNKS = {"mask": "dense", "seq_q": 100, "seq_kv": 320, "block_shape": [64, 16]}
"""20 key blocks: more than one pass handles, with a tail of query rows."""
_PLAIN = {"mask": "dense", "seq_q": 128, "seq_kv": 256, "heads_q": 2}
_WIDE = {"mask": "dense", "seq_q": 128, "seq_kv": 1024}
_SHARED = {"mask": "dense", "seq_q": 320, "seq_kv": 320, "block_shape": [16, 16]}


@dataclass(frozen=True, kw_only=True)
class Removal:
    """One workaround taken out of one DUT."""

    number: int
    """The limit."""
    mutant: Mutant
    case: Case
    """Fails without the workaround."""

    @property
    def name(self) -> str:
        """What a case of DUT ``pypto.limits`` calls it."""
        return self.mutant.name


def _removal(number: int, dut: str, module: str, params: Mapping[str, Any], *edits: Edit) -> Removal:
    short = dut.removeprefix("bsa.")
    defaults = FORWARD_DEFAULTS if dut == FORWARD else BACKWARD_DEFAULTS
    directed = case(dut, defaults, name=f"limits/{short} without {number}", **params)
    mutant = Mutant(
        name=f"{short}-without-{number}",
        dut=dut,
        module=module,
        edits=edits,
        fault=f"the workaround of limit {number} is taken out",
        directed=(directed.name,),
    )
    return Removal(number=number, mutant=mutant, case=directed)


def _forward(
    number: int, find: str, replace: str, params: Mapping[str, Any], *, count: int = 1, function: str = _ROWS
) -> Removal:
    edit = Edit(function=function, find=find, replace=replace, count=count)
    return _removal(number, FORWARD, "bsa.kernels.forward", params, edit)


def _backward(
    number: int, find: str, replace: str, params: Mapping[str, Any], *, count: int = 1, function: str = _MERGED
) -> Removal:
    edit = Edit(function=function, find=find, replace=replace, count=count)
    return _removal(number, BACKWARD, "bsa.kernels.backward", params, edit)


REMOVALS: tuple[Removal, ...] = (
    _forward(2, _END, "if pypto.cond(pypto.is_loop_end(chunk)):", _CHUNKS),
    _forward(3, "valid_shape=[rows, keys]), scale", "valid_shape=[rows, keys]), query.shape[0] ** -0.5", _PLAIN),
    _forward(8, "(weights, -1, True)  #", "(pypto.cast(weights, data), -1, True)  #", _WIDE),
    _forward(9, _END, "if chunk >= 0:", _CHUNKS),
    _forward(10, _END, "if pypto.is_loop_end(chunk) and chunk >= 0:", _CHUNKS),
    _forward(11, "list(config.scores_m)", "[256, 128]", _PLAIN, count=2),
    _forward(12, "[row, head], lse)", "[head, row], lse)", _PLAIN, count=2),
    _removal(
        13,
        FORWARD,
        FORWARD,
        _PLAIN,
        Edit(function="_launch", find=f"synchronize(run_mode){_WAIT}", replace=f"pass{_WAIT}"),
    ),
    _forward(15, "(tiles[group][0], tiles[group][1])", "(128, 1024)", _WIDE),
    _forward(16, "pypto.min(keys", "min(keys", _CHUNKS),
    _forward(17, "attended, data), [row", "attended, fp32), [row", _PLAIN),
    _forward(
        20, "pypto.full([block_q, 1], 0.0, fp32, valid_shape=[rows, 1])", "pypto.zeros([block_q, 1], fp32)", _CHUNKS
    ),
    _removal(
        23,
        FORWARD,
        "bsa.kernels.forward",
        _CHUNKS,
        Edit(function="gather", find="head_kv, pick, places", replace="head_kv, first, places"),
        Edit(function="gather", find="picks[pick + place", replace="picks[first + place", count=2),
    ),
    _forward(
        25, "before = pypto.view(highest, [block_q, 1], [0, 0], valid_shape=[rows, 1])", "before = highest", _CHUNKS
    ),
    _backward(2, _BEGIN, "if pypto.cond(pypto.is_loop_begin(c)):", _SHARED, count=2),
    _backward(3, "scale, dq)", "query.shape[0] ** -0.5, dq)", _PLAIN, count=3),
    _backward(9, "total[:] = pypto.add(before, share)", "total[:] = share", _SHARED, function="add_to"),
    _backward(10, _BEGIN, "if pypto.is_loop_begin(c) and c >= 0:", _SHARED, count=2),
    _backward(11, "list(config.cube_m)", "[256, 128]", _PLAIN),
    _backward(
        12, "view(lse, [block_q, 1], [row, head]", "view(lse, [block_q, 1], [head, row]", _PLAIN, function="query_share"
    ),
    _removal(
        13,
        BACKWARD,
        BACKWARD,
        _PLAIN,
        Edit(function="run_backward", find=f"synchronize(call.run_mode){_WAIT}", replace=f"pass{_WAIT}"),
    ),
    _removal(
        15,
        BACKWARD,
        "bsa.kernels.backward_config",
        _WIDE,
        Edit(function="vector_tile", find="return UB_ELEMENTS // side", replace="return 8 * UB_ELEMENTS // side"),
    ),
    _backward(17, "pypto.cast(there, data)", "there", _PLAIN, function="store"),
    _removal(
        23,
        BACKWARD,
        "bsa.kernels.backward",
        _SHARED,
        Edit(function="add_to", find="share, block, units, unit)", replace="share, u, units, unit)"),
        Edit(function="add_to", find="[block, dim]", replace="[u, dim]"),
    ),
    _backward(
        25,
        "before = pypto.view(total, [block, dim], [0, 0], valid_shape=[units[unit, 2], dim])",
        "before = total",
        {**_SHARED, "seq_q": 313, "seq_kv": 313},
        function="add_to",
    ),
)


def find_removal(name: str) -> Removal:
    """One removal.

    Raises:
        KeyError: there is none of that name.
    """
    for removal in REMOVALS:
        if removal.name == name:
            return removal
    raise KeyError(name)


def caught_by() -> Mapping[int, Mapping[str, str]]:
    """By limit and DUT, what catches the removal of the workaround."""
    found: dict[int, dict[str, str]] = {}
    for removal in REMOVALS:
        found.setdefault(removal.number, {})[removal.mutant.dut] = removal.case.name
    return found
