"""``bsa-verify try``: a customer's shape: what the whole needs, its block tables, slices, the whole if it fits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bsa.errors import ContractError
from bsa.messages import text
from stimuli.canonical import reduce_params
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.maker import Maker
from stimuli.parameters import FORWARD, complete
from stimuli.user_cases import DEFAULTS
from verification.cli.doctor_command import require_environment
from verification.cli.outlets import require_run_folder
from verification.cli.run_command import TIMEOUT
from verification.cli.running import default_memory, make_run, run_and_report
from verification.cli.values import byte_size, finite_float, integers, positive_float, positive_int
from verification.dut import Capacity, Dut, find_duts
from verification.errors import UsageError
from verification.plan import Budget, PlanEntry
from verification.selection import nearest
from verification.trying import (
    Places,
    Request,
    check_whole,
    params_of,
    params_of_capture,
    refuse_beside_capture,
    refuse_too_many_blocks,
    slices,
)
from verification.verdicts import EXIT_FAILED

EXAMPLE = "bsa-verify try bsa.forward --q 3,40,7313,128 --kv 8,7313 --lens 7313,5120,17 --values normal:2.3"
SLICES = 6
"""How many slices are run, by default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``try``."""
    parser.add_argument("dut", metavar="DUT", help=text("cli.try.dut"))
    for option, metavar in (("q", "B,N,S,D"), ("kv", "N,S"), ("lens", "N,…"), ("lens-q", "N,…"), ("lens-kv", "N,…")):
        key = text(f"cli.try.{option.replace('-', '_')}")
        parser.add_argument(f"--{option}", type=integers, metavar=metavar, default=None, help=key)
    parser.add_argument("--block", type=integers, metavar="X,Y", default=None, help=text("cli.try.block"))
    parser.add_argument("--mask", metavar="MASK", default=None, help=text("cli.try.mask"))
    parser.add_argument("--density", type=positive_float, metavar="P", default=None, help=text("cli.try.density"))
    parser.add_argument("--values", metavar="KIND", default=None, help=text("cli.try.values"))
    parser.add_argument("--tensors", type=Path, metavar="FILE", default=None, help=text("cli.try.tensors"))
    parser.add_argument("--from", type=Path, metavar="FILE", default=None, dest="capture", help=text("cli.try.capture"))
    parser.add_argument("--layout", choices=("BNSD", "TND"), default=None, help=text("cli.try.layout"))
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default=None, help=text("cli.try.dtype"))
    parser.add_argument("--scale", type=finite_float, metavar="X", default=None, help=text("cli.try.scale"))
    parser.add_argument("--slices", type=positive_int, default=SLICES, metavar="N", help=text("cli.try.slices"))
    parser.add_argument("--dry-run", action="store_true", help=text("cli.try.dry_run"))
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help=text("cli.run.out"))
    parser.add_argument("--timeout", type=positive_float, default=TIMEOUT, metavar="S", help=text("cli.run.timeout"))
    parser.add_argument("--memory", type=byte_size, default=None, metavar="SIZE", help=text("cli.run.memory"))


def execute(arguments: argparse.Namespace) -> int:
    """Says what the whole needs, checks its tables, then runs slices, and the whole if it fits."""
    duts = find_duts()
    if arguments.dut not in duts or arguments.dut not in DEFAULTS:
        known = ", ".join(name for name in DEFAULTS if name in duts)
        if arguments.dut in duts:
            raise UsageError(text("cli.try.not_ours", dut=arguments.dut, known=known))
        hint = nearest(arguments.dut, DEFAULTS)
        raise UsageError(text("error.none_of", what="DUT", name=arguments.dut, known=known, hint=hint))
    if not arguments.dry_run:
        require_run_folder(arguments.out)
    dut = duts[arguments.dut]
    budget = Budget(seconds=arguments.timeout, bytes=arguments.memory or default_memory())
    try:
        case = _case(arguments)
        refuse_too_many_blocks(case, what="--q, --kv, --block")
    except StimulusError as error:
        raise UsageError(str(error)) from error
    need = dut.capacity(case, "sim")
    fits = _fits(need, budget)
    print(_capacity_line(need, budget, fits=fits))
    wrong = _tables(dut, case)
    sliced = _slices(dut, case, budget, arguments.slices)
    entries = [PlanEntry(case=one, suites=("slices",)) for one in sliced if not (fits and one.id == case.id)]
    entries += [PlanEntry(case=case, suites=("whole",))] if fits else []
    if wrong:
        return EXIT_FAILED
    if not entries:
        raise UsageError(text("cli.try.nothing_fits"))
    if arguments.dry_run:
        return 0
    require_environment()
    folder, plan = make_run(
        tuple(entries), folder=arguments.out, argv=arguments.argv, selection={"try": arguments.dut}, budget=budget
    )
    return run_and_report(plan, folder, argv=arguments.argv, workers=1, verbose=True)


def _case(arguments: argparse.Namespace) -> Case:
    """The whole as a case."""
    request = Request(
        query=arguments.q,
        key=arguments.kv,
        lengths=arguments.lens,
        lengths_q=arguments.lens_q,
        lengths_kv=arguments.lens_kv,
        block=arguments.block,
        mask=arguments.mask,
        density=arguments.density,
        values=arguments.values,
        tensors=arguments.tensors,
        layout=arguments.layout,
        dtype=arguments.dtype,
        scale=arguments.scale,
    )
    if arguments.capture is None:
        params = params_of(request)
    else:
        refuse_beside_capture(request)
        params = params_of_capture(arguments.capture)
    if arguments.density is not None and arguments.mask is None and params.get("mask") == "dense":
        params["mask"] = "random"
    return Case(dut=arguments.dut, params=reduce_params(params, DEFAULTS[arguments.dut]), name="whole", modes=("sim",))


def _fits(need: Capacity, budget: Budget) -> bool:
    return need.bytes <= budget.bytes and need.seconds <= budget.seconds


def _capacity_line(need: Capacity, budget: Budget, *, fits: bool) -> str:
    return text(
        "cli.try.fits" if fits else "cli.try.too_large",
        gib=f"{need.bytes / 2**30:.1f}",
        seconds=f"{need.seconds:.0f}",
        budget_gib=f"{budget.bytes / 2**30:.1f}",
        budget_seconds=f"{budget.seconds:g}",
    )


def _tables(dut: Dut, case: Case) -> bool:
    """Says whether the block tables of the whole are right; returns whether they are wrong."""
    try:
        wrong = check_whole(dut, case)
    except (ContractError, StimulusError) as error:
        raise UsageError(str(error)) from error
    key = "cli.try.tables_unknown" if wrong is None else "cli.try.tables_wrong" if wrong else "cli.try.tables_right"
    print(text(key, why=wrong), flush=True)
    return bool(wrong)


def _slices(dut: Dut, case: Case, budget: Budget, count: int) -> list[Case]:
    """The slices that fit, each announced if it had to be cut."""
    defaults: Any = DEFAULTS[case.dut]
    known = {name: value for name, value in case.params.items() if name in {item.name for item in FORWARD}}
    try:
        reduced, full = complete(known, FORWARD)
        maker = Maker(reduced, full, case.seed)
    except StimulusError as error:
        raise UsageError(str(error)) from error
    lengths = (maker.lengths_q, maker.lengths_kv)
    places = Places.of(full, maker.mask, *lengths)
    found = list(
        slices(
            case,
            full,
            maker.mask,
            places.spread(),
            lengths=lengths,
            defaults=defaults,
            count=count,
            fits=lambda one: _fits(dut.capacity(one, "sim"), budget),
        )
    )
    said = {"count": len(found), "total": places.total, "cut": sum(one.cut for one in found)}
    key = "cli.try.sliced" if places.selecting else "cli.try.sliced_nothing"
    print(text(key, **said, selecting=places.selecting), flush=True)
    return [one.case for one in found]
