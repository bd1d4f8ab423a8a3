"""An edit touches the statements that run with it, and no others."""

import pytest

from verification.changes.edits import Touched, line_map, touched

BEFORE = '''\
"""Words."""
import math

LIMIT = 4


@decorated
def branches(x):
    """Words."""
    if x > LIMIT:
        y = 1
    elif x > 2:
        y = 2
    else:
        y = math.sqrt(
            x
        )
    return y


class Thing:
    size = 3

    def method(self):
        return self.size
'''


def lines_of(*texts):
    """Numbers of the lines that begin so."""
    return {number for number, line in enumerate(BEFORE.splitlines(), 1) if line.strip().startswith(texts)}


@pytest.mark.parametrize(
    ("old", "new", "runs", "spares"),
    [
        ("y = 1", "y = 5", {"y = 1"}, {"if x", "elif", "return y", "return self"}),
        ("y = 2", "y = 2\n        z = 7", {"y = 2"}, {"if x", "elif", "y = 1"}),
        ("        y = 2", "        z = 7\n        y = 2", {"y = 2"}, {"if x", "elif", "y = 1"}),
        ("elif x > 2", "elif x > 1", {"elif"}, {"if x", "y = 1", "return y"}),
        ("            x\n", "            x + 1\n", {"y = math"}, {"y = 1", "elif"}),
        ("    return y", "    if y:\n        y = 3\n    return y", {"if x"}, {"y = 1", "elif", "return self"}),
        ("    else:\n        y = math.sqrt(\n            x\n        )\n", "", {"y = math"}, {"y = 1", "y = 2"}),
        ("def branches(x)", "def branches(x, z=2)", {"y = 1", "return y"}, {"return self"}),
        ("@decorated", "@decorated(2)", {"y = 1", "return y"}, {"return self"}),
        ("return self.size", "return self.size + 1", {"return self"}, {"return y", "y = 1"}),
    ],
)
def test_statement_is_touched_where_it_runs(old, new, runs, spares):
    assert BEFORE.count(old) == 1
    found = touched(BEFORE, BEFORE.replace(old, new))
    assert not found.outside
    for one in runs:
        assert found.hits(frozenset(lines_of(one))) > 0, one
    for one in spares:
        assert found.hits(frozenset(lines_of(one))) == 0, one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Words."""\nimport', '"""Other\nwords."""\n\n# a comment\nimport'),
        ("        y = 1", "        # why\n        y = 1  # because"),
        ("import math\n", "import math\nimport sys\n"),
        ("LIMIT = 4\n", "LIMIT = 4\nOTHER = 5\n"),
        ("class Thing", "def more(x):\n    if x:\n        return 2\n    return 3\n\n\nclass Thing"),
        ("class Thing", "class More:\n    size = 4\n\n    def method(self):\n        return 1\n\n\nclass Thing"),
    ],
)
def test_what_nothing_runs_touches_nothing(old, new):
    assert BEFORE.count(old) == 1
    assert touched(BEFORE, BEFORE.replace(old, new)) == Touched()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 4", "LIMIT = 5"),
        ("import math", "import cmath as math"),
        ("    size = 3", "    size = 4"),
        ("    size = 3\n", "    size = 3\n\n    def other(self):\n        return 2\n"),
        ("class Thing:", "class Thing(dict):"),
        ("def branches(x):", "def branches(x:"),
    ],
)
def test_what_runs_at_import_is_outside(old, new):
    assert BEFORE.count(old) == 1
    assert touched(BEFORE, BEFORE.replace(old, new)).outside


def test_lines_that_moved_keep_their_partner():
    assert line_map("a\nb\nc\n", "x\na\nc\n") == {1: 2, 3: 3}
