"""Properties: relations between calls that every right kernel keeps, one a file.

A case with the program ``{"kind": "property", "relation": name}`` makes the calls of one relation; what they returned
is judged by the relation, beside the oracle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.properties import (
    all_ones,
    batch_slice,
    edited_mask,
    gqa_expanded,
    head_slice,
    history,
    linearity,
    merge_halves,
    padding,
    permute_kv,
    permute_q,
    repeat,
    shift,
    strided,
)
from stimuli.properties._relation import EQUAL, RELATION, Claim, Outputs, Relation
from stimuli.stimulus import Stimulus

__all__ = ["EQUAL", "KIND", "RELATION", "RELATIONS", "Claim", "Outputs", "Relation", "relation_of", "run"]

KIND = "property"
"""The program's kind."""

_MODULES = (
    repeat,
    history,
    edited_mask,
    strided,
    padding,
    all_ones,
    batch_slice,
    head_slice,
    gqa_expanded,
    permute_q,
    permute_kv,
    merge_halves,
    linearity,
    shift,
)

RELATIONS: Mapping[str, Relation] = {module.RELATION.name: module.RELATION for module in _MODULES}
"""Every relation, by name."""


def relation_of(case: Case) -> Relation | None:
    """The relation that a case is about; None if it is about none.

    Raises:
        StimulusError: its program names no known relation.
    """
    if case.program["kind"] != KIND:
        return None
    name = case.program.get("relation")
    if not isinstance(name, str) or name not in RELATIONS:
        raise StimulusError(argument="program.relation", value=name, legal=f"one of {', '.join(RELATIONS)}")
    return RELATIONS[name]


def run(relation: Relation, base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:
    """The calls of a relation.

    Args:
        relation: which.
        base: the stimulus that it varies.
        options: what else the program says.

    Raises:
        StimulusError: an option that the relation does not have, or a stimulus that it makes no sense for.
    """
    for name, value in options.items():
        if name not in relation.options:
            legal = f"one of {tuple(relation.options)} with the relation {relation.name!r}"
            raise StimulusError(argument=f"program.{name}", value=value, legal=legal)
    return relation.variants(base, {**relation.options, **options})
