"""What tox.ini cannot say; tox loads this file by itself.

- A C++ compiler cannot come from pip, so it is looked for before pip downloads anything.
- The environments share one folder. tox notes in that folder which environment owns it, and would rebuild it for the
  next one; the note is removed when an environment ends. If a later tox keeps it elsewhere, the folder is rebuilt when
  another environment uses it: slower, and still right.
- The environment for cards does not exist yet, and says so with the exit code of a machine that lacks something.
"""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

from tox.plugin import impl

if TYPE_CHECKING:
    from tox.tox_env.api import ToxEnv

COMPILING = {"sim", "test", "nightly"}
"""The environments that run PyPTO's simulator, which compiles C++."""

INSTALL_COMPILER = """PyPTO's simulator compiles C++. Install with:
  sudo apt-get install -y g++ make      (Debian, Ubuntu)
  sudo dnf install -y gcc-c++ make      (openEuler, Fedora; yum on CentOS)"""

ENVIRONMENT_ERROR = 4
"""The exit code that bsa-verify uses for a machine that lacks something."""


@impl
def tox_on_install(tox_env: ToxEnv, arguments: object, section: str, of_type: str) -> None:  # noqa: ARG001
    """Stop before the first download when what pip cannot bring is missing.

    Raises:
        SystemExit: with code 4; tox makes it the exit code of the environment.
    """
    missing = [tool for tool in ("g++", "make") if shutil.which(tool) is None]
    if missing and tox_env.conf.name in COMPILING:
        print(f"{tox_env.conf.name}: {' and '.join(missing)} not found on PATH. {INSTALL_COMPILER}", file=sys.stderr)  # noqa: T201
        raise SystemExit(ENVIRONMENT_ERROR)


@impl
def tox_before_run_commands(tox_env: ToxEnv) -> None:
    """Say that there is no environment for cards yet.

    Raises:
        SystemExit: with code 4.
    """
    if tox_env.conf.name == "npu":
        print("npu: this version runs in the simulator only (tox -e sim); nothing was installed", file=sys.stderr)  # noqa: T201
        raise SystemExit(ENVIRONMENT_ERROR)


@impl
def tox_env_teardown(tox_env: ToxEnv) -> None:
    """Leave the shared folder without an owner."""
    note = tox_env.env_dir / ".tox-info.json"
    if tox_env.env_dir.name == "py" and note.is_file():
        content = json.loads(note.read_text(encoding="utf-8"))
        content.pop("ToxEnv", None)
        note.write_text(json.dumps(content, indent=2), encoding="utf-8")
