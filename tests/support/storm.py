"""Kills at random moments of runs, each run resumed until it is complete and compared with an undisturbed one."""

import random
import time
from dataclasses import dataclass, field
from typing import Any

from tests.support.kills import kill_one, outcome
from verification.runs import read_run
from verification.verdicts import EXIT_FAILED, EXIT_INCOMPLETE, outstanding

KILLED = -9
"""Exit code of a controller that was killed."""
_MORE_WORKERS = 0.15
"""How often a run has two workers that needs only one: they cost seconds to start."""


@dataclass
class Storm:
    """Runs with kills. One seed gives the same workers, roles and moments; what they hit depends on the machine.

    Attributes:
        place: where the runs are (:class:`tests.support.place.Place`).
        words: arguments of a run, without its workers, which passes in part: its exit code is 1.
        expected: outcome of the undisturbed run.
        seed: decides all the rest.
        roles: what may be killed; a role that is named twice is hit twice as often.
        spans: the kill falls within so many seconds of a command's start, by number of workers.
        hits: (role, seconds after the start, workers) of every kill, in order.
    """

    place: Any
    words: tuple
    expected: set
    seed: int
    roles: tuple
    spans: dict
    hits: list = field(default_factory=list)

    def __post_init__(self):
        self._rng = random.Random(self.seed)
        self._runs = 0

    def blow(self, kills):
        """Goes on until so many kills have hit something."""
        while len(self.hits) < kills:
            self._one_run(kills)

    def _one_run(self, kills):
        """One run, resumed after each kill until nothing is outstanding."""
        folder = self.place.cwd / "out" / f"run-{self._runs}"
        self._runs += 1
        kept, complete = (), False
        while not complete:
            planned = (folder / "plan.json").exists()
            code = self._command(("--resume", folder) if planned else (*self.words, "--out", folder), kills)
            if (folder / "plan.json").exists():
                run = read_run(folder)
                assert run.records[: len(kept)] == kept, self
                kept = run.records
                complete = code != KILLED and not outstanding(run.plan, kept, earlier=kept)
        assert outcome(run) == self.expected, self

    def _command(self, words, kills):
        """One command, hit if there are kills left; its exit code. Nothing may be left of it but its run."""
        left = len(self.hits) < kills
        role = self._rng.choice(self.roles)
        workers = 2 if left and (role == "worker" or self._rng.random() < _MORE_WORKERS) else 1
        moment = self._rng.random() * self.spans[workers]
        command = self.place.start("run", *words, "-n", workers)
        hit = False
        if left:
            time.sleep(moment)
            hit = kill_one(command, role, self._rng)
            if hit:
                self.hits.append((role, round(moment, 3), workers))
        code = command.wait(timeout=600)
        allowed = {KILLED} if hit and role == "controller" else {EXIT_FAILED, EXIT_INCOMPLETE}
        assert code in allowed, f"{code}: {command.stdout}\n{command.stderr}\n{self}"
        self.place.assert_nothing_left(drafts=code == KILLED)
        return code
