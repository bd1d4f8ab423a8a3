"""The canonical form: one text for everything that means the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from stimuli.errors import StimulusError


def plain(value: Any, *, argument: str) -> Any:
    """A private copy of a JSON value: tuples become lists, mappings become dicts.

    Args:
        value: what a caller gave.
        argument: its name, for the error.

    Returns:
        The copy; later changes of ``value`` do not reach it.

    Raises:
        StimulusError: ``value`` is not made of JSON types, or holds NaN or Inf.
    """
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise StimulusError(argument=argument, value=value, legal=f"JSON values only ({error})") from None


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, ASCII: equal values give equal text on every machine."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical_digest(value: Any) -> bytes:
    """sha256 of the canonical text, 32 bytes."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).digest()


def reduce_params(params: Mapping[str, Any], defaults: Mapping[str, Any], *, owner: str = "params") -> dict[str, Any]:
    """Leaves out parameters that equal their axis's frozen default, so that a new axis renames nothing.

    Args:
        params: parameters by name, complete or reduced.
        defaults: the frozen default of every axis.
        owner: whose parameters these are, for the error.

    Returns:
        The reduced parameters, by name in sorted order. A number that belongs to an axis with a float default is
        a float (``density=1`` and ``density=1.0`` are one case).

    Raises:
        StimulusError: a name that is no axis, or a value that is not JSON.
    """
    reduced: dict[str, Any] = {}
    for name in sorted(params):
        if name not in defaults:
            known = ", ".join(sorted(defaults))
            raise StimulusError(argument=f"{owner}.{name}", value=params[name], legal=f"one of the axes {known}")
        default = plain(defaults[name], argument=name)
        value = plain(params[name], argument=name)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if canonical_json(value) != canonical_json(default):
            reduced[name] = value
    return reduced
