"""Labels that data choose: a verdict's word, a rule's meaning, a field's name. Unknown ones stay as they are."""

from __future__ import annotations

from dataclasses import dataclass

from bsa.messages import Catalogue


@dataclass(frozen=True)
class Labels:
    """Looks up what is keyed by data."""

    messages: Catalogue

    def verdict(self, verdict: str) -> str:
        """What a verdict means, in one line."""
        return self.messages.find(f"verdict.{verdict}", verdict)

    def rule(self, rule: str) -> str:
        """What a rule of the criterion asks for, in one line; empty if it is not known."""
        return self.messages.find(f"rule.{rule}")

    def field(self, name: str) -> str:
        """The name of a field of the environment table."""
        return self.messages.find(f"report.environment.field.{name}", name)

    def blind(self, key: str, part: str) -> str:
        """``title`` or ``why`` of an entry of the fidelity ledger."""
        return self.messages.find(f"fidelity.{key}.{part}", key)
