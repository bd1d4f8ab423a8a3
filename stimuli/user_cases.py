"""Cases of the user's own: TOML files in one folder, a few lines a case.

    [[case]]
    dut = "bsa.forward"
    name = "ticket 4711"
    params = { seq_q = 313, seq_kv = 700, lengths_kv = [577], padding = "nan" }

Other fields are those of :class:`stimuli.case.Case`: ``program``, ``seed``, ``modes``, ``expect``, ``source``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.parameters import (
    BACKWARD,
    BACKWARD_DEFAULTS,
    CHAIN,
    CHAIN_DEFAULTS,
    FORWARD,
    FORWARD_DEFAULTS,
    Parameter,
    complete,
)
from stimuli.suites import BACKWARD_DUT, CHAIN_DUT, FORWARD_DUT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    FORWARD_DUT: FORWARD_DEFAULTS,
    BACKWARD_DUT: BACKWARD_DEFAULTS,
    CHAIN_DUT: CHAIN_DEFAULTS,
}
"""Frozen defaults of our DUTs; parameters of other DUTs are taken as they are."""
PARAMETERS: Mapping[str, tuple[Parameter, ...]] = {FORWARD_DUT: FORWARD, BACKWARD_DUT: BACKWARD, CHAIN_DUT: CHAIN}
"""Parameters of our DUTs."""
_LEFT_OUT: Mapping[str, Any] = {"seed": 0, "source": "", "expect": "pass", "modes": ["sim", "npu"]}
"""Fields that are not written where they have these values."""


def read_folder(folder: Path) -> tuple[Case, ...]:
    """The cases of every ``*.toml`` file of a folder, in the order of their names; none if there is no folder.

    Raises:
        StimulusError: a file is not TOML, or a case of it cannot be made; the message names both.
        OSError: a file cannot be read.
    """
    files = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    return tuple(case for file in files for case in read_file(file))


def read_file(file: Path) -> tuple[Case, ...]:
    """The cases of one file.

    Raises:
        StimulusError: it is not TOML, or a case of it cannot be made; the message names both.
        OSError: it cannot be read.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise StimulusError(argument=str(file), value=str(error), legal="a TOML file") from None
    listed = data.pop("case", None)
    for name, value in data.items():
        raise StimulusError(
            argument=f"{file}: {name}", value=value, legal="one [[case]] or more, and nothing beside it"
        )
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise StimulusError(argument=str(file), value=listed, legal="one [[case]] or more")
    return tuple(_case(one, f"{file}: case {number}") for number, one in enumerate(listed, start=1))


def _check_texts(case: Case) -> None:
    """Own cases are listed one a line, whatever ends a line in a terminal; records of others are read as they are."""
    for attribute in ("name", "source"):
        text = getattr(case, attribute)
        if text.splitlines() not in ([], [text]):
            raise StimulusError(argument=attribute, value=text, legal="a string of one line, in Unicode")


def _case(data: Mapping[str, Any], place: str) -> Case:
    try:
        found = Case.from_json(data)
        _check_texts(found)
        if found.dut in PARAMETERS:
            params, _ = complete(found.params, PARAMETERS[found.dut])
            found = Case.from_json({**{k: v for k, v in found.to_json().items() if k != "id"}, "params": params})
    except StimulusError as error:
        raise StimulusError(argument=f"{place}: {error.argument}", value=error.value, legal=error.legal) from None
    return found


def append(file: Path, case: Case) -> None:
    """Adds a case to the end of a file, which is made if need be.

    Raises:
        StimulusError: the file would be no TOML then: its cases are listed as ``case = [...]``, or a text of the case
            is no Unicode.
        OSError: it cannot be read or written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    more = ("\n" if before else "") + to_toml(case)
    try:
        tomllib.loads(before + more)
    except tomllib.TOMLDecodeError as error:
        legal = f"cases as [[case]], texts of Unicode: a case added to it would make it unreadable ({error})"
        raise StimulusError(argument=str(file), value=case.label, legal=legal) from None
    with file.open("a", encoding="utf-8") as stream:
        stream.write(more)


def to_toml(case: Case) -> str:
    """A case as the TOML text that :func:`read_file` reads."""
    data = case.to_json()
    lines = ["[[case]]", f"dut = {_value(data['dut'])}"]
    lines += [f"name = {_value(data['name'])}"] if data["name"] else []
    lines += [f"params = {_value(_without_null(data['params']))}"]
    lines += [f"program = {_value(data['program'])}"] if data["program"] != {"kind": "once"} else []
    lines += [f"{name} = {_value(data[name])}" for name, usual in _LEFT_OUT.items() if data[name] != usual]
    return "\n".join(lines) + "\n"


def _without_null(params: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no null; a parameter that is null is its default, which canonical parameters leave out."""
    return {name: value for name, value in params.items() if value is not None}


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(_character(one) for one in value) + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _character(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else f"\\U{ord(one):08x}"
