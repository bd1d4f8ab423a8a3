"""``bsa-verify check-size``: whether every offset of a call of any size fits in 32 bits."""

from __future__ import annotations

import argparse

from bsa import ContractError
from bsa.messages import text
from stimuli.canonical import reduce_params
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.user_cases import DEFAULTS
from verification.cli.doctor_command import require_environment
from verification.cli.values import integers
from verification.dut import find_duts
from verification.errors import UsageError
from verification.sanitizer.sizes import Sized, Sizes, check_size
from verification.selection import nearest
from verification.trying import Request, params_of
from verification.verdicts import EXIT_FAILED

EXAMPLE = "bsa-verify check-size bsa.forward --q 1,32,131072,128 --kv 8,131072"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``check-size``."""
    parser.add_argument("dut", metavar="DUT", help=text("cli.try.dut"))
    parser.add_argument("--q", type=integers, metavar="B,N,S,D", required=True, help=text("cli.check-size.q"))
    parser.add_argument("--kv", type=integers, metavar="N,S", default=None, help=text("cli.check-size.kv"))
    parser.add_argument("--block", type=integers, metavar="X,Y", default=None, help=text("cli.check-size.block"))
    parser.add_argument("--layout", choices=("BNSD", "TND"), default=None, help=text("cli.check-size.layout"))
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default=None, help=text("cli.try.dtype"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints how far each argument of the kernel would be read or written."""
    duts = find_duts()
    if arguments.dut not in duts:
        hint = nearest(arguments.dut, duts)
        known = ", ".join(sorted(duts))
        raise UsageError(text("error.none_of", what="DUT", name=arguments.dut, known=known, hint=hint))
    dut = duts[arguments.dut]
    if not isinstance(dut, Sized) or arguments.dut not in DEFAULTS:
        raise UsageError(text("cli.check-size.unsized", dut=arguments.dut))
    request = Request(
        query=arguments.q, key=arguments.kv, block=arguments.block, layout=arguments.layout, dtype=arguments.dtype
    )
    params = reduce_params(params_of(request), DEFAULTS[arguments.dut])
    require_environment()
    try:
        found = check_size(dut.sized_launch(Case(dut=arguments.dut, params=params, name="size", modes=("sim",))))
    except ContractError as error:
        print(text("cli.check-size.contract", why=error))
        return EXIT_FAILED
    except StimulusError as error:
        raise UsageError(str(error)) from error
    print(describe(arguments.dut, found))
    return 0 if found.fits else EXIT_FAILED


def describe(name: str, found: Sizes) -> str:
    """What a launch would touch, for a reader."""
    lines = [text("cli.check-size.heading", name=name)]
    for one in found.extents:
        shape = " × ".join(map(str, one.shape))
        row = {"name": f"{one.name:<10}", "shape": f"{shape:<22}", "element": f"{one.element:>14,}"}
        lines.append(text("cli.check-size.row", **row, byte=f"{one.byte:>14,}"))
    lines += [one.words() for one in found.findings if one.kind != "offset-bytes"]
    if found.fits and any(one.kind == "offset-bytes" for one in found.findings):
        lines.append(text("cli.check-size.bytes"))
    return "\n".join([*lines, text("cli.check-size.fits" if found.fits else "cli.check-size.refused")])
