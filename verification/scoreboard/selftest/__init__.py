"""The judge judged: emulated attention, right in several ways and wrong in many, to see what the criterion notices."""

from verification.scoreboard.selftest.attention import OUTPUTS, Problem, attend, references
from verification.scoreboard.selftest.faults import FAULTS, Fault
from verification.scoreboard.selftest.inputs import INPUTS
from verification.scoreboard.selftest.recipe import RIGHT, Recipe

__all__ = ["FAULTS", "INPUTS", "OUTPUTS", "RIGHT", "Fault", "Problem", "Recipe", "attend", "references"]
