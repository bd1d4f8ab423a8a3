"""The fields of a kernel's configuration that a case sets: checked before anything is run with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, get_args

from bsa.config import KernelConfig
from bsa.kernels.backward_config import BackwardConfig, Phases
from stimuli.errors import StimulusError

_Config = TypeVar("_Config", KernelConfig, BackwardConfig)
_TWO, _ONE = "two integers from 1, as a list", "an integer from 0"


def configured(default: _Config, given: Mapping[str, Any] | None) -> _Config:
    """A configuration with the fields that a case sets (parameter ``config``); lists are tuples there.

    Raises:
        StimulusError: a field that the configuration does not have, or a value that is not of its kind.
    """
    known = {one.name: getattr(default, one.name) for one in fields(default)}
    for name, value in (given or {}).items():
        if name not in known:
            raise StimulusError(argument=f"config.{name}", value=value, legal=f"one of the fields {', '.join(known)}")
        fits, legal = _kind(known[name], value)
        if not fits:
            raise StimulusError(argument=f"config.{name}", value=value, legal=legal)
    changed: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in (given or {}).items()}
    return replace(default, **changed)


def _kind(usual: object, value: Any) -> tuple[bool, str]:
    """Whether a value is of the kind of a field's default, and what is."""
    if isinstance(usual, str):
        return value in get_args(Phases), " or ".join(map(repr, get_args(Phases)))
    if isinstance(usual, tuple):
        return isinstance(value, list) and len(value) == 2 and all(_whole(side, 1) for side in value), _TWO
    return _whole(value, 0), _ONE


def _whole(value: object, smallest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= smallest
