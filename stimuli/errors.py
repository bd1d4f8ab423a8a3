"""The one error type of this package."""

from __future__ import annotations


class StimulusError(ValueError):
    """A case, a parameter or a suite that cannot be made.

    Attributes:
        argument: the parameter or field that is wrong.
        value: what was given.
        legal: what would have been accepted.
    """

    def __init__(self, *, argument: str, value: object, legal: str) -> None:
        self.argument = argument
        self.value = value
        self.legal = legal
        super().__init__(f"{argument} = {value!r} cannot be used: give {legal}")
