"""The stimulus space, declared once as data: axes, bins, rules; and what is made from it."""

from stimuli.space.axis import BUDGET, IGNORED, Assignment, Axis, Bin, Budget, Derived, Rule, Space
from stimuli.space.goals import FEASIBLE, UNREACHABLE, classify, listed, over_budget
from stimuli.space.passes import BACKWARD_SPACE, FORWARD_SPACE

__all__ = [
    "BACKWARD_SPACE",
    "BUDGET",
    "FEASIBLE",
    "FORWARD_SPACE",
    "IGNORED",
    "UNREACHABLE",
    "Assignment",
    "Axis",
    "Bin",
    "Budget",
    "Derived",
    "Rule",
    "Space",
    "classify",
    "listed",
    "over_budget",
]
