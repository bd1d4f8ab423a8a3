"""Running the product as its users do: ``bsa-verify`` in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import verification.runs


def bsa_verify(*arguments, cwd, env=None, timeout=300):
    """Runs the command and returns the finished process, output as text."""
    return subprocess.run(
        [sys.executable, "-m", "verification.cli", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "LANG": "C.UTF-8", "NO_COLOR": "1", **(env or {})},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        check=False,
    )


def start(*arguments, cwd, env=None):
    """Starts the command in a process group of its own and returns it."""
    return subprocess.Popen(
        [sys.executable, "-m", "verification.cli", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "LANG": "C.UTF-8", "NO_COLOR": "1", **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def behaviours(folder, **content):
    """Writes a file for ``--behaviours`` and returns its path."""
    path = Path(folder) / "behaviours.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def run_of(folder):
    """The only run in a folder's ``out``."""
    return verification.runs.read_run(verification.runs.find_run("latest", Path(folder) / "out"))


def verdicts(run):
    """Verdict by case name."""
    from verification.verdicts import final

    return {run.plan.entry(one.case_id).case.label: one.verdict for one in final(run.plan, run.records).values()}
