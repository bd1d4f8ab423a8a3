"""While a run goes on: a bar on a terminal, plain lines elsewhere, the first red at once."""

import re
import subprocess
import sys
import time

import pytest
from rich.cells import cell_len

from tests.support import runs
from tests.support.terminal import Terminal
from verification.journal import read_journal


@pytest.fixture
def terminal(request):
    made = Terminal(getattr(request, "param", 80))
    yield made
    made.close()


def _watch(command, terminal):
    """Reads the terminal until the command ends."""
    while command.poll() is None:
        terminal.read()
        time.sleep(0.01)
    return command.returncode


def _start(shell, terminal, *arguments, env=None):
    confine = (("on_terminal", terminal.name),)
    return runs.start(
        *arguments, cwd=shell.cwd, env={"TERM": "xterm", "COLUMNS": "", "LINES": "", **(env or {})}, confine=confine
    )


def test_bar_counts_and_tells_how_long_it_takes(shell, terminal):
    """The bar shows passed, failed, left and the time left; passing cases get no line; what did not pass does."""
    command = _start(shell, terminal, *shell.fake(seconds=0.3, rows_128="zeros"))
    assert _watch(command, terminal) == 1
    lines = terminal.lines()
    bars = [line for line in lines if "left" in line]
    assert any(re.search(r"^[━ ]+ 0 passed, 0 failed, 3 left$", line) for line in bars)
    assert any(re.search(r"^━[━ ]+ 1 passed, 0 failed, 2 left, about \d+ s$", line) for line in bars)
    assert any(re.search(r"^━[━ ]+ 1 passed, 1 failed, 1 left, about \d+ s$", line) for line in bars)
    assert not any("PASS" in line for line in lines)
    assert "[2/3] FAIL     toy.double rows 128" in "\n".join(lines)
    assert lines[-1] == "2 passed, 1 failed"


@pytest.mark.parametrize("terminal", [80, 40, 10], indirect=True)
def test_bar_fits_the_terminal(shell, terminal):
    """Whatever the width, no state of the bar is wider, and its words are whole where they can be."""
    columns = terminal.columns
    assert _watch(_start(shell, terminal, *shell.fake(seconds=0.2)), terminal) == 0
    bars = [line for line in terminal.lines() if "left" in line or "…" in line]
    assert bars
    assert max(len(line) for line in bars) <= columns, bars
    if columns >= 40:
        assert any("1 passed, 0 failed, 2 left, about" in line for line in bars)


def test_verbose_prints_every_case_beside_the_bar(shell, terminal):
    """``-v`` gives passing cases their line on a terminal, too."""
    assert _watch(_start(shell, terminal, *shell.fake("-v", seconds=0.1)), terminal) == 0
    shown = "\n".join(terminal.lines())
    assert all(f"[{n}/3] PASS     toy.double rows {64 * n}" in shown for n in (1, 2, 3))


def test_colours_on_a_terminal_only_where_they_are_wanted(shell, terminal):
    """A terminal gets red; one with NO_COLOR set gets the same words without any colour."""
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
    assert _watch(_start(shell, terminal, *shell.fake(rows_64="crash"), env={"NO_COLOR": "1"}), terminal) == 1
    assert "CRASH" in terminal.read()
    assert not colour.search(terminal.raw)
    plain = len(terminal.raw)
    assert _watch(_start(shell, terminal, *shell.fake(rows_64="crash"), env={"NO_COLOR": ""}), terminal) == 1
    terminal.read()
    assert colour.search(terminal.raw[plain:])


@pytest.mark.parametrize("env", [{}, {"FORCE_COLOR": "1"}, {"TERM": "xterm"}], ids=str)
def test_plain_lines_where_there_is_no_terminal(shell, env):
    """A pipe or a file gets one line a case and no control sequence that moves anything, whatever is set."""
    done = shell(*shell.fake(rows_64="zeros"), env={**env, "NO_COLOR": "1"})
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert [line[:15] for line in lines if line.startswith("[")] == [
        "[1/3] FAIL     ",
        "[2/3] PASS     ",
        "[3/3] PASS     ",
    ]
    assert not re.search(r"\x1b\[[0-9;?]*[A-KSThl]|\r|━", done.stdout)
    assert lines[-1] == "2 passed, 1 failed"


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(shell, terminal):
    """TERM=dumb (an editor's window): as in a pipe."""
    assert _watch(_start(shell, terminal, *shell.fake(), env={"TERM": "dumb"}), terminal) == 0
    assert sum("PASS" in line for line in terminal.lines()) == 3
    assert "━" not in terminal.raw


def test_first_red_is_printed_when_it_happens(shell):
    """While the second case still runs, the first one's failure is there: reason, place, command that repeats it."""
    command = runs.start(*shell.fake(seconds=1.5, rows_64="zeros"), cwd=shell.cwd)
    while "bsa-verify replay" not in command.stdout and command.poll() is None:
        time.sleep(0.02)
    said = command.stdout
    assert command.poll() is None, "the run had ended before the failure was printed"
    (plan,) = shell.cwd.glob("out/*/plan.json")
    assert len(read_journal(plan.parent).records) == 1
    assert said.startswith("[1/3] FAIL     toy.double rows 64")
    assert re.search(r"^    out: \w+: .+$", said, re.MULTILINE)
    assert said.splitlines()[-1].startswith("    bsa-verify replay ")
    command.kill()
    command.wait(timeout=60)


def test_closed_streams_cost_the_words_only(shell):
    """A daemon may start a run with no stream open: records and report are as ever, none is written into them."""
    words = [sys.executable, "-m", "verification.cli", *map(str, shell.fake())]
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words]
    assert subprocess.run(closed, cwd=shell.cwd, env=runs.environment(), check=False).returncode == 0
    run = runs.run_of(shell.cwd)
    assert set(runs.verdicts(run).values()) == {"PASS"}
    assert (run.path / "index.html").exists()


def test_the_columns_of_doctor_line_up_in_chinese(tmp_path):
    """A Chinese character is two columns wide: all names begin in the same column."""
    done = runs.exec_bsa_verify("--lang", "zh", "doctor", cwd=tmp_path)
    lines = done.stdout.splitlines()
    found = [line.partition(name)[0] for name in ("torch", "Ascend card") for line in lines if name in line[:24]]
    assert {cell_len(before) for before in found} == {9}, done.stdout


def test_a_terminal_without_some_characters_gets_the_rest(tmp_path):
    """Chinese and signs on a terminal of another encoding: question marks instead of a traceback."""
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = runs.exec_bsa_verify("--lang", "zh", "doctor", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "??" in done.stdout
    assert done.stderr == ""
