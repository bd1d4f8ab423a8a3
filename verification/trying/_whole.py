"""Checks on the whole call that need none of its tensors: the contract, and the block tables."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Protocol, runtime_checkable

from bsa.messages import text
from stimuli.case import Case
from stimuli.parameters import FORWARD, complete
from verification.errors import UsageError

MOST_BLOCKS = 1 << 26
"""Blocks of a mask: it is made whole, and its tables are recounted block by block."""


@runtime_checkable
class ChecksTables(Protocol):
    """A DUT whose host side can be checked at any size."""

    def check_tables(self, case: Case) -> str:
        """Makes the block tables of a case, without its tensors, and recounts them.

        Returns:
            What is wrong with them; empty if nothing is.

        Raises:
            bsa.ContractError: the contract refuses the call.
        """
        ...


def check_whole(dut: object, case: Case) -> str | None:
    """What is wrong with the block tables of a case; empty if nothing is, None if the DUT cannot say.

    Raises:
        bsa.ContractError: the contract refuses the call.
    """
    return dut.check_tables(case) if isinstance(dut, ChecksTables) else None


def refuse_too_many_blocks(case: Case, *, what: str) -> None:
    """Refuses a case whose mask would be too large to be made.

    Args:
        case: the case, of one of our DUTs.
        what: the arguments that decide it, as the user gave them.

    Raises:
        UsageError: batches x query heads x blocks of queries x blocks of keys are more than :data:`MOST_BLOCKS`.
        StimulusError: a parameter is wrong.
    """
    names = {item.name for item in FORWARD}
    _, full = complete({name: value for name, value in case.params.items() if name in names}, FORWARD)
    block_q, block_kv = full["block_shape"]
    rows_q, rows_kv = (_longest(full, side) for side in ("q", "kv"))
    grid = (full["batch"], full["heads_q"], ceil(rows_q / block_q), ceil(rows_kv / block_kv))
    count = grid[0] * grid[1] * grid[2] * grid[3]
    if count > MOST_BLOCKS:
        raise UsageError(
            text("cli.try.blocks", what=what, grid=" x ".join(map(str, grid)), count=count, most=MOST_BLOCKS)
        )


def _longest(full: Mapping[str, Any], side: str) -> int:
    """Rows that the mask covers at most: those of a tensor, or of the longest sequence that is listed."""
    listed = full[f"lengths_{side}"]
    return max(full[f"seq_{side}"], *listed) if isinstance(listed, list) and listed else int(full[f"seq_{side}"])
