"""Errors that the command line turns into one line and an exit code."""

from __future__ import annotations


class UsageError(Exception):
    """The user asked for something that does not exist or cannot be: exit code 2."""


class EnvironmentMissingError(Exception):
    """Something outside this project is missing: exit code 4."""
