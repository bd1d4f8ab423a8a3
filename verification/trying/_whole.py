"""Checks on the whole call that need none of its tensors: the contract, and the block tables."""

from __future__ import annotations

from math import ceil
from typing import Protocol, runtime_checkable

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


def refuse_too_many_blocks(case: Case) -> None:
    """Refuses a case whose mask would be too large to be made.

    Raises:
        UsageError: batches x query heads x blocks of queries x blocks of keys are more than :data:`MOST_BLOCKS`.
        StimulusError: a parameter is wrong.
    """
    names = {item.name for item in FORWARD}
    _, full = complete({name: value for name, value in case.params.items() if name in names}, FORWARD)
    block_q, block_kv = full["block_shape"]
    grid = (full["batch"], full["heads_q"], ceil(full["seq_q"] / block_q), ceil(full["seq_kv"] / block_kv))
    count = grid[0] * grid[1] * grid[2] * grid[3]
    if count > MOST_BLOCKS:
        raise UsageError(text("cli.try.blocks", grid=" x ".join(map(str, grid)), count=count, most=MOST_BLOCKS))
