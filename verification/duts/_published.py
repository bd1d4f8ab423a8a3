"""A checkout of the published implementation: where it is, and how it is called, unmodified, on the CPU."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

from bsa._pypto import device_on_cpu, simulate

ROOT: Final = "BSA_ROOT"
"""Environment variable that names the checkout."""
FOLDERS: Final = ("common", "FWD", "BWD")
"""Folders that its modules import each other from."""
_STARTED: Final = Path.cwd()
"""Where this process began: a relative name counts from there, in the process of a case too, which moves elsewhere."""


def root() -> Path | None:
    """The checkout; None where the variable is not set.

    Raises:
        FileNotFoundError: the variable names something else.
    """
    named = os.environ.get(ROOT, "")
    if not named:
        return None
    path = (_STARTED / named).resolve()
    for folder in FOLDERS:
        if not (path / folder).is_dir():
            raise FileNotFoundError(f"{ROOT}={named}: there is no folder {folder}/ in it")
    return path


def sources(*folders: str) -> tuple[str, ...]:
    """Python files of some folders of the checkout; nothing where there is no checkout."""
    try:
        path = root()
    except FileNotFoundError:
        return ()
    return () if path is None else tuple(sorted(str(one) for name in folders for one in (path / name).glob("*.py")))


def call(module: str, function: str, inputs: str, arguments: Mapping[str, Any]) -> tuple[torch.Tensor, ...]:
    """Calls a function of the checkout in this process; its modules stay loaded.

    Args:
        module: for example ``bsa_fwd_impl``.
        function: its function.
        inputs: the type of its one argument; a version without that type takes the same names as plain arguments.
        arguments: by name.

    Returns:
        What it returns, as a tuple.

    Raises:
        TypeError: the function has no parameter for an argument that is not None.
        Exception: whatever the checkout raises.
    """
    with device_on_cpu(), simulate(capture=False):
        found = _import(module)
        packed = getattr(found, inputs, None)
        if packed is not None:
            result = getattr(found, function)(packed(**_accepted(packed, arguments)))
        else:
            plain = getattr(found, function)
            result = plain(**_accepted(plain, arguments))
    return tuple(result)


def _import(module: str) -> ModuleType:
    path = root()
    for folder in FOLDERS:
        if path is not None and str(path / folder) not in sys.path:
            sys.path.insert(0, str(path / folder))
    return importlib.import_module(module)


def _accepted(what: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that there is a parameter for; one without a parameter must say nothing."""
    parameters = inspect.signature(what).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return dict(arguments)
    for name, value in arguments.items():
        if name not in parameters and value is not None:
            raise TypeError(f"{what.__name__}() takes no {name}: {ROOT} names another version of the interface")
    return {name: value for name, value in arguments.items() if name in parameters}


def configuration(block_shape: tuple[int, int]) -> Any:
    """The checkout's ``DEFAULT_CONFIG``, with the call's block shape where it has fields for it."""
    config: Any = getattr(_import("bsa_common"), "DEFAULT_CONFIG", None)
    sizes = {"block_shape_x": block_shape[0], "block_shape_y": block_shape[1]}
    if hasattr(config, "_replace") and set(sizes) <= set(config._fields):
        return config._replace(**sizes)
    return config
