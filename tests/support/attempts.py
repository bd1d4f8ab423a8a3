"""One attempt at one case, with everything real but the run around it."""

from verification.dut import find_duts
from verification.engine import run_case
from verification.plan import Budget, Plan, PlanEntry
from verification.selection import find_case


def attempt(backend, folder, dut, name, *, fault="", pass_filter="none", seconds=300.0, bytes_=6 << 30):
    """Runs the case of a DUT that a name or id fits, and returns its record."""
    duts = find_duts()
    entry = find_case({dut: duts[dut]}, name)
    return attempt_entry(backend, folder, entry, fault=fault, pass_filter=pass_filter, seconds=seconds, bytes_=bytes_)


def attempt_entry(backend, folder, entry: PlanEntry, *, fault="", pass_filter="none", seconds=300.0, bytes_=6 << 30):
    """Runs one entry of a plan and returns its record."""
    plan = Plan(
        run_id="test",
        created="",
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter=pass_filter,
        fault=fault,
        budget=Budget(seconds=seconds, bytes=bytes_),
        entries=(entry,),
    )
    return run_case(entry, backend, dut=find_duts()[entry.case.dut], plan=plan, attempt=1, folder=folder)
