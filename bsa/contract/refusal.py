"""How a rule refuses: every error names a rule of the table and the profile it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from bsa.contract.rules import RULES
from bsa.errors import INVALID, ContractError


@dataclass(frozen=True)
class Refuse:
    """Makes the errors of one profile.

    Attributes:
        profile: name of the profile, ``pypto`` or ``aclnn``.
    """

    profile: str

    def __call__(
        self, rule: str, *, argument: str, value: object, legal: str, fix: str = "", code: int = INVALID
    ) -> ContractError:
        """The error of a rule; the caller raises it.

        Raises:
            KeyError: the table has no such rule, a fault of this package.
        """
        return ContractError(
            RULES[rule].id,
            argument=argument,
            value=value,
            legal=legal,
            fix=fix,
            code=code,
            profile=self.profile,
        )
