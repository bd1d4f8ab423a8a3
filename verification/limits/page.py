"""The page of ``bsa-verify limits``, as data and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bsa.messages import current, text
from verification.limits.crosses import CROSSES, Cross
from verification.limits.expectation import Expectation, Finding
from verification.limits.limit import ACTIVE, BLIND, FORBIDDEN, LIFTED, OTHER, UNKNOWN, WORKAROUND, Limit
from verification.limits.ran import HOST, NOT_RUN, RAN, Lines
from verification.limits.survey import Key, Seen, limit_status
from verification.limits.tags import Use

_SHOWN = 4
"""Tagged lines of one DUT that the page names."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One limit, as it stands here."""

    limit: Limit
    status: str
    card: str
    seen: Mapping[str, Seen]
    """By probe, those that ran."""
    expected: Mapping[str, Finding]
    """By probe, those that ran."""
    uses: Mapping[str, tuple[Use, ...]]
    """Tagged lines by DUT."""
    removals: Mapping[str, str]
    """By DUT, what catches the removal of the workaround."""
    stress: int
    """Cases that run into the limit if a workaround is missing."""
    crosses: tuple[tuple[str, tuple[str, ...]], ...]
    """What the limit is crossed with, and the names of the cases that have it."""
    ran: Mapping[str, Lines]
    """What a run says of the DUTs' lines."""
    guests: frozenset[str]
    """DUTs whose sources are a user's own: what protects them is not known here, and not counted."""

    @property
    def unprotected(self) -> bool:
        """Relied on, there or possibly there, and nothing catches the removal of the workaround."""
        return self.status != LIFTED and any(not self.caught(dut) for dut in self.uses if dut not in self.guests)

    def caught(self, dut: str) -> str:
        """What catches the removal of the workaround from a DUT; of one that shares its lines with others, theirs."""
        if dut in self.removals:
            return self.removals[dut]
        protected = {use.place for other in self.removals for use in self.uses.get(other, ())}
        shared = all(use.place in protected for use in self.uses[dut])
        return ", ".join(self.removals[one] for one in self.removals if one in self.uses) if shared else ""

    @property
    def changed(self) -> tuple[str, ...]:
        """Probes whose status is not the expected one."""
        return tuple(name for name, one in self.seen.items() if one.finding.status != self.expected[name].status)


@dataclass(frozen=True, kw_only=True)
class Page:
    """Every limit that was asked for."""

    pypto: str
    expectation: Expectation
    entries: tuple[Entry, ...]
    whole: bool
    """Whether all limits were asked for."""

    @property
    def unprotected(self) -> tuple[int, ...]:
        """Limits that are relied on and unprotected."""
        return tuple(entry.limit.number for entry in self.entries if entry.unprotected)

    @property
    def agrees(self) -> bool:
        """Whether statuses, and (over all limits) what is unprotected, are as expected."""
        return not any(entry.changed for entry in self.entries) and (
            not self.whole or self.unprotected == self.expectation.unprotected
        )


def make_page(
    limits: Sequence[Limit],
    found: Mapping[Key, Seen],
    *,
    pypto: str,
    expectation: Expectation,
    uses: Mapping[str, Sequence[Use]],
    removals: Mapping[int, Mapping[str, str]],
    stressing: Callable[[Limit], int],
    whole: bool,
    crossing: Callable[[Cross], tuple[str, ...]] = lambda _cross: (),
    lines: Mapping[str, Lines] | None = None,
    guests: Collection[str] = (),
) -> Page:
    """Joins what the probes showed with what is expected and who relies on it.

    Args:
        limits: those asked for.
        found: what the probes showed.
        pypto: the installed version.
        expectation: what was accepted.
        uses: tagged lines by DUT.
        removals: by limit and DUT, what catches the removal of its workaround.
        stressing: counts the cases that stress a limit.
        whole: whether all limits were asked for.
        crossing: names the cases that have a cross.
        lines: by DUT, what a run says of them.
        guests: DUTs whose sources are a user's own.
    """
    entries = []
    for limit in limits:
        ran = {name: one for (number, name), one in found.items() if number == limit.number}
        mine = {dut: tuple(use for use in tagged if use.number == limit.number) for dut, tagged in uses.items()}
        entries.append(
            Entry(
                limit=limit,
                status=limit_status(limit, found),
                card=card_status(limit, expectation),
                seen=ran,
                expected={name: expectation.finding("sim", limit.number, name) for name in ran},
                uses={dut: tagged for dut, tagged in mine.items() if tagged},
                removals=removals.get(limit.number, {}),
                stress=stressing(limit),
                crosses=tuple(
                    (one.what.say(current().language), crossing(one)) for one in CROSSES if one.number == limit.number
                ),
                ran=lines or {},
                guests=frozenset(guests),
            )
        )
    return Page(pypto=pypto, expectation=expectation, entries=tuple(entries), whole=whole)


def card_status(limit: Limit, expectation: Expectation) -> str:
    """What a card has shown of the forbidden forms of a limit."""
    statuses = {
        expectation.finding("npu", limit.number, probe.name).status for probe in limit.probes if probe.role == FORBIDDEN
    }
    return next((status for status in (ACTIVE, OTHER, LIFTED) if status in statuses), UNKNOWN)


def page_text(page: Page) -> str:
    """The page in the language of this process."""
    head = text(
        "cli.limits.head",
        pypto=page.pypto,
        unprotected=_numbers(page.unprotected),
        unknown=sum(entry.card == UNKNOWN for entry in page.entries),
        total=len(page.entries),
        changed=_numbers([entry.limit.number for entry in page.entries if entry.changed]),
        since=page.expectation.pypto or "-",
    )
    parts = [head, *(_entry(entry) for entry in page.entries)]
    if page.whole and page.unprotected != page.expectation.unprotected:
        expected = _numbers(page.expectation.unprotected)
        parts.append(text("cli.limits.other_unprotected", expected=expected, found=_numbers(page.unprotected)))
    return "\n\n".join(parts)


def brief_text(page: Page) -> str:
    """What matters of another PyPTO: statuses, what differs from the expectation, workarounds that it does not need."""
    parts = [text("cli.limits.brief.head", pypto=page.pypto, since=page.expectation.pypto or "-")]
    for status in dict.fromkeys(entry.status for entry in page.entries):
        numbers = [entry.limit.number for entry in page.entries if entry.status == status]
        parts.append(f"  {_word(status)}: {_numbers(numbers)}")
    changed = [entry for entry in page.entries if entry.changed]
    parts.append("  " + text("cli.limits.brief.changed", changed=_numbers([one.limit.number for one in changed])))
    parts += [line for entry in changed for line in _changed_lines(entry)]
    idle = [f"{one.limit.number} ({', '.join(one.uses)})" for one in page.entries if one.status == LIFTED and one.uses]
    parts.append("  " + text("cli.limits.brief.retire", idle=", ".join(idle) or text("cli.limits.nothing")))
    if page.whole and page.unprotected != page.expectation.unprotected:
        expected = _numbers(page.expectation.unprotected)
        parts.append(text("cli.limits.other_unprotected", expected=expected, found=_numbers(page.unprotected)))
    return "\n".join(parts)


def _changed_lines(entry: Entry) -> Iterable[str]:
    """The probes that differ, and who relies on the workaround."""
    yield "  " + _title(entry)
    for name in entry.changed:
        yield "  " + _probe_line(entry, name, current().language).replace("\n", "\n  ")
    for dut, tagged in entry.uses.items():
        yield "     " + _used(dut, tagged)


def _entry(entry: Entry) -> str:
    limit, language = entry.limit, current().language
    lines = [_title(entry)]
    lines += [_probe_line(entry, probe.name, language) for probe in limit.probes if probe.name in entry.seen]
    for dut, tagged in entry.uses.items():
        caught = entry.caught(dut) or text("cli.limits.guest" if dut in entry.guests else "cli.limits.nothing")
        lines.append("   " + _used(dut, tagged))
        lines.append("   " + _ran(entry, dut))
        lines.append("   " + text("cli.limits.removal", caught=caught))
    lines.append("   " + text("cli.limits.stress", count=entry.stress))
    for what, cases in entry.crosses:
        lines.append("   " + text("cli.limits.cross", what=what, count=len(cases), first=cases[0] if cases else "-"))
    if cost := _cost(entry):
        lines.append("   " + text("cli.limits.cost", cost=cost))
    lines.append("   " + text("cli.limits.next", what=text(f"cli.limits.do.{_next(entry)}", number=limit.number)))
    return "\n".join(lines)


def _title(entry: Entry) -> str:
    return text(
        "cli.limits.title",
        number=f"{entry.limit.number:2d}",
        title=entry.limit.title.say(current().language),
        sim=_word(entry.status),
        card=_word(entry.card),
    )


def _used(dut: str, tagged: Sequence[Use]) -> str:
    places = ", ".join(use.place for use in tagged[:_SHOWN]) + (" …" if len(tagged) > _SHOWN else "")
    return text("cli.limits.used", dut=dut, count=len(tagged), places=places)


def _ran(entry: Entry, dut: str) -> str:
    """Which of a DUT's tagged lines ran, as far as a run says."""
    lines = entry.ran.get(dut)
    if lines is None:
        return text("cli.limits.ran.unknown", dut=dut)
    states = {use: lines.state(use) for use in entry.uses[dut]}
    missed = ", ".join(use.place for use, state in states.items() if state == NOT_RUN)
    counts = Counter(states.values())
    said = text("cli.limits.ran.kernel", run=lines.run, count=counts[RAN], total=counts[RAN] + counts[NOT_RUN])
    host = text("cli.limits.ran.host", count=counts[HOST]) if counts[HOST] else ""
    return said + host + (text("cli.limits.ran.missed", places=missed) if missed else "")


def _probe_line(entry: Entry, name: str, language: str) -> str:
    probe, found = entry.limit.probe(name), entry.seen[name].finding
    why = found.evidence
    if found.status == BLIND and probe.blind is not None:
        why = probe.blind.say(language)
    line = f"   {_word(found.status):<8} {name}: {probe.form}" + (f"  → {why}" if why else "")
    if name in entry.changed:
        was = entry.expected[name]
        line += "\n   " + text("cli.limits.was", status=_word(was.status), evidence=was.evidence).rstrip()
    return line


def _cost(entry: Entry) -> str:
    """Simulated µs of the workarounds, beside those of the forbidden forms that run."""
    return ", ".join(
        f"{name} {one.model_us:.1f} µs"
        for name, one in entry.seen.items()
        if one.model_us is not None and entry.limit.probe(name).role in (WORKAROUND, FORBIDDEN)
    )


def _next(entry: Entry) -> str:
    """What to do, by name of a message."""
    if entry.changed or entry.status == OTHER:
        return "changed"
    if entry.unprotected:
        return "protect"
    if entry.status == LIFTED:
        return "retire" if entry.card == LIFTED else "ask_card"
    return "keep" if entry.status == ACTIVE else "ask_card"


def _word(status: str) -> str:
    return text(f"cli.limits.status.{status}")


def _numbers(numbers: Iterable[int]) -> str:
    """``3 (4, 9, 12)``."""
    found = list(numbers)
    return f"{len(found)} ({', '.join(map(str, found))})" if found else "0"
