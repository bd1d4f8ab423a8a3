"""A case: one fully determined stimulus of one DUT."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from stimuli.canonical import canonical_digest, plain, reduce_params
from stimuli.errors import StimulusError

MODES = ("sim", "npu")
ID_DIGITS = 12
MAX_SEED = 2**63 - 1

_EXPECT = re.compile(r"pass|(refused|fails): ?[a-z0-9][a-z0-9:._-]*")
_DUT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def _once() -> dict[str, Any]:
    return {"kind": "once"}


def _is_unicode(text: str) -> bool:
    """Whether a text can be written: an argument that was not UTF-8 cannot."""
    return not any("\ud800" <= one <= "\udfff" for one in text)


@dataclass(frozen=True)
class Case:
    """One immutable case, identified by a hash of its content.

    ``Case`` stores parameters already reduced; make one with :func:`case`, which drops those that equal the DUT's
    defaults. Two cases are equal if all fields are; they have the same ``id`` if they make the same stimulus.

    Attributes:
        dut: name of the DUT, for example ``bsa.forward``.
        params: parameters by axis name, without those equal to the frozen defaults. JSON values.
        program: what is done with the DUT; ``{"kind": "once"}`` is one call. See :mod:`stimuli.programs`.
        seed: the source of every random choice, 0 ≤ seed < 2⁶³.
        name: what people call it; not part of the id.
        modes: run modes it is meant for, a selection of ``sim`` and ``npu``; not part of the id.
        expect: ``pass``, ``refused: <rule>`` or ``fails: <checker>``; not part of the id.
        source: where it comes from (a bug report, a table); not part of the id.
    """

    dut: str
    params: Mapping[str, Any]
    program: Mapping[str, Any] = field(default_factory=_once)
    seed: int = 0
    name: str = ""
    modes: tuple[str, ...] = MODES
    expect: str = "pass"
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.dut, str) or not _DUT.fullmatch(self.dut):
            raise StimulusError(argument="dut", value=self.dut, legal="a name of letters, digits, '.', '_' and '-'")
        for attribute in ("params", "program"):
            given = getattr(self, attribute)
            if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
                raise StimulusError(argument=attribute, value=given, legal="a mapping with strings as keys")
            object.__setattr__(self, attribute, plain(dict(given), argument=attribute))
        if not isinstance(self.program.get("kind"), str):
            raise StimulusError(argument="program", value=self.program, legal='a mapping with a "kind", such as "once"')
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or not 0 <= self.seed <= MAX_SEED:
            raise StimulusError(argument="seed", value=self.seed, legal=f"an int, 0 <= seed <= {MAX_SEED}")
        if not isinstance(self.modes, tuple) or not self.modes or any(mode not in MODES for mode in self.modes):
            raise StimulusError(argument="modes", value=self.modes, legal=f"a selection of {', '.join(MODES)}")
        object.__setattr__(self, "modes", tuple(mode for mode in MODES if mode in self.modes))
        if not isinstance(self.expect, str) or not _EXPECT.fullmatch(self.expect):
            legal = "'pass', 'refused: <rule>' or 'fails: <checker>'"
            raise StimulusError(argument="expect", value=self.expect, legal=legal)
        for attribute in ("name", "source"):
            text = getattr(self, attribute)
            if not isinstance(text, str) or any(end in text for end in "\r\n") or not _is_unicode(text):
                raise StimulusError(argument=attribute, value=text, legal="a string of one line, in Unicode")

    def __hash__(self) -> int:
        return hash((self.id, self.name, self.modes, self.expect, self.source))

    @cached_property
    def id(self) -> str:
        """First 12 hexadecimal digits of the sha256 of (dut, reduced params, program, seed)."""
        content = {"dut": self.dut, "params": self.params, "program": self.program, "seed": self.seed}
        return canonical_digest(content).hex()[:ID_DIGITS]

    @property
    def label(self) -> str:
        """The name, or the id where there is none."""
        return self.name or self.id

    def to_json(self) -> dict[str, Any]:
        """All fields and the id as JSON values, a copy."""
        return {
            "id": self.id,
            "dut": self.dut,
            "params": plain(self.params, argument="params"),
            "program": plain(self.program, argument="program"),
            "seed": self.seed,
            "name": self.name,
            "modes": list(self.modes),
            "expect": self.expect,
            "source": self.source,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """The case that :meth:`to_json` described.

        Args:
            data: a mapping with ``dut``, ``params`` and any of the other fields; an ``id`` is checked if present.

        Raises:
            StimulusError: a field is unknown, missing or wrong, or the id is not that of the content.
        """
        if not isinstance(data, Mapping):
            raise StimulusError(argument="case", value=data, legal="a JSON object")
        known = {item.name for item in fields(cls)}
        for name in data:
            if name not in known | {"id"}:
                legal = f"one of the fields {', '.join(sorted(known))}"
                raise StimulusError(argument=f"case.{name}", value=data[name], legal=legal)
        for name in ("dut", "params"):
            if name not in data:
                raise StimulusError(argument=f"case.{name}", value=None, legal="a value: this field is required")
        content = {name: value for name, value in data.items() if name != "id"}
        if isinstance(content.get("modes"), list):
            content["modes"] = tuple(content["modes"])
        made = cls(**content)
        if data.get("id", made.id) != made.id:
            legal = f"{made.id}, the id of this content (it was edited, or made by another version), or leave it out"
            raise StimulusError(argument="case.id", value=data["id"], legal=legal)
        return made


def case(
    dut: str,
    defaults: Mapping[str, Any],
    *,
    program: Mapping[str, Any] | None = None,
    seed: int = 0,
    name: str = "",
    modes: tuple[str, ...] = MODES,
    expect: str = "pass",
    source: str = "",
    **params: Any,
) -> Case:
    """Makes a case in canonical form.

    Args:
        dut: name of the DUT.
        defaults: the DUT's frozen defaults; parameters equal to them are left out.
        program: see :mod:`stimuli.programs`; None = one call.
        seed: the source of every random choice.
        name: what people call it.
        modes: run modes it is meant for.
        expect: ``pass``, ``refused: <rule>`` or ``fails: <checker>``.
        source: where it comes from.
        **params: parameters by axis name.

    Returns:
        The case.

    Raises:
        StimulusError: a parameter that is not an axis of ``defaults``, or a wrong field.
    """
    return Case(
        dut=dut,
        params=reduce_params(params, defaults),
        program=_once() if program is None else program,
        seed=seed,
        name=name,
        modes=modes,
        expect=expect,
        source=source,
    )
