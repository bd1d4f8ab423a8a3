"""What can go wrong with a backend itself, as opposed to a case."""

from __future__ import annotations


class BackendError(Exception):
    """The backend cannot run anything here: something of the environment is missing. Leads to exit code 4."""
