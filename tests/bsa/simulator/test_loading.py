"""Loading PyPTO leaves a process that may fork and that logs as before."""

import subprocess
import sys
from pathlib import Path

import pytest

from bsa._pypto import PyptoEnvironmentError, loading

SCRIPT = """
import logging, os
from bsa._pypto import load
before = logging.getLogger().level, list(logging.getLogger().handlers)
assert load() is load()
assert (logging.getLogger().level, list(logging.getLogger().handlers)) == before
print(len(os.listdir("/proc/self/task")))
"""


def test_one_thread_and_untouched_logging_after_load():
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_cann_that_does_not_load_is_named(monkeypatch):
    def fail(name, *_args):
        raise OSError("libc_sec.so: cannot open shared object file")

    monkeypatch.setenv("ASCEND_HOME_PATH", "/opt/cann")
    monkeypatch.delitem(sys.modules, "pypto", raising=False)
    monkeypatch.setattr("builtins.__import__", fail)
    with pytest.raises(PyptoEnvironmentError, match="unset ASCEND_HOME_PATH"):
        loading._import()
