"""Running the product as its users do: ``bsa-verify`` in a process of its own."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import verification.runs
from tests.support.commands import Server
from verification.verdicts import final


@cache
def server():
    """The process that forks commands, started when the first one is wanted."""
    return Server()


def environment(env=None):
    """The environment of a command: ours, in English and without colours."""
    return {**os.environ, "LANG": "C.UTF-8", "NO_COLOR": "1", **(env or {})}


def bsa_verify(*arguments, cwd, env=None, timeout=300, confine=()):
    """Runs the command and returns the finished process, output as text."""
    command = start(*arguments, cwd=cwd, env=env, confine=confine)
    code = command.wait(timeout=timeout)
    return subprocess.CompletedProcess(arguments, code, command.stdout, command.stderr)


def start(*arguments, cwd, env=None, confine=()):
    """Starts the command in a session of its own and returns it (:class:`tests.support.commands.Command`)."""
    argv = [str(argument) for argument in arguments]
    return server().start(argv, cwd=cwd, env=environment(env), confine=confine)


def exec_bsa_verify(*arguments, cwd, env=None, timeout=300):
    """Runs the command in a new interpreter, as a shell does; costs the seconds of a start."""
    return subprocess.run(
        [sys.executable, "-m", "verification.cli", *map(str, arguments)],
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        check=False,
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
    return {run.plan.entry(one.case_id).case.label: one.verdict for one in final(run.plan, run.records).values()}
