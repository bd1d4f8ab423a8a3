"""A terminal of a given width, for a command to write to, and what it showed."""

import contextlib
import fcntl
import os
import re
import struct
import termios

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A pseudo-terminal.

    Attributes:
        columns: its width.
        name: its file, for :func:`tests.support.confine.on_terminal`.
        raw: what was written to it so far, control sequences included.
    """

    def __init__(self, columns):
        self._master, self._slave = os.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        os.set_blocking(self._master, False)
        self.name = os.ttyname(self._slave)
        self.columns = columns
        self.raw = ""

    def read(self):
        """Takes what was written since; returns all of it so far without control sequences."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._master, 1 << 16):
                self.raw += data.decode()
        return _CONTROL.sub("", self.raw)

    def lines(self):
        """Every line that was shown at some time, the bar's earlier states included."""
        return [line.rstrip() for line in re.split(r"[\r\n]+", self.read()) if line.strip()]

    def close(self):
        """Lets go of it."""
        os.close(self._master)
        os.close(self._slave)
