"""The three ways in which PyPTO's simulator can refuse to serve: environment, version, kernel."""

from __future__ import annotations

from bsa._pypto.telling import telling_first


class PyptoEnvironmentError(RuntimeError):
    """Something outside this package is missing or unfit: a compiler, a writable folder, PyPTO itself.

    The text names what is missing and the command that brings it.
    """


class PyptoVersionError(PyptoEnvironmentError):
    """The installed PyPTO is not the one this package was qualified with."""


class KernelError(RuntimeError):
    """A kernel failed while PyPTO traced, compiled or simulated it.

    PyPTO reports the failure that follows from a failure; this error carries the first one.
    """

    def __init__(
        self,
        reason: str,
        *,
        kernel: str = "",
        line: int | None = None,
        masked_by: str = "",
        log_tail: str = "",
    ) -> None:
        where = f"kernel {kernel!r}" if kernel else "kernel"
        place = f" (line {line})" if line else ""
        super().__init__(f"{where} failed{place}: {telling_first(reason)}")
        self.reason = reason
        """The true error, with its type, as PyPTO logged it or, failing that, raised it."""
        self.kernel = kernel
        """Name of the kernel's Python function; empty when PyPTO did not say."""
        self.line = line
        """Line of the kernel's file at which the trace stopped, when known."""
        self.masked_by = masked_by
        """What PyPTO raised in its place; empty when the two are one."""
        self.log_tail = log_tail
        """The last lines that PyPTO and its children wrote to stdout and stderr."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by keyword, so that the error crosses a process boundary with all its fields."""
        return _rebuild, (self.reason, self.kernel, self.line, self.masked_by, self.log_tail)


def _rebuild(reason: str, kernel: str, line: int | None, masked_by: str, log_tail: str) -> KernelError:
    return KernelError(reason, kernel=kernel, line=line, masked_by=masked_by, log_tail=log_tail)
