"""Imports PyPTO so that its simulator gives right numbers."""

from __future__ import annotations

import logging
import os
from typing import Any

from bsa._pypto.calculator import load_calculator
from bsa._pypto.environment import package_folder, prepare_environment
from bsa._pypto.errors import PyptoEnvironmentError
from bsa._pypto.toolchain import require_compiler
from bsa._pypto.version import check_version

_loaded: Any = None


def load() -> Any:
    """Return the ``pypto`` module, ready to simulate with numbers.

    Checks the C++ compiler and the version, prepares the environment, imports PyPTO, loads the calculator from the
    cache and installs the one patch that simulation needs. It compiles no kernel, starts no thread and runs no torch
    operation: a process that has called it may fork children that simulate. Calling it again costs nothing.

    Raises:
        PyptoEnvironmentError: something is missing, with the line that installs it.
        PyptoVersionError: PyPTO is installed in a version that was not qualified.
    """
    global _loaded  # noqa: PLW0603  # one PyPTO per process, as PyPTO has it
    if _loaded is None:
        require_compiler()
        check_version()
        prepare_environment()
        pypto = _import()
        load_calculator(package_folder())
        _patch_verify_data(pypto)
        _loaded = pypto
    return _loaded


def _import() -> Any:
    """Import PyPTO and undo what it does to logging (DEBUG for the whole process)."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        import pypto
    except OSError as error:
        home = os.environ.get("ASCEND_HOME_PATH")
        if home:
            raise PyptoEnvironmentError(
                f"import pypto failed ({error}): ASCEND_HOME_PATH is {home!r}, but CANN's libraries do not load. "
                "For the simulator unset ASCEND_HOME_PATH; for a card source CANN's set_env.sh",
            ) from error
        raise PyptoEnvironmentError(f"import pypto failed: {error}") from error
    finally:
        root.setLevel(level)
        for handler in set(root.handlers) - set(handlers):
            root.removeHandler(handler)
    return pypto


def _patch_verify_data(pypto: Any) -> None:
    """Hand host tensors straight to the interpreter.

    Without a card PyPTO copies them through a stub that zeroes inputs and outputs
    (``JitCallableWrapper._setup_verify_data``). Tensors on a device still go PyPTO's own way.
    """
    from pypto.frontend.parser import entry

    entry.BuildOnlineManager().calculator_loaded = True
    stock = entry.JitCallableWrapper._setup_verify_data  # noqa: SLF001  # the one patch

    def set_up(tensors: list[Any]) -> None:
        if any(tensor.device.type != "cpu" for tensor in tensors):
            stock(tensors)
        elif pypto.get_verify_options().get("enable_pass_verify"):
            goldens = entry._pto_verify_datas.get_data()  # noqa: SLF001
            pypto.pypto_impl.SetVerifyData(entry._pto_to_tensor_data(tensors), [], goldens)  # noqa: SLF001

    entry.JitCallableWrapper._setup_verify_data = staticmethod(set_up)  # noqa: SLF001
