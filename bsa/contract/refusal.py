"""How a rule refuses: every error names a rule of the table and the profile it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bsa.contract.rules import RULES
from bsa.errors import INVALID, ContractError


@dataclass(frozen=True)
class Refuse:
    """Makes the errors of one profile.

    Attributes:
        profile: name of the profile, ``pypto`` or ``aclnn``.
        names: what the caller calls our arguments, where that differs.
    """

    profile: str
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, argument: str) -> str:
        """What the caller calls an argument; an index in brackets is kept."""
        bare, bracket, index = argument.partition("[")
        return self.names.get(bare, bare) + bracket + index

    def __call__(
        self, rule: str, *, argument: str, value: object, legal: str, fix: str = "", code: int = INVALID
    ) -> ContractError:
        """The error of a rule; the caller raises it.

        Raises:
            KeyError: the table has no such rule, a fault of this package.
        """
        return ContractError(
            RULES[rule].id,
            argument=self.name(argument),
            value=value,
            legal=legal,
            fix=fix,
            code=code,
            profile=self.profile,
        )
