"""Messages between the backend and its warm parent: JSON lines over a socket pair."""

from __future__ import annotations

import json
import socket
from typing import Any


class Wire:
    """One end of the connection.

    Args:
        connection: a connected stream socket; owned from here on.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._buffer = b""

    def send(self, message: dict[str, Any]) -> None:
        """Sends one message.

        Raises:
            OSError: the other end is gone.
        """
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, timeout: float | None = None) -> dict[str, Any] | None:
        """The next message; None when the other end is gone.

        Args:
            timeout: seconds to wait for each part of it; None = for ever.

        Raises:
            TimeoutError: nothing came in time.
        """
        self.connection.settimeout(timeout)
        while b"\n" not in self._buffer:
            try:
                data = self.connection.recv(1 << 16)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        message = json.loads(line)
        if not isinstance(message, dict):
            raise TypeError(f"message: a JSON object was expected, got {type(message).__name__}")
        return message

    def close(self) -> None:
        """Closes this end."""
        self.connection.close()
