"""The tasks of one simulated launch and what they wait for, from ``dyn_topo.txt`` and ``program.json``."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

Task: TypeAlias = tuple[int, int]
"""Window and id; the bits of the id from ``_CALL_BITS`` up are the number of the call within the window."""
_ROOT_GRAPH: Final = 2
_CALL_BITS: Final = 20
_COLUMNS: Final = 9
"""Before the successors, of which a row has as many as it needs."""


@dataclass(frozen=True, kw_only=True)
class Tasks:
    """Tasks of one launch. Windows run one after the other."""

    after: Mapping[Task, tuple[int, ...]]
    """Ids of the tasks that wait for this one."""
    writes: Mapping[Task, frozenset[str]]
    """Names of the tensors in memory that a task writes."""

    def writers(self, window: int, call: int, name: str) -> list[Task]:
        """The tasks of one call that write a tensor."""
        return self._by_call.get((window, call, name), [])

    @cached_property
    def _by_call(self) -> dict[tuple[int, int, str], list[Task]]:
        found: dict[tuple[int, int, str], list[Task]] = {}
        for (window, number), names in sorted(self.writes.items()):
            for name in names:
                found.setdefault((window, number >> _CALL_BITS, name), []).append((window, number))
        return found

    def ordered(self, some: Iterable[Task], others: Iterable[Task]) -> bool:
        """Whether any task of the one kind waits for one of the other kind, or there is one task alone.

        Args:
            some: tasks.
            others: tasks; the same ones ask whether any of them waits for another.
        """
        some, others = set(some), set(others)
        windows = {window for window, _ in some | others}
        alone = len(some | others) == 1
        return len(windows) > 1 or alone or self._reach(some, others) or self._reach(others, some)

    def _reach(self, begin: set[Task], wanted: set[Task]) -> bool:
        seen, left = set(begin), list(begin)
        while left:
            window, number = left.pop()
            for following in self.after.get((window, number), ()):
                task = (window, following)
                if task in wanted:
                    return True
                if task not in seen:
                    seen.add(task)
                    left.append(task)
        return False


def read_tasks(folder: Path) -> Tasks:
    """Read the tasks of one launch.

    Args:
        folder: its ``output_*`` folder.

    Raises:
        OSError: a file is missing.
        KeyError: they do not fit together.
        ValueError: a file is not what PyPTO writes.
    """
    program = json.loads((folder / "program.json").read_text(encoding="utf-8"))["functions"]
    written = {
        (str(root["hash"]), str(operation["opmagic"])): _written(root, operation)
        for root in program
        if root.get("graphtype") == _ROOT_GRAPH
        for operation in root["operations"]
    }
    with (folder / "dyn_topo.txt").open(newline="", encoding="utf-8") as stream:
        names, *rows = csv.reader(stream)
    window, number, root, operation = (names.index(one) for one in ("seqNo", "taskId", "rootHash", "opmagic"))
    windows = {name: at for at, name in enumerate(sorted({int(row[window]) for row in rows}))}
    keys = [(windows[int(row[window])], int(row[number])) for row in rows]
    return Tasks(
        after={key: tuple(int(one) for one in row[_COLUMNS:] if one) for key, row in zip(keys, rows, strict=True)},
        writes={key: written[row[root], row[operation]] for key, row in zip(keys, rows, strict=True)},
    )


def _written(root: Mapping[str, Any], operation: Mapping[str, Any]) -> frozenset[str]:
    """Names of the tensors that one operation of a path's function, which becomes a task, writes."""
    symbols = {raw["rawmagic"]: str(raw.get("symbol", "")) for raw in root["rawtensors"]}
    raws = {one["magic"]: one["rawtensor"] for one in root["tensors"]}
    return frozenset(symbols.get(raws.get(result), "") for result in operation["ooperands"]) - {""}
