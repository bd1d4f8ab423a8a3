"""The spaces of the forward and of the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stimuli.canonical import canonical_json
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS
from stimuli.space.attention import (
    BACKWARD_CONFIG,
    BLOCKS,
    BY_CLASS,
    FORWARD_CONFIG,
    GRADIENT_AXES,
    QUIET,
    STIMULUS_AXES,
    THRESHOLD_AXIS,
    THRESHOLDS,
    overflows,
)
from stimuli.space.axis import NIGHT, Assignment, Axis, Space
from stimuli.space.capacity import NIGHT_BUDGETS, SIM_BUDGETS
from stimuli.space.derived import DERIVED
from stimuli.space.observe import lengths_bin
from stimuli.space.rules import RULES
from stimuli.space.sizes import size_class, tokens

TAIL = 9
"""Packed layouts: tokens of padding after the last sequence, where the padding is not zero."""


def build(axes: tuple[Axis, ...], assignment: Assignment) -> dict[str, Any]:
    """The case parameters that a complete assignment stands for.

    Args:
        axes: the axes of the space.
        assignment: a bin for each of them.
    """
    params: dict[str, Any] = {}
    config: dict[str, Any] = {}
    rows, keys = _sides(assignment["block"], axes)
    params["seq_q"] = tokens(assignment["seq_q"], rows, keys=False)
    params["seq_kv"] = tokens(assignment["seq_kv"], keys, keys=True)
    for axis in axes:
        given = dict(axis.bin(assignment[axis.name]).params)
        config.update(given.pop("config", {}))
        params.update(given)
    if "dout" in params and overflows(params["values"], params["dtype"]):
        params["dout"] = QUIET.get(params["dout"], params["dout"])
    if config:
        params["config"] = config
    if params["layout"] == "TND":
        params["tail"] = TAIL if params["padding"] != "zero" else 0
        params["lengths_q"] = params["lengths_q"] or "full"
        params["lengths_kv"] = params["lengths_kv"] or "full"
    return params


def observe(axes: tuple[Axis, ...], defaults: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, str | None]:
    """The bin of every axis that case parameters lie in; None where they lie in none.

    Args:
        axes: the axes of the space.
        defaults: frozen defaults of the parameters.
        params: complete or reduced.
    """
    full = {**defaults, **params}
    rows, keys = full["block_shape"]
    if "dout" in full and overflows(full["values"], full["dtype"]):
        full["dout"] = {quiet: kind for kind, quiet in QUIET.items()}.get(full["dout"], full["dout"])
    special: dict[str, Callable[[], str | None]] = {
        "batch": lambda: {1: "one", 2: "two"}.get(full["batch"], "several"),
        "seq_q": lambda: size_class(full["seq_q"], rows),
        "seq_kv": lambda: size_class(full["seq_kv"], keys),
        "lengths_q": lambda: lengths_bin(full["lengths_q"], full["seq_q"], full["layout"]),
        "lengths_kv": lambda: lengths_bin(full["lengths_kv"], full["seq_kv"], full["layout"]),
        "mask": lambda: _family(axes, full["mask"]),
        "threshold_q": lambda: str(full["seq_q"]) if full["seq_q"] in THRESHOLDS else BY_CLASS,
    }
    return {axis.name: special[axis.name]() if axis.name in special else _matching(axis, full) for axis in axes}


def _sides(block: str, axes: tuple[Axis, ...]) -> tuple[int, int]:
    axis = next(axis for axis in axes if axis.name == "block")
    rows, keys = BLOCKS.get(block) or axis.bin(block).params["block_shape"]
    return rows, keys


def _family(axes: tuple[Axis, ...], mask: Any) -> str | None:
    family = mask.get("family") if isinstance(mask, Mapping) else mask
    names = next(axis for axis in axes if axis.name == "mask").names
    return family if family in names else None


def _matching(axis: Axis, full: Mapping[str, Any]) -> str | None:
    """The bin whose parameters are all there; of a configuration, the fields that the axis speaks about."""
    if any("config" in one.params for one in axis.bins):
        return _configured(axis, full.get("config") or {})
    for one in axis.bins:
        if all(canonical_json(full[name]) == canonical_json(value) for name, value in one.params.items()):
            return one.name
    return None


def _configured(axis: Axis, config: Mapping[str, Any]) -> str | None:
    spoken = {name for one in axis.bins for name in one.params.get("config", {})}
    relevant = {name: value for name, value in config.items() if name in spoken}
    for one in axis.bins:
        if canonical_json(one.params.get("config", {})) == canonical_json(relevant):
            return one.name
    return None


def _space(name: str, axes: tuple[Axis, ...], defaults: Mapping[str, Any], *, both: bool) -> Space:
    return Space(
        name=name,
        parameters=defaults,
        axes=axes,
        rules=RULES,
        budgets={"sim": SIM_BUDGETS[both], NIGHT: NIGHT_BUDGETS[both], "npu": ()},
        build=lambda assignment: build(axes, assignment),
        observe=lambda params: observe(axes, defaults, params),
        derived=DERIVED,
    )


FORWARD_SPACE = _space("forward", (*STIMULUS_AXES, THRESHOLD_AXIS, *FORWARD_CONFIG), FORWARD_DEFAULTS, both=False)
"""The space of the forward pass."""

BACKWARD_SPACE = _space(
    "backward", (*STIMULUS_AXES, *GRADIENT_AXES, THRESHOLD_AXIS, *BACKWARD_CONFIG), BACKWARD_DEFAULTS, both=True
)
"""The space of the backward pass."""
