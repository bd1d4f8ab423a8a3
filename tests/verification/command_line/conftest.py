"""A folder to run commands in, with cheap runs of the toy DUT on the fake backend."""

import pytest

from tests.support import runs


class Shell:
    """Commands in one folder.

    Attributes:
        cwd: the folder.
    """

    def __init__(self, cwd):
        self.cwd = cwd

    def __call__(self, *arguments, **options):
        """Runs ``bsa-verify ARGUMENTS``; returns the finished process."""
        return runs.bsa_verify(*arguments, cwd=self.cwd, **options)

    def fake(self, *more, suite=("toy",), seconds=0.0, **behaviours):
        """Arguments of a run of the toy DUT in which each case behaves as declared: by name, ``run`` by default."""
        names = {name.replace("_", " "): behaviour for name, behaviour in behaviours.items()}
        path = runs.behaviours(self.cwd, default="run", behaviours=names, seconds=seconds)
        fixed = ("--backend", "fake", "--behaviours", path, "-n", 1, "--dut", "toy.double")
        return ("run", *fixed, "--suite", *suite, *more)


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)
