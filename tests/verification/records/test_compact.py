"""The table of what ran is short in JSON, loses nothing, and that of older versions is still read."""

import json

import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, from_regex, integers, sets

from tests.support.records import make_record
from verification.compact import packed, unpacked
from verification.record import Measurement, Record
from verification.shadow.words import lines_in_words

FILES = from_regex(r"/?([a-z]{1,3}/){0,3}[a-z]{1,4}\.py", fullmatch=True)
DIGESTS = from_regex(r"([0-9a-f]{16})?", fullmatch=True)


@given(dictionaries(FILES, sets(integers(1, 99))), DIGESTS)
def test_nothing_is_lost(files, digest):
    ran = {file: {"digest": digest, "lines": lines_in_words(lines)} for file, lines in files.items()}
    assert unpacked(json.loads(json.dumps(packed(ran)))) == ran


def record():
    """A record of the size of a real one."""
    ran = {
        f"package/folder/file{n}.py": {"digest": "0123456789abcdef", "lines": "3, 7-9" if n % 2 else ""}
        for n in range(150)
    }
    return make_record("0" * 12, measurement=Measurement(ran=ran))


def test_records_are_read_as_they_were():
    assert Record.from_json(json.loads(json.dumps(record().to_json()))) == record()


def test_records_of_older_versions_are_read():
    data = record().to_json()
    data["measurement"]["ran"] = dict(record().measurement.ran)
    assert Record.from_json(data) == record()


def test_table_is_clearly_shorter():
    assert len(json.dumps(record().to_json()["measurement"]["ran"])) < 0.6 * len(json.dumps(record().measurement.ran))


def test_what_is_neither_is_refused_in_one_line():
    data = record().to_json()
    data["measurement"]["ran"] = {"a/": {"b.py": 7}}
    with pytest.raises(ValueError, match=r"ran: a/b.py: text was expected, got 7"):
        Record.from_json(data)
