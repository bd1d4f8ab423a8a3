"""Whether a case can be kept among the user's own: it can be made, and what refuses it is what it declares."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bsa import ContractError
from bsa.messages import text
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.user_cases import PARAMETERS
from verification.dut import Dut, Duts
from verification.errors import EnvironmentMissingError, UsageError
from verification.selection import nearest
from verification.trying import refuse_too_many_blocks

_BLOCKS = "CASE: batch, heads_q, seq_q, seq_kv, block_shape"


@runtime_checkable
class Contracted(Protocol):
    """A DUT that knows from the parameters of a case what its contract says."""

    def check_contract(self, case: Case) -> None:
        """Checks the calls of a case, of any size, without their tensors.

        Raises:
            bsa.ContractError: the contract refuses them.
            StimulusError: no call can be made from the parameters.
        """
        ...


def require_keepable(case: Case, duts: Duts, *, room: int) -> str:
    """Refuses a case that cannot be made, or that its contract refuses though it does not declare so.

    Args:
        case: the case.
        duts: the DUTs that can be used.
        room: bytes that a case may take here; a larger one is not made, only held against its contract.

    Returns:
        What was not checked, in words; empty if nothing.

    Raises:
        UsageError: there is no such DUT, a parameter is wrong, or the refusal is not declared (``refused: <rule>``).
        EnvironmentMissingError: its DUT cannot be used, or has nothing to run here.
    """
    why = duts.broken.get(case.dut) or duts.absent(case.dut)
    if why:
        raise EnvironmentMissingError(why)
    if case.dut not in duts:
        raise UsageError(text("error.no_dut_of_case", dut=case.dut, hint=nearest(case.dut, duts)))
    try:
        return _try_out(case, duts[case.dut], room)
    except ContractError as error:
        if case.expect.startswith("refused:") and case.expect.removeprefix("refused:").strip() == error.rule:
            return ""
        raise UsageError(text("error.undeclared_refusal", case=case.label, why=error, rule=error.rule)) from error
    except StimulusError as error:
        raise UsageError(f"CASE: {case.label}: {error}") from error
    except UsageError:
        raise
    except MemoryError as error:
        raise UsageError(text("error.no_room_for_case", case=case.label, why=_one_line(error))) from error
    except Exception as error:  # a DUT of another distribution may raise anything
        words = {"case": case.label, "dut": case.dut, "why": _one_line(error)}
        raise UsageError(text("error.dut_cannot_make", **words)) from error


def _try_out(case: Case, dut: Dut, room: int) -> str:
    """The contract, then the first stimulus if it is not too large."""
    if case.dut in PARAMETERS:
        refuse_too_many_blocks(case, what=_BLOCKS)
    if isinstance(dut, Contracted):
        dut.check_contract(case)
    need = dut.capacity(case, "sim").bytes
    if need > room:
        return text("cli.add-case.unmade", case=case.label, gib=f"{need / 2**30:.1f}")
    next(iter(dut.stimuli(case)), None)
    return ""


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
