"""The file ``known.toml``: the one ledger of known failures.

    [[known]]
    case = "1a2b3c4d5e6f"
    reason = "dK loses the last key block with 6 query heads per key head"
    author = "Li Wei"
    date = 2026-11-30
    expires = 2027-01-31

In place of ``case``, or beside it: ``dut`` and ``signature``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

from bsa.messages import text
from verification.errors import UsageError
from verification.known.entry import KnownFailure
from verification.verdicts import FAILED

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path("known.toml")
"""The ledger where none is named: in the current folder, as ``out`` is."""
NEEDED = ("reason", "author", "date", "expires")
"""Fields that every entry has."""
DATES = ("date", "expires")
_FIELDS = tuple(one.name for one in fields(KnownFailure))


def read_ledger(file: Path | None) -> tuple[KnownFailure, ...]:
    """The entries of a ledger, expired ones included.

    Args:
        file: the ledger; None = ``known.toml`` of the current folder, which need not exist.

    Raises:
        UsageError: the file cannot be read or an entry is not right; the message names file, entry and field.
    """
    path = file or FILE
    if file is None and not path.exists():
        return ()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(text("error.known.toml", file=path, why=error)) from None
    except OSError as error:
        raise UsageError(text("error.system", what=path, why=error.strerror)) from None
    listed = data.pop("known", [])
    if data or not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise UsageError(text("error.known.toml", file=path, why=text("error.known.shape")))
    entries = tuple(_entry(one, f"{path}: known {number}") for number, one in enumerate(listed, start=1))
    for number, one in enumerate(entries, start=1):
        if one.subject in [other.subject for other in entries[: number - 1]]:
            raise UsageError(text("error.known.twice", place=f"{path}: known {number}", subject=one.subject))
    return entries


def _entry(data: Mapping[str, Any], place: str) -> KnownFailure:
    for name in data:
        if name not in _FIELDS:
            raise UsageError(text("error.known.field", place=place, name=name, known=", ".join(_FIELDS)))
    found = {name: _field(data, name, place) for name in _FIELDS if name in data or name in NEEDED}
    _check_subject(found, place)
    if found["expires"] < found["date"]:
        raise UsageError(text("error.known.order", place=place, **{name: found[name] for name in DATES}))
    return KnownFailure(**found)


def _field(data: Mapping[str, Any], name: str, place: str) -> str:
    value = data.get(name)
    if name in DATES:
        if not isinstance(value, date) or isinstance(value, datetime):
            raise UsageError(text("error.known.date", place=place, name=name, value=repr(value)))
        return value.isoformat()
    if not isinstance(value, str) or not value.strip():
        raise UsageError(text("error.known.words", place=place, name=name, value=repr(value)))
    return " ".join(value.split())


def _check_subject(found: Mapping[str, str], place: str) -> None:
    if not ("case" in found or {"dut", "signature"} <= set(found)):
        raise UsageError(text("error.known.subject", place=place))
    if "case" in found and not re.fullmatch("[0-9a-f]{12}", found["case"]):
        raise UsageError(text("error.known.case", place=place, value=found["case"]))
    if "signature" in found and found["signature"].split()[0] not in FAILED:
        verdicts = ", ".join(FAILED)
        raise UsageError(text("error.known.signature", place=place, value=found["signature"], verdicts=verdicts))
