"""One clear line out of what PyPTO, torch and C++ say on many."""

from __future__ import annotations

LONGEST = 400
"""Characters of a reason, beyond which it is cut: it stands in tables."""


def one_line(text: str) -> str:
    """The first line that says something, its blanks single; a line that only announces the next one has it joined.

    Args:
        text: any text.

    Returns:
        At most ``LONGEST`` characters without a line break; ``…`` where something was left out.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    kept = lines[0] if lines else ""
    used = 1
    while kept.endswith(":") and used < len(lines):
        kept = f"{kept} {lines[used]}"
        used += 1
    if len(kept) > LONGEST:
        return kept[: LONGEST - 1].rstrip() + "…"
    return kept if used >= len(lines) else f"{kept} …"
