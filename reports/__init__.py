"""Reports: records and coverage as HTML, Markdown, JUnit and JSON.

Pure functions turn a :class:`verification.runs.Run` into a :class:`View` and that into text; one writer writes.
"""

from reports.view import View, view
from reports.writer import write_all

__all__ = ["View", "view", "write_all"]
