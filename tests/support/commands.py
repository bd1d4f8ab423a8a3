"""Commands without the seconds of a start: a process that has everything imported forks one for each command.

The forked process is a process of its own in every respect that the tests care for: its id, its session, its signals,
its environment, its current folder, its end. Run as a script this module is the process that forks.
"""

import atexit
import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PR_SET_PDEATHSIG = 1


@dataclass
class Command:
    """One command that was started; used like a :class:`subprocess.Popen`."""

    number: int
    pid: int
    server: "Server"
    folder: Path
    returncode: int | None = field(default=None)

    def poll(self):
        """The exit code (negative: the signal), or None while it runs."""
        if self.returncode is None:
            self.returncode = self.server.ended(self.number, timeout=0)
        return self.returncode

    def wait(self, timeout):
        """Waits for the end and returns the exit code."""
        if self.returncode is None:
            self.returncode = self.server.ended(self.number, timeout=timeout)
        if self.returncode is None:
            self.kill()
            raise subprocess.TimeoutExpired(f"command {self.pid}:\n{self.stdout}\n{self.stderr}", timeout)
        return self.returncode

    def kill(self):
        """Kills it and whatever is left of its process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    @property
    def stdout(self):
        """What it has written to standard output so far."""
        return (self.folder / "stdout").read_text(encoding="utf-8")

    @property
    def stderr(self):
        """What it has written to standard error so far."""
        return (self.folder / "stderr").read_text(encoding="utf-8")


class Server:
    """The process that forks, seen from the tests.

    Commands are known by the number of their start: a machine gives a process id again after some ten thousand others.
    """

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="bsa-commands-")
        self._codes = {}
        self._number = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.commands"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        atexit.register(self.close)

    def start(self, argv, *, cwd, env, confine=()):
        """Starts ``bsa-verify ARGV``.

        Args:
            argv: the arguments.
            cwd: its current folder.
            env: its whole environment.
            confine: what is done to the new process first: names in :mod:`tests.support.confine`, each with arguments.
        """
        self._number += 1
        folder = Path(self._folder.name) / str(self._number)
        folder.mkdir()
        for name in ("stdout", "stderr"):
            (folder / name).touch()  # to be read before the command writes
        request = {
            "number": self._number,
            "argv": argv,
            "cwd": str(cwd),
            "env": env,
            "folder": str(folder),
            "confine": confine,
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        while (answer := self._answer(timeout=120)) is None or "started" not in answer:
            assert answer is not None, "the process that forks commands does not answer"
        return Command(number=self._number, pid=answer["started"], server=self, folder=folder)

    def ended(self, number, *, timeout):
        """The exit code of a command, waited for; None when the time is over."""
        deadline = time.monotonic() + timeout
        while number not in self._codes:
            if self._answer(timeout=max(0.0, deadline - time.monotonic())) is None:
                return None
        return self._codes[number]

    def _answer(self, *, timeout):
        ready, _, _ = select.select([self._process.stdout], [], [], timeout)
        if not ready:
            return None
        answer = json.loads(os.read(self._process.stdout.fileno(), _LINE))
        if "ended" in answer:
            self._codes[answer["ended"]] = answer["code"]
        return answer

    def close(self):
        """Ends the process, and with it every command that still runs."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()


_LINE = 64
"""Bytes of an answer: fixed, so that one read gives one."""


def _serve():
    """Forks a process a request, tells how each ended; returns the request in the forked process, None at the end."""
    running = {}
    buffer = b""
    while True:
        ready, _, _ = select.select([0, *running], [], [])
        for descriptor in [one for one in running if one in ready]:
            number, pid = running.pop(descriptor)
            _, status = os.waitpid(pid, 0)
            os.close(descriptor)
            _say(ended=number, code=os.waitstatus_to_exitcode(status))
        if 0 in ready:
            data = os.read(0, 1 << 16)
            if not data:
                return None
            buffer += data
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                request = json.loads(line)
                pid = os.fork()
                if pid == 0:
                    return request
                running[os.pidfd_open(pid)] = request["number"], pid
                _say(started=pid)


def _say(**answer):
    os.write(1, json.dumps(answer).encode().ljust(_LINE))


def _become(request):
    """Turns the forked process into one that a shell could have started."""
    os.setsid()
    # Ignored where the tests run in the background, or under nohup.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    folder = Path(request["folder"])
    for descriptor, path in ((0, os.devnull), (1, folder / "stdout"), (2, folder / "stderr")):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, descriptor)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    from tests.support import confine

    for name, *arguments in request["confine"]:
        getattr(confine, name)(*arguments)


def _main():
    import torch  # noqa: F401
    import xdist  # noqa: F401

    from verification.cli import build_parser, main
    from verification.dut import find_duts

    build_parser()
    find_duts()
    request = _serve()
    if request is None:
        return 0
    _become(request)
    return main(request["argv"])


if __name__ == "__main__":
    sys.exit(_main())
