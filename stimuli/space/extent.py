"""How large a case of the spaces is, read from its bins."""

from __future__ import annotations

from stimuli.space.attention import BATCHES, BLOCKS, BY_CLASS, HEADS
from stimuli.space.axis import Assignment
from stimuli.space.sizes import tokens


def rows(assignment: Assignment) -> int:
    """Query rows of a sequence."""
    if assignment["threshold_q"] != BY_CLASS:
        return int(assignment["threshold_q"])
    return tokens(assignment["seq_q"], block_sides(assignment)[0], keys=False)


def keys(assignment: Assignment) -> int:
    """Key rows of a sequence."""
    return tokens(assignment["seq_kv"], block_sides(assignment)[1], keys=True)


def batches(assignment: Assignment) -> int:
    """Batches."""
    return BATCHES[assignment["batch"]]


def head_counts(assignment: Assignment) -> tuple[int, int]:
    """Query heads, key heads; (1, 1) where the bin is illegal."""
    return HEADS.get(assignment["heads"], (1, 1))


def block_sides(assignment: Assignment) -> tuple[int, int]:
    """Query rows, key rows of a block; (64, 64) where the bin is illegal."""
    return BLOCKS.get(assignment["block"], (64, 64))
