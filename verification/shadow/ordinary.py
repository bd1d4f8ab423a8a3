"""The lines of ordinary functions that a kernel calls while it is traced: helpers that PyPTO's parser does not read.

Python runs such a function once per path that is traced, whether the path is executed or not, so that coverage.py would
count its lines for arms that never ran. While a kernel's body is visited they are noted here instead, and belong to the
statement that is being visited. coverage.py's own trace function is put back afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias

from verification.foreign import is_foreign

Arcs: TypeAlias = dict[str, set[tuple[int, int]]]
"""Pairs of lines executed one after the other, by file, as coverage.py has them."""

_HERE: Final = str(Path(__file__).resolve().parent)
_EXPRESSION: Final = "<module>"
"""Name of the code of an expression that the parser compiles under the kernel's file name."""


class Ordinary:
    """Notes what ordinary functions execute inside :meth:`watch`.

    Args:
        pypto: the module; its own functions are left out.
        note: is given the arcs of each call, once it is over.
    """

    def __init__(self, pypto: Any, note: Callable[[Arcs], None]) -> None:
        self._note = note
        self._library = str(Path(pypto.__file__).resolve().parent)
        self._parsed: list[tuple[str, range]] = []
        """Functions that the parser reads: code of theirs, a lambda say, is part of the statement."""
        self._wanted: dict[CodeType, bool] = {}
        self._depth = 0
        self._arcs: Arcs = {}

    def parsed(self, file: str, first: int, last: int) -> None:
        """Tells of a function that the parser reads."""
        self._parsed.append((file, range(first, last + 1)))
        self._wanted.clear()

    def watch(self, function: Callable[[], None]) -> None:
        """Calls a function and watches it instead of the trace function that is set, which is put back.

        Both changes happen in one frame: coverage.py's counts the frames that begin and end, and is told of the end of
        those that it saw begin whatever is set meanwhile.
        """
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            function()
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        del event, argument
        code = frame.f_code
        wanted = self._wanted.get(code)
        if wanted is None:
            wanted = self._wanted[code] = self._is_ordinary(code)
        return self._follow(frame) if wanted else None

    def _is_ordinary(self, code: CodeType) -> bool:
        file = code.co_filename
        if code.co_name == _EXPRESSION or not Path(file).is_file() or is_foreign(file):
            return False
        if file.startswith((_HERE, self._library)):
            return False
        return not any(file == parsed and code.co_firstlineno in lines for parsed, lines in self._parsed)

    def _follow(self, frame: FrameType) -> Callable[..., Any]:
        """Notes the lines of one call, between an arc from the negative of its first line and one to it."""
        first = frame.f_code.co_firstlineno
        arcs = self._arcs.setdefault(frame.f_code.co_filename, set())
        at, raised = -first, False
        self._depth += 1

        def follow(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            nonlocal at, raised
            del argument
            if event == "line":
                arcs.add((at, frame.f_lineno))
                at = frame.f_lineno
            elif event == "return":
                if not raised:
                    arcs.add((at, -first))
                self._returned()
            raised = event == "exception"
            return follow

        return follow

    def _returned(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            arcs, self._arcs = self._arcs, {}
            self._note(arcs)
