"""The one error that a call outside the contract raises."""

from __future__ import annotations

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
        other: what the other contract says of the same call, as text; empty where only one contract exists.
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
    ) -> None:
        self.rule = rule
        self.argument = argument
        self.value = value
        self.legal = legal
        self.fix = fix
        self.code = code
        self.profile = profile
        self.other = other
        super().__init__(self._text())

    def _text(self) -> str:
        parts = [f"{self.argument} = {self.value!r} is refused by rule {self.rule!r} of profile {self.profile!r}"]
        parts.append(f"legal: {self.legal}")
        parts += [part for part in (self.fix, self.other) if part]
        return "; ".join(parts) + f" (code {self.code})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles by keyword, so that the error survives a process boundary with all its fields."""
        fields = {key: self.__dict__[key] for key in ("argument", "value", "legal", "fix", "code", "profile", "other")}
        return _rebuild, (self.rule, fields)


def _rebuild(rule: str, fields: dict[str, object]) -> ContractError:
    return ContractError(rule, **fields)  # type: ignore[arg-type]  # the fields of a ContractError, by name
