"""The reference pages of the docs, made from the parser, the record and the ledger, so that they cannot be out of date.

``python -m verification.cli.pages`` writes them; a test compares them with the tree.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bsa.messages import catalogue, set_language, text
from verification import record, verdicts
from verification.cli.main import COMMANDS, command_module
from verification.cli.parser import Parser
from verification.fidelity import LEDGER

EXIT_CODES = (
    (verdicts.EXIT_PASSED, "everything passed (known failures included)"),
    (verdicts.EXIT_FAILED, f"a case ended as {', '.join(verdicts.FAILED)}, or a known failure passes"),
    (verdicts.EXIT_USAGE, "the command cannot be understood, or selects nothing"),
    (verdicts.EXIT_INCOMPLETE, f"incomplete or interrupted ({', '.join(verdicts.INCOMPLETE)}); can be resumed"),
    (verdicts.EXIT_ENVIRONMENT, "this machine lacks something; the message says what and how to mend it"),
)
"""What each exit code means; where several apply, 2 goes before 4 before 1 before 3."""

_MADE = "<!-- Made by: python -m verification.cli.pages -->\n"


def pages() -> dict[str, str]:
    """Every page: its path below ``docs/reference``, and its text in Markdown. Leaves the language at English."""
    set_language("en")
    made = {"cli/index.md": _index(), "record.md": _record(), "fidelity.md": _fidelity(), "verdicts.md": _verdicts()}
    for name in COMMANDS:
        made[f"cli/{name}.md"] = _command(name)
    return {path: _MADE + page for path, page in made.items()}


def main(argv: Sequence[str]) -> int:
    """Writes the pages below the folder that is the only argument; ``docs/reference`` by default."""
    folder = Path(argv[0] if argv else "docs/reference")
    for path, page in pages().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    return 0


def _index() -> str:
    commands = "\n".join(f"| [{name}]({name}.md) | {text(f'cli.{name}.help')} |" for name in COMMANDS)
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES)
    return f"""# The command line

`bsa-verify COMMAND …`; every command has `--help`, and `--lang en` or `--lang zh` chooses the language.

| command | what it does |
|---|---|
{commands}

## Exit codes

| code | meaning |
|---|---|
{codes}

Where several apply: 2 before 4 before 1 before 3. An interrupted run ends with 3, or with 1 if a failure was recorded.
"""


def _command(name: str) -> str:
    module = command_module(name)
    parser = Parser(prog=f"bsa-verify {name}", add_help=False)
    module.add_arguments(parser)
    rows = "\n".join(_option(action) for action in parser._actions)  # noqa: SLF001 - argparse has no public list
    table = f"| argument | meaning |\n|---|---|\n{rows}\n" if rows else "No arguments of its own.\n"
    example = f"## Example\n\n<!-- slow: a test parses it -->\n```bash\n{module.EXAMPLE}\n```\n"
    return f"# bsa-verify {name}\n\n{text(f'cli.{name}.help')}\n\n{table}\n{example}"


def _option(action: argparse.Action) -> str:
    names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{action.metavar or action.dest}`"
    value = ""
    if action.option_strings and action.nargs != 0:
        value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else str(action.metavar or action.dest)
        value = f" `{value}{' …' if action.nargs == '+' else ''}`"
    return f"| {names}{value} | {(action.help or '').replace('<', '&lt;')} |"


def _fidelity() -> str:
    rows = "\n".join(
        f"| {text(f'fidelity.{one.key}.title')} | {text(f'fidelity.{one.key}.why')} | {one.card or 'nothing yet'} |"
        for one in LEDGER
    )
    return f"""# The fidelity ledger

What a run in the simulator cannot see. Every report prints this list, because a pass in sim says nothing about it.

| what | why sim cannot see it | what a card has shown |
|---|---|---|
{rows}
"""


def _verdicts() -> str:
    words = catalogue("en")
    rows = "\n".join(f"| {name} | {words.text(f'verdict.{name}')} |" for name in record.VERDICTS)
    return f"# Verdicts\n\n| verdict | meaning |\n|---|---|\n{rows}\n"


def _record() -> str:
    classes = [node for node in ast.parse(inspect.getsource(record)).body if isinstance(node, ast.ClassDef)]
    tables = "\n".join(_fields(node) for node in classes)
    return f"""# The record

`out/RUN/records.jsonl` has one record a line: everything that was observed in one attempt at one case. A record is
written once and never changed; reports, verdicts over attempts and comparisons are computed from records and
`plan.json`. Schema {record.SCHEMA}. Numbers that are not finite are the strings `nan`, `inf` and `-inf`.

{tables}"""


def _fields(node: ast.ClassDef) -> str:
    rows = "\n".join(f"| `{name}` | `{kind}` | {meaning} |" for name, kind, meaning in _documented(node))
    return f"## {node.name}\n\n{ast.get_docstring(node)}\n\n| field | type | meaning |\n|---|---|---|\n{rows}\n"


def _documented(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """Each field of a dataclass with its type and the docstring below it."""
    for at, statement in enumerate(node.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            below = node.body[at + 1] if at + 1 < len(node.body) else None
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            meaning = str(below.value.value) if is_text else ""  # type: ignore[union-attr]
            kind = ast.unparse(statement.annotation).replace("|", "\\|")
            yield statement.target.id, kind, " ".join(meaning.replace("``", "`").replace("|", "\\|").split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
