"""Checks on the whole call that need none of its tensors: the contract, and the block tables."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from stimuli.case import Case


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
