"""Programs: what a case does with its DUT, as an iterator of calls.

The DUT's process and the oracle run the same iterator. A stimulus is valid until the next one is asked for: the
programs about edited masks then overwrite or free its mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stimuli import properties
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.stimulus import MASK, Stimulus

if TYPE_CHECKING:
    import torch

Make = Callable[[Mapping[str, Any], int], Stimulus]
"""A maker: (params, seed) -> stimulus."""


def steps(case: Case, make: Make) -> Iterator[Stimulus]:
    """The calls of a case, in order.

    Args:
        case: its ``program`` is ``{"kind": "once"}``, ``{"kind": "repeat", "times": n}``, ``{"kind": "edit_mask"}``
            (call, overwrite the mask's storage in place with another mask, call again), ``{"kind": "replace_mask"}``
            (call, free the mask, allocate another of the same size, call again) or
            ``{"kind": "property", "relation": name}`` (the calls of a relation, :mod:`stimuli.properties`).
        make: the DUT's maker.

    Yields:
        One stimulus per call.

    Raises:
        StimulusError: an unknown program or option, or a program about masks for a stimulus without one.
    """
    options = dict(case.program)
    kind = options.pop("kind")
    if kind not in PROGRAMS:
        raise StimulusError(argument="program.kind", value=kind, legal=f"one of {', '.join(PROGRAMS)}")
    run, known = PROGRAMS[kind]
    for name, value in options.items():
        if name not in known:
            raise StimulusError(argument=f"program.{name}", value=value, legal=f"one of {known} with {kind}")
    return run(case, make, options)


def _once(case: Case, make: Make, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    yield make(case.params, case.seed)


def _repeat(case: Case, make: Make, options: Mapping[str, Any]) -> Iterator[Stimulus]:
    times = options.get("times", 2)
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise StimulusError(argument="program.times", value=times, legal="an integer from 1")
    stimulus = make(case.params, case.seed)
    for _ in range(times):
        yield stimulus


def _edit_mask(case: Case, make: Make, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001
    stimulus = make(case.params, case.seed)
    mask = _mask(stimulus)
    yield stimulus
    elements = mask.numpy()
    elements[...] = other_mask(elements)
    yield Stimulus(tensors=stimulus.tensors, arguments=stimulus.arguments, facts={**stimulus.facts, "exact": False})


def _replace_mask(case: Case, make: Make, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001
    import torch

    made = make(case.params, case.seed)
    tensors = dict(made.tensors)
    other = other_mask(_mask(made).numpy())
    address = _mask(made).data_ptr()
    first = Stimulus(tensors=tensors, arguments=made.arguments, facts=made.facts)
    del made
    yield first
    del tensors[MASK]
    again = np.empty(other.shape, dtype=np.bool_)
    again[...] = other
    replaced = torch.from_numpy(again)
    facts = {**first.facts, "exact": False, "mask_at_same_address": replaced.data_ptr() == address}
    yield Stimulus(tensors={**tensors, MASK: replaced}, arguments=first.arguments, facts=facts)


def _property(case: Case, make: Make, options: Mapping[str, Any]) -> Iterator[Stimulus]:
    relation = properties.relation_of(case)
    if relation is None:
        raise TypeError("a program of kind 'property' has a relation")
    rest = {name: value for name, value in options.items() if name != "relation"}
    return properties.run(relation, make(case.params, case.seed), rest)


def calls(case: Case) -> int:
    """How many calls the program of a case makes."""
    relation = properties.relation_of(case)
    if relation is not None:
        return relation.calls
    return 1 if case.program["kind"] == "once" else int(case.program.get("times", 2))


def other_mask(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """A mask that differs in every query block: the complement.

    Where the complement of a query block selects nothing, it selects its first KV block alone, if there are several.

    Args:
        mask: bool [B, Hq, blocks_q, blocks_kv].

    Returns:
        Another mask of the same shape, in storage of its own.
    """
    other = ~mask
    if mask.shape[-1] > 1:
        other[..., 0] |= ~other.any(axis=-1)
    return other


def _mask(stimulus: Stimulus) -> torch.Tensor:
    if MASK not in stimulus.tensors:
        raise StimulusError(argument="program.kind", value="edit_mask", legal="'once' or 'repeat': there is no mask")
    return stimulus.tensors[MASK]


_RELATION_OPTIONS = sorted({name for relation in properties.RELATIONS.values() for name in relation.options})

_Run = Callable[[Case, Make, Mapping[str, Any]], Iterator[Stimulus]]

PROGRAMS: dict[str, tuple[_Run, tuple[str, ...]]] = {
    "once": (_once, ()),
    "repeat": (_repeat, ("times",)),
    "edit_mask": (_edit_mask, ()),
    "replace_mask": (_replace_mask, ()),
    properties.KIND: (_property, ("relation", *_RELATION_OPTIONS)),
}
"""Programs by name, with the options they take."""
