"""A mutant is planted exactly as it says, or not at all."""

import importlib
from pathlib import Path

import pytest

from verification.mutants import MUTANTS, Edit, Mutant, MutantError, mutate

SOURCE = '''
def scaled(x):
    """Doubles."""
    y = 2 * x
    return y


def other(x):
    return 2 * x
'''


def mutant(*edits):
    return Mutant(name="m", dut="d", module="mod", edits=edits, fault="", directed=())


def test_edit_stays_in_its_function_and_keeps_lines():
    """Only the named function changes, and every line keeps its number."""
    mutated = mutate(SOURCE, mutant(Edit(function="scaled", find="2 * x", replace="3 * x")))
    assert mutated.splitlines()[3] == "    y = 3 * x"
    assert mutated.splitlines()[8] == "    return 2 * x"
    assert len(mutated.splitlines()) == len(SOURCE.splitlines())


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Edit(function="absent", find="2", replace="3"), "0 functions 'absent'"),
        (Edit(function="scaled", find="7 * x", replace="3"), "occurs 0 times"),
        (Edit(function="scaled", find="x", replace="z"), "not 1"),
        (Edit(function="scaled", find="2 * x", replace="2 *"), "does not parse"),
        (Edit(function="scaled", find="2 * x", replace="2  *  x"), "same program"),
        (Edit(function="scaled", find="2 * x", replace="2 *\n x"), "one line"),
    ],
)
def test_what_does_not_fit_is_an_error(edit, words):
    """A mutant that no longer fits its source is an error, never a no-op."""
    with pytest.raises(MutantError, match=words.replace("*", r"\*")):
        mutate(SOURCE, mutant(edit))


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_every_mutant_fits_today_s_source(name):
    """Each declared mutant can be planted in the source as it is."""
    module = importlib.import_module(MUTANTS[name].module)
    source = Path(module.__file__).read_text()
    assert mutate(source, MUTANTS[name]) != source
