"""What each rule asks, in words of a language."""

from __future__ import annotations

from collections.abc import Sequence

from bsa.contract.profile import PROFILES, REFERENCE, Profile
from bsa.messages import Catalogue


def asks(rule: str, profile: str, messages: Catalogue) -> str:
    """What a rule asks in a profile.

    Args:
        rule: a key of ``RULES``.
        profile: ``pypto``, ``aclnn`` or ``reference``; the limits of ``pypto`` stand for a name that is none of these.
        messages: the language.
    """
    known = {**PROFILES, REFERENCE.name: REFERENCE}
    return messages.text(f"contract.rule.{rule}", **_limits(known.get(profile, PROFILES["pypto"]), messages))


def _limits(profile: Profile, messages: Catalogue) -> dict[str, str]:
    """What the placeholders of those messages mean in a profile."""
    blocks = messages.text("contract.limit.positive")
    if profile.block_maximum is not None:
        rows, columns = profile.block_maximum
        blocks = messages.text("contract.limit.multiple", step=profile.block_step, rows=rows, columns=columns)
    lse = "[B, Hq, S, 1]; TND: [T, Hq, 1]"
    if profile.flat_lse:
        lse = "[B, Hq, S], [B, Hq, S, 1]; TND: [T, Hq], [T, Hq, 1]"
    return {
        "layouts": _either(profile.layouts, messages),
        "dtypes": _either([str(dtype).removeprefix("torch.") for dtype in profile.dtypes], messages),
        "head_dims": _either(profile.head_dims, messages),
        "blocks": blocks,
        "block_entries": messages.text(f"contract.limit.{'more' if profile.block_entries_beyond_two else 'two'}"),
        "lse_shapes": lse,
    }


def _either(values: Sequence[object] | None, messages: Catalogue) -> str:
    """Values as "a, b or c"; None = any."""
    if values is None:
        return messages.text("contract.limit.any")
    *others, last = map(str, values)
    return messages.text("contract.limit.or", first=", ".join(others), last=last) if others else last
