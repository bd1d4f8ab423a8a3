"""What an edit of a Python file touches, told by lines of the text before: a case is concerned if it ran one of them.

A statement that is changed or taken away is touched itself. One that is added runs when its neighbour before it in the
same block does; in a block that is new, when the statement that holds the block does. A function's header concerns
whatever runs in it; a new function or name nothing by itself. Any other statement outside of functions, which Python
runs once at import, concerns everything that sees the file.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from verification.changes.statements import Statement, Statements, is_words


@dataclass(frozen=True, kw_only=True)
class Touched:
    """What an edit touches."""

    units: tuple[frozenset[int], ...] = ()
    """One per statement: lines of the text before; running one of them means running the statement."""
    outside: bool = False
    """Whether something outside of functions is touched, or the text cannot be compared."""

    def __bool__(self) -> bool:
        return self.outside or bool(self.units)

    def hits(self, lines: frozenset[int]) -> int:
        """How many of the touched statements these lines run."""
        return sum(1 for unit in self.units if unit & lines)


def touched(before: str, after: str) -> Touched:
    """Compares two texts of one file.

    Args:
        before: the text whose lines are known to have run or not.
        after: the text as it is now.
    """
    if before == after:
        return Touched()
    try:
        old, new = Statements(before), Statements(after)
    except (SyntaxError, ValueError):
        return Touched(outside=True)
    if ast.dump(old.module) == ast.dump(new.module):
        return Touched()
    same = line_map(before, after)
    back = {second: first for first, second in same.items()}
    removed = [node for line in sorted(old.code - same.keys()) if (node := old.at(line)) is not None]
    added = [node for line in sorted(new.code - back.keys()) if (node := new.at(line)) is not None]
    found = [_unit_of_removed(node, old, new) for node in removed] + [_unit_of_added(node, old, back) for node in added]
    return Touched(units=tuple(dict.fromkeys(unit for unit in found if unit)), outside=None in found)


def line_map(before: str, after: str) -> dict[int, int]:
    """Lines that two texts share: number before to number after."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return {
        block.a + step + 1: block.b + step + 1 for block in matcher.get_matching_blocks() for step in range(block.size)
    }


_NOTHING: frozenset[int] = frozenset()


def _unit_of_removed(node: Statement, old: Statements, new: Statements) -> frozenset[int] | None:
    """Lines of a statement that is changed or gone; None for one that runs at import."""
    if not node.at_import:
        return node.unit()
    names = node.names()
    gone = names is not None and not (names & new.names.keys())
    moved = names is not None and all(old.names[name] == new.names.get(name, old.names[name]) for name in names)
    return _NOTHING if gone or moved else None


def _unit_of_added(node: Statement, old: Statements, back: Mapping[int, int]) -> frozenset[int] | None:
    """Lines of the old statement that runs when an added one does; None for one that runs at import."""
    new = [holder for holder in node.holders() if holder.scope and holder.named not in old.defined]
    if new:  # a name in a class may take the place of an inherited one; any other does nothing until something uses it
        return None if any(isinstance(one.tree, ast.ClassDef) for one in list(new[-1].holders())[1:]) else _NOTHING
    if node.at_import:
        names = node.names()
        fresh = names is not None and all(name not in old.names for name in names)
        return _NOTHING if fresh or node.same_import(old) else None
    anchor = _anchor(node, old, back)
    return None if anchor is None else anchor.unit()


def _anchor(added: Statement, old: Statements, back: Mapping[int, int]) -> Statement | None:
    """The statement of the old text that runs when an added one does; None if there is none."""
    node: Statement | None = added
    while node is not None:
        if node.defines:
            return old.defined.get(node.named)
        place = node.siblings.index(node)
        for other in (*reversed(node.siblings[:place]), *node.siblings[place + 1 :]):
            found = old.starting(back.get(other.first, 0))
            if found is not None and not is_words(found.tree):
                return found
        holder = None if node.parent is None else _counterpart(node.parent, old, back)
        if holder is not None:
            return old.first_of(holder, node.field)
        node = node.parent
    return None


def _counterpart(node: Statement, old: Statements, back: Mapping[int, int]) -> Statement | None:
    """The old statement that a statement was: by name if it defines something, else by its first line."""
    return old.defined.get(node.named) if node.defines else old.starting(back.get(node.first, 0))
