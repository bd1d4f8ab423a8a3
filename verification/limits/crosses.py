"""Crosses of limits with the stimuli that stress them: conditions on the parameters of a case, to count its cases by.

A condition holds where the parameters alone make sure of it: a random mask that may select one block does not count as
selecting two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stimuli.case import Case
from stimuli.parameters import BACKWARD_DEFAULTS
from stimuli.programs import calls
from verification.limits.limit import Text

LONG_ROW: Final = 2048
"""Keys of a row from which the published fault of an FP16 sum is large."""
CUBE_TILES: Final = ("scores_m", "scores_n", "values_m", "values_k", "cube_m", "cube_k", "cube_n")
"""Fields of our kernels' configurations that are tiles of a matrix multiplication."""


@dataclass(frozen=True, kw_only=True)
class Cross:
    """One limit crossed with one kind of stimulus."""

    number: int
    """The limit."""
    what: Text
    holds: Callable[[Case, Mapping[str, Any]], bool]
    """Whether a case has it, from the case and its complete parameters."""

    def stressed_by(self, case: Case) -> bool:
        """Whether a case has it."""
        return self.holds(case, {**BACKWARD_DEFAULTS, **case.params})


def _one_row_blocks(_case: Case, params: Mapping[str, Any]) -> bool:
    """The last block of some sequence of queries holds one row."""
    return any(length % params["block_shape"][0] == 1 for length in _lengths(params, "q"))


def _long_rows(_case: Case, params: Mapping[str, Any]) -> bool:
    return _selected(params) * int(params["block_shape"][1]) >= LONG_ROW


def _several_blocks(_case: Case, params: Mapping[str, Any]) -> bool:
    return _selected(params) >= 2


def _heads_and_tails(_case: Case, params: Mapping[str, Any]) -> bool:
    block = params["block_shape"][0]
    return bool(params["heads_q"] != params["batch"]) and any(length % block for length in _lengths(params, "q"))


def _back_to_back(case: Case, _params: Mapping[str, Any]) -> bool:
    return calls(case) > 1


def _cube_tiles(_case: Case, params: Mapping[str, Any]) -> bool:
    return bool({*CUBE_TILES} & {*(params["config"] or {})})


def _lengths(params: Mapping[str, Any], side: str) -> list[int]:
    """Actual lengths where they are listed, else the size of the tensor."""
    given = params[f"lengths_{side}"]
    return given if isinstance(given, list) else [params[f"seq_{side}"]]


def _blocks(params: Mapping[str, Any]) -> int:
    """Key blocks of the longest sequence."""
    return -(-max(_lengths(params, "kv"), default=0) // int(params["block_shape"][1]))


def _selected(params: Mapping[str, Any]) -> int:
    """Key blocks that some query block selects for certain."""
    mask = params["mask"]
    if mask in ("dense", "none") or (mask == "random" and params["density"] == 1.0):
        return _blocks(params)
    if isinstance(mask, dict) and mask.get("family") == "counts":
        return min(_blocks(params), int(max(mask.get("counts", [0]))))
    return 0


CROSSES: tuple[Cross, ...] = (
    Cross(number=4, what=Text("blocks of one row", "只有一行的块"), holds=_one_row_blocks),
    Cross(number=8, what=Text("rows of 2048 keys and more", "2048 个键及以上的行"), holds=_long_rows),
    Cross(number=9, what=Text("two selected blocks and more", "选中两个及以上的块"), holds=_several_blocks),
    Cross(number=11, what=Text("every cube tile of the space", "空间中的每种 cube tile"), holds=_cube_tiles),
    Cross(number=12, what=Text("Hq other than B, with tails", "Hq 不等于 B 且有尾块"), holds=_heads_and_tails),
    Cross(number=13, what=Text("calls back to back", "连续调用"), holds=_back_to_back),
)
