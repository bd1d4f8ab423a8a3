"""A mutant: a DUT with one deliberate fault, as edits of the source of one function."""

from __future__ import annotations

import ast
from dataclasses import dataclass


class MutantError(ValueError):
    """A mutant does not fit the source that it was written for: nothing would be planted, or something else."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One replacement within one function.

    Attributes:
        function: name of the function or method, wherever it stands in the module.
        find: source text, on one line of the function.
        replace: what stands there instead, on one line, so that every line keeps its number.
        count: how often ``find`` must occur in the function: a mutant that no longer fits is an error, never a no-op.
    """

    function: str
    find: str
    replace: str
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One fault.

    Attributes:
        name: what ``fault`` of a plan says; unique.
        dut: the DUT that is faulty with it.
        module: the module whose source is edited.
        edits: the replacements, all in that module.
        fault: what is wrong, in words.
        directed: names of cases that are expected to notice, cheapest first.
    """

    name: str
    dut: str
    module: str
    edits: tuple[Edit, ...]
    fault: str
    directed: tuple[str, ...]


def mutate(source: str, mutant: Mutant) -> str:
    """The module's source with the fault planted.

    Args:
        source: the module's own source.
        mutant: the fault.

    Raises:
        MutantError: a function is missing, a text does not occur as often as stated, or the result does not parse or
            is the same program.
    """
    lines = source.splitlines(keepends=True)
    tree = ast.parse(source)
    for edit in mutant.edits:
        if "\n" in edit.find or "\n" in edit.replace:
            raise MutantError(f"{mutant.name}: an edit must stay on one line, so that lines keep their numbers")
        first, last = _span(tree, edit, mutant)
        found = sum(line.count(edit.find) for line in lines[first:last])
        if found != edit.count:
            raise MutantError(
                f"{mutant.name}: {edit.find!r} occurs {found} times in {mutant.module}.{edit.function}, "
                f"not {edit.count}; the source has changed, so change the mutant"
            )
        lines[first:last] = [line.replace(edit.find, edit.replace) for line in lines[first:last]]
    mutated = "".join(lines)
    try:
        changed = ast.dump(ast.parse(mutated)) != ast.dump(tree)
    except SyntaxError as error:
        raise MutantError(f"{mutant.name}: the mutated source does not parse: {error}") from error
    if not changed:
        raise MutantError(f"{mutant.name}: the mutated source is the same program")
    return mutated


def _span(tree: ast.Module, edit: Edit, mutant: Mutant) -> tuple[int, int]:
    """Lines [first, last) of a function, by index."""
    spans = [
        (node.lineno - 1, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == edit.function
    ]
    if len(spans) != 1:
        raise MutantError(f"{mutant.name}: {mutant.module} has {len(spans)} functions {edit.function!r}, not 1")
    return spans[0]
