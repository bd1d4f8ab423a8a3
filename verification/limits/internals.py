"""What this project touches inside PyPTO, and what of it an installed PyPTO lacks.

``python -m verification.limits.internals`` prints the missing names, one a line.
"""

from __future__ import annotations

import sys
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Final

NAMES: Final = (
    ("pypto", "RunMode.SIM"),
    ("pypto", "options"),
    ("pypto", "get_verify_options"),
    ("pypto", "pypto_impl.SetVerifyData"),
    ("pypto._controller", "loop"),
    ("pypto._controller", "cond"),
    ("pypto.frontend.parser.entry", "JitCallableWrapper.__call__"),
    ("pypto.frontend.parser.entry", "JitCallableWrapper._setup_verify_data"),
    ("pypto.frontend.parser.entry", "JitCallableWrapper._execute_kernel"),
    ("pypto.frontend.parser.entry", "JitCallableWrapper._set_run_mode"),
    ("pypto.frontend.parser.entry", "BuildOnlineManager"),
    ("pypto.frontend.parser.entry", "_pto_verify_datas.get_data"),
    ("pypto.frontend.parser.entry", "_pto_to_tensor_data"),
    ("pypto.frontend.parser.parser", "Parser"),
)
"""(module, dotted name)."""
FILES: Final = ("lib/configs/tile_fwk_config.json", "lib/calculator", "lib/libtile_fwk_interface.so")
"""Below the package's folder."""


def missing() -> list[str]:
    """Names and files that the installed PyPTO lacks; imports it."""
    import pypto

    folder = Path(str(pypto.__file__)).parent
    lacking = [f"{module}.{name}" for module, name in NAMES if not _has(module, name)]
    return lacking + [name for name in FILES if not (folder / name).exists()]


def _has(module: str, name: str) -> bool:
    try:
        reduce(getattr, name.split("."), import_module(module))
    except (AttributeError, ImportError):
        return False
    return True


if __name__ == "__main__":
    for line in missing():
        sys.stdout.write(line + "\n")
