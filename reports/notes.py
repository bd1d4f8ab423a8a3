"""The notes beneath the answer: warnings, the scope, and where the numbers come from."""

from __future__ import annotations

from bsa.messages import Catalogue
from reports.environment import installations, trees
from reports.same_masks import same_masks
from reports.view import View

SHOWN = 3
"""Groups of cases with one mask that are named."""


def warnings(view: View, said: Catalogue) -> tuple[str, ...]:
    """What weakens the answer, one sentence each, as plain text."""
    run, summary, different, installed = view.run, view.summary, trees(view.run), installations(view.run)
    found: list[str] = []
    if summary.synthetic:
        found.append(said.count("report.note.synthetic", summary.synthetic))
    if run.plan.fault:
        found.append(said.text("report.note.fault", fault=run.plan.fault))
    if view.dirty:
        found.append(said.text("report.note.dirty"))
    if different > 1:
        found.append(said.text("report.note.mixed", n=different))
    if installed > 1:
        found.append(said.text("report.note.mixed_tools", n=installed))
    if run.torn:
        found.append(said.count("report.note.torn", run.torn))
    if view.unplanned:
        found.append(said.count("report.note.unplanned", view.unplanned))
    if groups := same_masks(view.rows):
        names = "; ".join(" = ".join(group) for group in groups[:SHOWN])
        found.append(said.count("report.note.same_mask", len(groups), names=names))
    return tuple(found)


def scope(view: View, said: Catalogue) -> str:
    """What the answer covers, as plain text; empty for an empty plan."""
    if not view.rows:
        return ""
    suites, duts = ", ".join(share.name for share in view.summary.suites), ", ".join(view.duts)
    cases = view.run.plan.selection.get("cases")
    if not cases:
        return said.text("report.note.scope", suites=suites, duts=duts)
    named = ", ".join(str(name) for name in cases)
    return said.text("report.note.scope_cases", suites=suites, duts=duts, cases=named)
