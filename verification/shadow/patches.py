"""Replacing attributes of PyPTO's Python modules for a while, and putting back exactly what was there."""

from __future__ import annotations

from typing import Any

_MISSING = object()


class Patches:
    """Replacements of attributes; :meth:`undo` restores all of them, the last first."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []
        self.replaced: dict[int, Any] = {}
        """What stands for an original, by the original's id, for names that kernels imported before."""

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Replaces one attribute of a module or class.

        Raises:
            AttributeError: the owner itself has no such attribute: this PyPTO is not the one that was qualified.
        """
        original = vars(owner).get(name, _MISSING)
        if original is _MISSING:
            raise AttributeError(f"{owner.__name__} has no {name}")
        self._saved.append((owner, name, original))
        self.replaced[id(original)] = value
        setattr(owner, name, value)

    def undo(self) -> None:
        """Puts everything back."""
        while self._saved:
            owner, name, original = self._saved.pop()
            setattr(owner, name, original)
        self.replaced.clear()
