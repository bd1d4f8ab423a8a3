"""The run's journal: records as JSON lines by one writer, chained by hash in a manifest.

``records.jsonl`` holds one record a line. ``manifest.jsonl`` holds one event a line: ``start`` with the provenance,
``record`` with the hash of one line of ``records.jsonl``, ``resume``, ``adopt`` (a record that was complete on disk but
not yet in the manifest when the writer died), ``finish``. Every event carries ``chain``, the sha256 of the previous
event's chain and its own content, so that a line changed, removed or swapped later is found. A last line cut short by a
kill or a full disk is ignored, and said so. The writer holds a lock on the manifest, which the system takes back
however the writer ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from bsa.messages import text
from verification.record import Record
from verification.uninterrupted import uninterrupted

RECORDS_FILE = "records.jsonl"
MANIFEST_FILE = "manifest.jsonl"


class JournalError(Exception):
    """The journal cannot be written, or what it holds does not agree with itself."""


class Journal:
    """The single writer of one run's records. Use as a context manager.

    Args:
        folder: the run's folder; exists.
        event: the first event's name, ``start`` or ``resume``.
        details: what that event says (provenance).

    Raises:
        JournalError: another process is writing this run, or the existing journal is damaged.
    """

    def __init__(self, folder: Path, event: str, details: Mapping[str, Any]) -> None:
        self._folder = folder
        self._lock = _lock(folder / MANIFEST_FILE)
        try:
            loaded = read_journal(folder)
            self._chain = loaded.chain
            self.records = list(loaded.records)
            _end_torn_line(folder / RECORDS_FILE)
            _end_torn_line(folder / MANIFEST_FILE)
            self._event(event, details)
            for digest, key in loaded.unvouched:
                self._event("adopt", {"key": key, "sha256": digest})
        except BaseException:
            self.close()
            raise

    def append(self, record: Record) -> None:
        """Writes one record and its event, flushed to the disk.

        Raises:
            JournalError: the key (case, attempt) is taken, or the disk refused the write.
        """
        if any((r.case_id, r.attempt) == (record.case_id, record.attempt) for r in self.records):
            raise JournalError(text("error.journal.taken", case=record.case_id, attempt=record.attempt))
        line = json.dumps(record.to_json(), ensure_ascii=False, sort_keys=True)
        key = [record.case_id, record.attempt]
        with uninterrupted():
            _append(self._folder / RECORDS_FILE, line)
            self._event("record", {"key": key, "sha256": _sha(line), "verdict": record.verdict})
            self.records.append(record)

    def finish(self, details: Mapping[str, Any]) -> None:
        """Writes the closing event."""
        self._event("finish", details)

    def _event(self, name: str, details: Mapping[str, Any]) -> None:
        body = {"event": name, **details}
        chain = _link(self._chain, body)
        with uninterrupted():
            _append(self._folder / MANIFEST_FILE, json.dumps({**body, "chain": chain}, ensure_ascii=False))
            self._chain = chain

    def close(self) -> None:
        """Lets go of the run's folder; calling it again changes nothing."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Loaded:
    """What a journal on disk holds.

    Attributes:
        records: complete records, in order of writing.
        events: the manifest's events, without their chains.
        chain: the last event's chain; empty for a new journal.
        unvouched: (sha256, key) of complete records that no event names: the writer died in between.
        torn: number of lines cut short, which are ignored.
    """

    def __init__(self) -> None:
        self.records: tuple[Record, ...] = ()
        self.events: tuple[Mapping[str, Any], ...] = ()
        self.chain = ""
        self.unvouched: tuple[tuple[str, list[Any]], ...] = ()
        self.torn = 0


def read_journal(folder: Path) -> Loaded:
    """Reads and checks a run's journal.

    Raises:
        JournalError: the chain is broken, a record's hash is not the manifest's, a record that the manifest names is
            missing, one key has two records, or records have no event though no writer died over them.
        ValueError: a record is of another schema.
    """
    loaded = Loaded()
    events, torn_events = _events(folder / MANIFEST_FILE)
    loaded.events = tuple(events)
    loaded.chain = _verified_chain(folder, events)
    lines, torn_records = _complete_lines(folder / RECORDS_FILE)
    loaded.torn = torn_events + torn_records
    vouched = {event["sha256"]: tuple(event["key"]) for event in events if event["event"] in ("record", "adopt")}
    records: dict[tuple[Any, ...], Record] = {}
    unvouched: list[tuple[str, list[Any]]] = []
    for line in lines:
        record = _record(folder / RECORDS_FILE, line[1])
        key = (record.case_id, record.attempt)
        if key in records:
            raise JournalError(text("error.journal.twice", path=folder / RECORDS_FILE, key=key))
        records[key] = record
        if line[0] not in vouched:
            unvouched.append((line[0], list(key)))
    missing = set(vouched.values()) - set(records)
    changed = missing or {key for _, pair in unvouched if (key := tuple(pair)) in set(vouched.values())}
    if changed:
        path, first = folder / RECORDS_FILE, min(changed)
        raise JournalError(text("error.journal.changed", path=path, count=len(changed), first=first))
    if unvouched and not _dying_word(unvouched, lines, events):
        if len(_events(folder / MANIFEST_FILE)[0]) > len(events):  # the run is being written: records came in between
            return read_journal(folder)
        raise JournalError(text("error.journal.unvouched", path=folder / RECORDS_FILE, count=len(unvouched)))
    loaded.records = tuple(records.values())
    loaded.unvouched = tuple(unvouched)
    return loaded


def _dying_word(
    unvouched: list[tuple[str, list[Any]]], lines: list[tuple[str, dict[str, Any]]], events: list[dict[str, Any]]
) -> bool:
    """Whether records without an event are what a writer leaves that dies between the two: one, the last of all.

    It wrote its start before, and had not finished. Anything else was added by somebody, or the manifest was cut.
    """
    alone = len(unvouched) == 1 and lines[-1][0] == unvouched[0][0]
    return alone and bool(events) and events[-1]["event"] != "finish"


def _record(path: Path, data: Mapping[str, Any]) -> Record:
    try:
        record = Record.from_json(data)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(text("error.unreadable", path=path, why=error)) from error
    if not isinstance(record.case_id, str) or not isinstance(record.attempt, int):
        why = f"case {record.case_id!r}, attempt {record.attempt!r}"
        raise ValueError(text("error.unreadable", path=path, why=why))  # noqa: TRY004 - of the file
    return record


def _events(path: Path) -> tuple[list[dict[str, Any]], int]:
    lines, torn = _complete_lines(path)
    return [data for _, data in lines], torn


def _verified_chain(folder: Path, events: list[dict[str, Any]]) -> str:
    chain = ""
    for number, event in enumerate(events, start=1):
        claimed = event.pop("chain", None)
        chain = _link(chain, event)
        if claimed != chain:
            raise JournalError(text("error.journal.chain", path=folder / MANIFEST_FILE, number=number))
    return chain


def _complete_lines(path: Path) -> tuple[list[tuple[str, dict[str, Any]]], int]:
    """(sha256 of the line, its JSON) of every complete line, and the number of lines cut short."""
    if not path.exists():
        return [], 0
    if not path.is_file():
        raise JournalError(text("error.journal.not_a_file", path=path))
    found: list[tuple[str, dict[str, Any]]] = []
    torn = 0
    for number, raw in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not raw:
            continue
        try:
            data = json.loads(raw)
        except ValueError:
            torn += 1
            continue
        except RecursionError as error:
            raise JournalError(text("error.journal.foreign", path=path, number=number)) from error
        if not isinstance(data, dict):  # no cut makes that of a line of ours
            raise JournalError(text("error.journal.foreign", path=path, number=number))
        found.append((hashlib.sha256(raw).hexdigest(), data))
    return found, torn


def _end_torn_line(path: Path) -> None:
    """Ends a last line that was cut short, so that the next one begins on its own."""
    if path.exists() and (size := path.stat().st_size):
        with path.open("rb") as file:
            file.seek(size - 1)
            ended = file.read(1) == b"\n"
        if not ended:
            _append(path, "")


def _lock(path: Path) -> int | None:
    """Opens a file and locks it for this process, as long as the descriptor is open."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as error:
        raise JournalError(text("error.journal.write", path=path, why=error.strerror)) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        key = "error.journal.busy" if isinstance(error, BlockingIOError) else "error.journal.write"
        raise JournalError(text(key, folder=path.parent, path=path, why=error.strerror)) from error
    return fd


def _append(path: Path, line: str) -> None:
    """Adds one line, whole and on the disk, or none of it."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            _write_whole(fd, (line + "\n").encode())
        finally:
            os.close(fd)
    except OSError as error:
        raise JournalError(text("error.journal.write", path=path, why=error.strerror)) from error


def _write_whole(fd: int, data: bytes) -> None:
    size = os.fstat(fd).st_size
    try:
        while data:
            data = data[os.write(fd, data) :]
        os.fsync(fd)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(fd, size)
        raise


def _link(chain: str, body: Mapping[str, Any]) -> str:
    return _sha(chain + json.dumps(body, sort_keys=True, ensure_ascii=False))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
