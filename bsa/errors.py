"""The one error that a call outside the contract raises."""

from __future__ import annotations

from typing import Any

from bsa.messages import catalogue

NULL = 161001
"""CANN's code for a required pointer that is null (``ACLNN_ERR_PARAM_NULLPTR``)."""
INVALID = 161002
"""CANN's code for an argument outside its contract (``ACLNN_ERR_PARAM_INVALID``)."""


class ContractError(ValueError):
    """A call lies outside the contract. Raised before anything is compiled or allocated.

    Attributes:
        rule: name of the rule that refused, for example ``heads-ratio``; ``bsa.contract.RULES`` documents each.
        argument: name of the offending argument; the first of them where several disagree.
        value: the offending value: a shape, a number, a name. Never a tensor, so that the error pickles small.
        legal: the legal range, as text.
        fix: what to do, as text; may be empty.
        code: 161001 when a required argument is null, else 161002.
        profile: the contract that refused, ``pypto`` or ``aclnn``.
        other: the other contract's name; empty where a call knows only one.
        other_rule: the rule by which the other contract refuses the same call; empty if it accepts.
    """

    def __init__(
        self,
        rule: str,
        *,
        argument: str,
        value: object,
        legal: str,
        fix: str = "",
        code: int = INVALID,
        profile: str = "pypto",
        other: str = "",
        other_rule: str = "",
    ) -> None:
        self.rule = rule
        self.argument = argument
        self.value = value
        self.legal = legal
        self.fix = fix
        self.code = code
        self.profile = profile
        self.other = other
        self.other_rule = other_rule
        super().__init__(rule)

    def compared(self, other: str, other_rule: str) -> ContractError:
        """The same error, knowing what another profile says of the call.

        Args:
            other: name of the other profile.
            other_rule: the rule by which it refuses; empty if it accepts.
        """
        return ContractError(self.rule, **{**self._fields(), "other": other, "other_rule": other_rule})

    def __str__(self) -> str:
        return self.text()

    def text(self, language: str = "en") -> str:
        """The error in words: argument, value, rule, legal range, what to do, what the other profile says, code.

        Args:
            language: ``en`` or ``zh``; the legal range and what to do are in English in both.

        Raises:
            ValueError: no such language.
        """
        from bsa.contract.words import asks

        messages = catalogue(language)
        stated = asks(self.rule, self.profile, messages)
        given = {"argument": self.argument, "value": repr(self.value), "rule": self.rule, "profile": self.profile}
        parts = [messages.text("contract.refused", **given, asks=stated)]
        parts.append(messages.text("contract.legal", legal=self.legal))
        if self.fix:
            parts.append(self.fix)
        if self.other_rule:
            parts.append(messages.text("contract.refuses", other=self.other, rule=self.other_rule))
        elif self.other:
            parts.append(messages.text("contract.accepts", other=self.other))
        return "; ".join([*parts, messages.text("contract.code", code=self.code)])

    def _fields(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "rule"}

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles by keyword, so that the error survives a process boundary with all its fields."""
        return _rebuild, (self.rule, self._fields())


def _rebuild(rule: str, fields: dict[str, Any]) -> ContractError:
    return ContractError(rule, **fields)
