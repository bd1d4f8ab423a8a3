"""A plan that was damaged, or that somebody else wrote."""

import json

import pytest

from tests.reports import samples
from verification.plan import PLAN_FILE, read_plan


@pytest.mark.parametrize(
    "change",
    [
        {"run_mode": 5},
        {"run_mode": "card"},
        {"run_mode": ["sim"]},
        {"backend": None},
        {"command": "run"},
        {"command": [1]},
        {"budget": {"seconds": "long", "bytes": 1}},
        {"budget": []},
        {"entries": {}},
        {"entries": [3]},
        {"entries": ["case"]},
        {"selection": []},
        {"sequence": "1"},
        {"sequence": True},
        {"known": [1]},
        {"known": 1},
        {"explain": "no"},
        {"unheard": 1},
    ],
    ids=str,
)
def test_plan_of_another_kind_is_an_error_of_one_line(tmp_path, change):
    """Whatever is in it: never an error of Python's."""
    content = {**json.loads(samples.passing_run().plan.to_text()), **change}
    (tmp_path / PLAN_FILE).write_text(json.dumps(content))
    with pytest.raises(ValueError, match=rf"{PLAN_FILE}: ") as error:
        read_plan(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["", "[" * 100_000, "[]", "7", "null", '{"schema": 1}', "\x00"])
def test_file_that_is_no_plan_is_an_error_of_one_line(tmp_path, content):
    """Empty, cut, nested beyond what can be read, or of something else."""
    (tmp_path / PLAN_FILE).write_text(content)
    with pytest.raises(ValueError, match=rf"{PLAN_FILE}: "):
        read_plan(tmp_path)
