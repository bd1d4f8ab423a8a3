"""Mutants: DUTs with one deliberate fault, to measure whether the environment notices."""

from verification.mutants.bsa_backward import MUTANTS as _BSA_BACKWARD
from verification.mutants.bsa_forward import MUTANTS as _BSA_FORWARD
from verification.mutants.loader import load_mutant
from verification.mutants.mutant import Edit, Mutant, MutantError, mutate

MUTANTS: dict[str, Mutant] = {mutant.name: mutant for mutant in (*_BSA_BACKWARD, *_BSA_FORWARD)}
"""Every mutant, by name."""

__all__ = ["MUTANTS", "Edit", "Mutant", "MutantError", "load_mutant", "mutate"]
