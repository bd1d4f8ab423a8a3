"""Where a command runs in a test, and the proof that it left no process and no litter."""

import contextlib
import os
import signal
import time
import uuid
from pathlib import Path

from tests.support import runs
from verification.drafts import PREFIX

MARK = "BSA_TEST_MARK"
"""Environment variable that every process started by a command inherits."""
RUN_FILES = {
    *("plan.json", "records.jsonl", "manifest.jsonl", "pytest.log", "artefacts", "sources"),
    *("index.html", "report.md", "report.json", "junit.xml"),
}
"""What a run's folder may hold."""


class Place:
    """A current folder, a scratch folder and a temporary folder for commands.

    Attributes:
        cwd: where commands run.
        scratch: what ``BSA_SCRATCH`` names.
        temporary: what ``TMPDIR`` names.
        env: the variables of the commands.
    """

    def __init__(self, folder):
        self.cwd, self.scratch, self.temporary = (folder / name for name in ("here", "scratch", "temporary"))
        for one in (self.cwd, self.scratch, self.temporary):
            one.mkdir()
        self._mark = uuid.uuid4().hex
        self._commands = []
        self.uid = os.getuid()
        self.env = {MARK: self._mark, "BSA_SCRATCH": str(self.scratch), "TMPDIR": str(self.temporary)}

    def start(self, *arguments, env=None, confine=()):
        """Starts ``bsa-verify ARGUMENTS`` here."""
        command = runs.start(*arguments, cwd=self.cwd, env={**self.env, **(env or {})}, confine=confine)
        self._commands.append(command)
        return command

    def bsa_verify(self, *arguments, env=None, confine=(), timeout=600):
        """Runs ``bsa-verify ARGUMENTS`` here; returns the ended command."""
        command = self.start(*arguments, env=env, confine=confine)
        command.wait(timeout=timeout)
        return command

    def fake(self, *suite, seconds=0.0, workers=1, **behaviours):
        """Arguments of a run of the toy DUT on the fake backend; without workers, their number is left to add."""
        path = runs.behaviours(self.cwd.parent, default="run", behaviours=behaviours, seconds=seconds)
        backend = ("--backend", "fake", "--behaviours", path, *(("-n", workers) if workers else ()))
        return ("run", *backend, "--dut", "toy.double", "--suite", *suite)

    def sim(self, *cases, suite="toy", workers=1):
        """Arguments of a run of the toy DUT in the simulator."""
        return ("run", "--dut", "toy.double", "--suite", suite, "--cases", *cases, "-n", workers)

    def run(self):
        """The newest run here."""
        return runs.run_of(self.cwd)

    def processes(self):
        """Ids of the processes that commands started here and that are still there."""
        return [command.pid for command in self._commands if command.poll() is None] + [
            int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and self._is_ours(entry)
        ]

    def _is_ours(self, entry):
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            return state != "Z" and f"{MARK}={self._mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            return False

    def wait_until_alone(self, seconds=60):
        """Waits until no process is left; returns those that are."""
        deadline = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def assert_clean(self):
        """Nothing left, after an end of whatever was."""
        try:
            self.assert_nothing_left()
        finally:
            for one in self.processes():  # not the groups of ended commands: their ids may be somebody else's by now
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)

    def assert_nothing_left(self, *, drafts=False):
        """No process, no scratch folder, no temporary file, no foreign file in a run's folder.

        Args:
            drafts: whether files may be there that a killed process was writing: the next command removes them.
        """
        assert self.wait_until_alone() == []
        assert list(self.scratch.iterdir()) == []
        assert list(self.temporary.iterdir()) == []
        names = {path.name for run in self.cwd.glob("out/*") for path in run.iterdir()}
        assert {name for name in names if not (drafts and name.startswith(PREFIX))} <= RUN_FILES
