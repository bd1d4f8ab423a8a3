"""All limits by number, found as the modules of ``known``: adding a file adds a limit."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from verification.limits import known
from verification.limits.limit import Limit


def _found() -> dict[int, Limit]:
    limits: dict[int, Limit] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(known.__path__)):
        limit: Limit = import_module(f"{known.__name__}.{module}").LIMIT
        if limit.number in limits or not module.startswith(f"l{limit.number:02d}_"):
            raise ValueError(f"{module}: limit {limit.number} is declared twice, or its file has another number")
        limits[limit.number] = limit
    return limits


LIMITS: Mapping[int, Limit] = _found()
"""Every limit by its number, ascending."""


def find_limit(number: int) -> Limit:
    """One limit.

    Raises:
        KeyError: there is none of this number.
    """
    return LIMITS[number]
