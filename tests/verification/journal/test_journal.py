"""The journal: one writer, nothing lost that was written, every later change found."""

import json
import signal
import subprocess
import sys
import threading

import pytest

from tests.support.records import make_record
from verification import journal as module
from verification.journal import MANIFEST_FILE, RECORDS_FILE, Journal, JournalError, read_journal
from verification.uninterrupted import ENDING, uninterrupted


def write(folder, *cases, event="start"):
    with Journal(folder, event, {"host": "here"}) as journal:
        for case_id in cases:
            journal.append(make_record(case_id))
        journal.finish({"exit_code": 0})


def test_round_trip(tmp_path):
    """What was appended is read back, in order, with the events."""
    write(tmp_path, "a", "b")
    loaded = read_journal(tmp_path)
    assert [record.case_id for record in loaded.records] == ["a", "b"]
    assert [event["event"] for event in loaded.events] == ["start", "record", "record", "finish"]
    assert loaded.records[0] == make_record("a")
    assert loaded.torn == 0


def test_second_record_with_one_key_is_refused(tmp_path):
    """A key is written once."""
    with Journal(tmp_path, "start", {}) as journal:
        journal.append(make_record("a"))
        with pytest.raises(JournalError, match="attempt 1"):
            journal.append(make_record("a"))


def test_second_writer_is_refused_and_told(tmp_path):
    """Two processes cannot write one run."""
    code = f"import pathlib, verification.journal as j; j.Journal(pathlib.Path({str(tmp_path)!r}), 'x', {{}})"
    with Journal(tmp_path, "start", {}):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "another process is writing this run" in done.stderr


@pytest.mark.parametrize("file", [RECORDS_FILE, MANIFEST_FILE])
@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_torn_last_line_is_ignored_and_the_run_goes_on(tmp_path, file, keep):
    """A kill in the middle of a write costs that line; a resume adds to a whole file."""
    write(tmp_path, "a", "b")
    path = tmp_path / file
    lines = path.read_bytes().splitlines(keepends=True)
    if file == MANIFEST_FILE:
        lines = lines[:-1]
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][: int(len(lines[-1]) * keep)])
    if file == RECORDS_FILE:
        cut = tmp_path / MANIFEST_FILE
        cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:-2]))
    loaded = read_journal(tmp_path)
    assert loaded.torn == 1
    rest = {"a", "b", "c"} - {record.case_id for record in loaded.records}
    write(tmp_path, *sorted(rest), event="resume")
    again = read_journal(tmp_path)
    assert {record.case_id for record in again.records} == {"a", "b", "c"}


def test_record_without_its_event_is_adopted(tmp_path):
    """A record that was whole on the disk when the writer died is kept, and the manifest says so."""
    write(tmp_path, "a", "b")
    path = tmp_path / MANIFEST_FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    assert len(read_journal(tmp_path).unvouched) == 1
    write(tmp_path, event="resume")
    loaded = read_journal(tmp_path)
    assert [record.case_id for record in loaded.records] == ["a", "b"]
    assert [event["key"] for event in loaded.events if event["event"] == "adopt"] == [["b", 1]]
    assert loaded.unvouched == ()


@pytest.mark.parametrize(
    ("old", "new"), [('"verdict": "PASS"', '"verdict": "FAIL"'), ('"attempt": 1', '"attempt": 2'), ("case", "CASE")]
)
def test_changed_record_is_found(tmp_path, old, new):
    """A record edited later does not fit the manifest's hash."""
    write(tmp_path, "a", "b")
    path = tmp_path / RECORDS_FILE
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises((JournalError, ValueError)):
        read_journal(tmp_path)


def test_removed_record_is_found(tmp_path):
    """A record taken out later is missed."""
    write(tmp_path, "a", "b")
    path = tmp_path / RECORDS_FILE
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(JournalError, match="changed or gone"):
        read_journal(tmp_path)


@pytest.mark.parametrize("what", ["change", "remove", "swap"])
def test_changed_manifest_is_found(tmp_path, what):
    """The chain breaks where an event was changed, removed or swapped."""
    write(tmp_path, "a", "b")
    path = tmp_path / MANIFEST_FILE
    lines = path.read_text().splitlines()
    if what == "change":
        event = json.loads(lines[1])
        event["verdict"] = "FAIL"
        lines[1] = json.dumps(event)
    elif what == "remove":
        del lines[1]
    else:
        lines[1], lines[2] = lines[2], lines[1]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(JournalError, match="chain breaks at event 2"):
        read_journal(tmp_path)


def test_full_disk_says_so(tmp_path):
    """No space left is one clear error that names the file and what to do."""
    with Journal(tmp_path, "start", {}) as journal:
        (tmp_path / RECORDS_FILE).symlink_to("/dev/full")
        with pytest.raises(JournalError, match=r"No space left on device.*--resume"):
            journal.append(make_record("a"))
    (tmp_path / RECORDS_FILE).unlink()
    assert read_journal(tmp_path).records == ()


@pytest.mark.parametrize("number", ENDING)
def test_signal_in_the_midst_of_a_record_waits_until_it_is_whole(tmp_path, monkeypatch, number):
    """It is acted on at once afterwards; what is on the disk and what the writer goes on from agree."""
    write_whole, before = module._write_whole, signal.signal(number, signal.default_int_handler)

    def interrupted(descriptor, data):
        signal.raise_signal(number)
        write_whole(descriptor, data)
        signal.raise_signal(number)

    try:
        with Journal(tmp_path, "start", {}) as journal:
            monkeypatch.setattr(module, "_write_whole", interrupted)
            for case_id in ("a", "b"):
                with pytest.raises(KeyboardInterrupt):
                    journal.append(make_record(case_id))
            with pytest.raises(KeyboardInterrupt):
                journal.finish({"exit_code": 3})
            assert [record.case_id for record in journal.records] == ["a", "b"]
        assert signal.getsignal(number) == signal.default_int_handler
    finally:
        signal.signal(number, before)
    loaded = read_journal(tmp_path)
    assert [record.case_id for record in loaded.records] == ["a", "b"]
    assert [event["event"] for event in loaded.events] == ["start", "record", "record", "finish"]


def test_signal_in_another_thread_is_left_alone():
    """Handlers belong to the main thread."""
    seen = []

    def run():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]


def cut(folder, *, events):
    """Leaves the manifest's first events."""
    path = folder / MANIFEST_FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:events]))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / MANIFEST_FILE).unlink(),
        lambda folder: (folder / MANIFEST_FILE).write_bytes(b""),
        lambda folder: (folder / MANIFEST_FILE).write_bytes(bytes(range(256)) * 4),
        lambda folder: cut(folder, events=1),
        lambda folder: cut(folder, events=2),
    ],
    ids=["gone", "empty", "noise", "records cut", "all but one cut"],
)
def test_records_that_the_manifest_says_nothing_of_are_no_evidence(tmp_path, damage):
    """A writer that dies leaves one such record, the last: more of them were not written with this manifest."""
    write(tmp_path, "a", "b", "c")
    damage(tmp_path)
    for read in (read_journal, lambda folder: Journal(folder, "resume", {})):
        with pytest.raises(JournalError, match=f"{RECORDS_FILE}: [23] record"):
            read(tmp_path)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_record_added_later_is_found(tmp_path, at):
    """To a run that had finished; and, before the last record, to one that had not."""
    write(tmp_path, "a", "b")
    path = tmp_path / RECORDS_FILE
    lines = path.read_text().splitlines()
    lines.insert(at, json.dumps(make_record("added").to_json(), ensure_ascii=False, sort_keys=True))
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(JournalError, match="1 record"):
        read_journal(tmp_path)
    cut(tmp_path, events=3)
    if at == 2:
        assert len(read_journal(tmp_path).unvouched) == 1
    else:
        with pytest.raises(JournalError, match="1 record"):
            read_journal(tmp_path)


@pytest.mark.parametrize("file", [RECORDS_FILE, MANIFEST_FILE])
def test_lines_of_others_are_named(tmp_path, file):
    """JSON that no line of ours can be: no object, or nested beyond what can be read."""
    for line in ("[1]", "7", "[" * 100_000 + "]" * 100_000):
        folder = tmp_path / str(len(line))
        folder.mkdir()
        write(folder, "a")
        with (folder / file).open("a") as stream:
            stream.write(line + "\n")
        with pytest.raises(JournalError, match=f"{file}: line [234] was not written"):
            read_journal(folder)


@pytest.mark.parametrize(
    "change", [{"case": 5}, {"case_id": None}, {"outputs": 3}, {"measurement": []}, {"facts": "x"}, {"attempt": []}]
)
def test_record_of_another_kind_is_an_error_of_one_line(tmp_path, change):
    """Whatever is in it: never an error of Python's."""
    write(tmp_path, "a")
    path = tmp_path / RECORDS_FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}) + "\n")
    with pytest.raises((JournalError, ValueError), match=RECORDS_FILE):
        read_journal(tmp_path)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_run_that_is_being_written_can_be_read(tmp_path, monkeypatch, count):
    """Records that come in between the reading of the manifest and that of the records are no others'."""
    write(tmp_path, "a")
    complete, late = module._complete_lines, [f"late {number}" for number in range(count)]

    def slow(path):
        if path.name == RECORDS_FILE and late:
            cases, late[:] = list(late), []
            write(tmp_path, *cases, event="resume")
        return complete(path)

    monkeypatch.setattr(module, "_complete_lines", slow)
    assert [record.case_id for record in read_journal(tmp_path).records] == ["a", *(f"late {n}" for n in range(count))]
