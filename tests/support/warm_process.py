"""A process that has loaded PyPTO and never compiled: it forks a child per call, so that kernels do not meet.

Run as a script it is that process. It reads pickled calls from its standard input and answers on its standard output.
"""

from __future__ import annotations

import importlib
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<q")


class WarmProcess:
    """Calls functions in children forked from a process that has PyPTO loaded."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.support.warm_process"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, cwd=Path(__file__).parents[2], **pipes)

    def __call__(self, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Return what ``function`` returns in a fresh process; raise what it raises there.

        Args:
            function: a function at the top level of a module, which the child imports by name.
            args: picklable.
            kwargs: picklable.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        _send(self._process.stdin, (function.__module__, function.__name__, args, kwargs))
        answer, failed = _receive(self._process.stdout)
        if failed:
            raise answer
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def _send(stream: BinaryIO, message: object) -> None:
    payload = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(payload)) + payload)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    header = stream.read(_LENGTH.size)
    if not header:
        raise EOFError("the other process has ended")
    return pickle.loads(stream.read(_LENGTH.unpack(header)[0]))  # noqa: S301 - our own child wrote it


def _call(request: tuple[str, str, tuple[object, ...], dict[str, object]]) -> tuple[object, bool]:
    module, name, args, kwargs = request
    try:
        return getattr(importlib.import_module(module), name)(*args, **kwargs), False
    except Exception as error:  # noqa: BLE001 - handed to the caller, whatever it is
        return error, True


def _in_child(request: Any) -> Any:
    """Call in a forked child and read its answer from a pipe; its death is an answer too."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "wb") as stream:
            _send(stream, _call(request))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        try:
            answer = _receive(stream)
        except EOFError:
            answer = None
    _, status = os.waitpid(child, 0)
    return answer or (RuntimeError(f"the child died with status {status}"), True)


def _serve() -> None:
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import pytest  # noqa: F401 - the test modules need it: imported once here instead of in every child
    import torch  # noqa: F401

    from bsa._pypto import load

    load()
    while True:
        try:
            request = _receive(requests)
        except EOFError:
            return
        _send(answers, _in_child(request))


if __name__ == "__main__":
    _serve()
