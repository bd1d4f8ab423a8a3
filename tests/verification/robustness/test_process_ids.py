"""Process ids come again: on a machine that has started some ten thousand processes two commands have the same one."""

import json
import os
import subprocess
import sys

from tests.support.commands import ROOT
from verification.verdicts import EXIT_USAGE

TWO_COMMANDS = """
import json, os, sys
from pathlib import Path
from tests.support.commands import Server

server = Server()
ends = []
for argv in (["no-such-command"], ["lint", "--help"]):
    command = server.start(argv, cwd=sys.argv[1], env=dict(os.environ))
    ends.append((command.pid, command.wait(timeout=120), bool(command.stdout)))
    Path("/proc/sys/kernel/ns_last_pid").write_text(str(ends[0][0] - 1))
server.close()
print(json.dumps(ends))
"""


def test_two_commands_with_one_id(tmp_path):
    """What the tests are told of the second is its own end, waited for, and not that of the first."""
    own_ids = ["unshare", *(["--user", "--map-root-user"] if os.getuid() else []), "--pid", "--fork", "--mount-proc"]
    done = subprocess.run(
        [*own_ids, sys.executable, "-c", TWO_COMMANDS, tmp_path],
        cwd=ROOT,
        env={**os.environ, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (first, refused, _), (second, helped, printed) = json.loads(done.stdout)
    assert first == second
    assert (refused, helped, printed) == (EXIT_USAGE, 0, True)
