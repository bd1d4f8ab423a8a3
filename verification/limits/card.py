"""The script that asks a card, and reading what it brought home."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from verification.limits import known
from verification.limits.expectation import Expectation, Finding
from verification.limits.limit import ACTIVE, LIFTED, OTHER, WORKS
from verification.limits.registry import LIMITS

_HERE = Path(__file__).parent
_MODULES = ("limit.py", "inputs.py", "registry.py", "comparing.py")
_EMPTY = "SOURCES: dict = {}\n"
_STATUSES = (ACTIVE, LIFTED, WORKS, OTHER)


def card_script() -> str:
    """One self-contained Python file with every probe."""
    sources = {f"verification/limits/{name}": _text(_HERE / name) for name in _MODULES}
    for path in sorted(Path(known.__path__[0]).glob("*.py")):
        sources[f"verification/limits/known/{path.name}"] = _text(path)
    sources |= {"verification/__init__.py": "", "verification/limits/__init__.py": ""}
    template = _text(_HERE / "card_template.py")
    if template.count(_EMPTY) != 1:
        raise ValueError("card_template.py: its place for the sources is gone")
    return template.replace(_EMPTY, f"SOURCES: dict = json.loads(r'''{_embedded(sources)}''')\n")


def with_answers(expectation: Expectation, text: str) -> tuple[Expectation, int]:
    """An expectation with what a card answered, and how many answers that were.

    Args:
        expectation: of the PyPTO version that ran on the card.
        text: the JSON that the script wrote.

    Raises:
        ValueError: it is no such file, of another PyPTO version, or was not asked on a card.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("schema") != 1 or data.get("mode") != "npu":
        raise ValueError("not written by the script that asks a card")
    if data.get("device") != "npu":
        raise ValueError(f"asked on device {data.get('device')!r}, not on a card")
    if data.get("pypto") != expectation.pypto:
        raise ValueError(f"of pypto {data.get('pypto')!r}, while the expectation is of {expectation.pypto!r}")
    answers = {}
    for one in data["findings"]:
        number, name, status = one["limit"], one["probe"], one["status"]
        if number not in LIMITS or status not in _STATUSES:
            raise ValueError(f"limit {number!r}, status {status!r}: not of this version")
        LIMITS[number].probe(name)
        answers["npu", number, name] = Finding(status=status, evidence=str(one["evidence"]))
    return replace(expectation, findings={**expectation.findings, **answers}), len(answers)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _embedded(sources: dict[str, str]) -> str:
    """JSON that may stand between three single quotes."""
    return json.dumps(sources, indent=0).replace("'", "\\u0027")
