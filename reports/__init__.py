"""Reports: records and coverage as HTML, Markdown, JUnit and JSON."""
