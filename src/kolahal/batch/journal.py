"""The results of a batch as they come: one line a finished job, whole or not at all, whatever happens to the process."""

from __future__ import annotations

import fcntl
import json
import os
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from kolahal.errors import UsageError
from kolahal.nouns import dataclass

NAME = "journal.jsonl"
HEAD, MIDDLE, TAIL = b'{"sum":"', b'","entry":', b"}"
DIGITS = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished job: its record, which is the same in every run, and how this run came to it."""

    record: dict[str, Any]
    seconds: float
    attempts: int = 1
    stopped: str = ""  # the limits at which it was stopped, if it was: with others it is done again

    @property
    def job(self) -> str:
        return str(self.record["job"])


def one_line(document: Any) -> str:
    """A document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def encoded(text: str) -> bytes:
    """As UTF-8; half a character, which a file's name may hold, is written as JSON's own escape."""
    return text.encode("utf-8", "backslashreplace")


class Journal:
    """An append-only file of entries, held by one process at a time."""

    def __init__(self, folder: Path):
        self.path = folder / NAME
        try:
            folder.mkdir(exist_ok=True)
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}; give a folder that can be written") from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.file)
            raise UsageError(f"{folder} is in use by another batch; wait for it, or give another folder") from None
        self.entries: dict[str, Entry] = {}  # the last one of each job
        self.repairs: list[str] = []
        self._read()

    def _read(self) -> None:
        """Take what is whole; a last line without an end was being written when its process died, and is cut off."""
        text = self.path.read_bytes()
        end = text.rfind(b"\n") + 1
        if end < len(text):
            os.ftruncate(self.file, end)
            os.fsync(self.file)
            self.repairs.append(f"{self.path}: an unfinished last line of {len(text) - end} bytes was cut off")
        for number, line in enumerate(text[:end].split(b"\n")[:-1], start=1):
            entry = decode(line)
            if entry is None:
                self.repairs.append(f"{self.path}:{number}: this line is damaged; its job is done again")
            else:
                self.entries[entry.job] = entry

    def add(self, entry: Entry) -> None:
        """Write an entry so that it stands after a crash of this process or its machine, or is not there at all."""
        line = encode(entry)
        start = os.fstat(self.file).st_size
        try:
            written = os.write(self.file, line)
            if written < len(line):
                os.ftruncate(self.file, start)
                raise OSError(0, "the disk is full")
            os.fsync(self.file)
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}; the jobs before are kept, run it again") from None
        self.entries[entry.job] = entry

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.file)  # which gives up the lock


def encode(entry: Entry) -> bytes:
    fields = {"record": entry.record, "seconds": entry.seconds, "attempts": entry.attempts, "stopped": entry.stopped}
    text = encoded(one_line(fields))
    return HEAD + _sum(text) + MIDDLE + text + TAIL + b"\n"


def decode(line: bytes) -> Entry | None:
    """The entry of a line, or None if the line is not as it was written."""
    start = len(HEAD) + DIGITS + len(MIDDLE)
    text = line[start : -len(TAIL)]
    if line != HEAD + _sum(text) + MIDDLE + text + TAIL:
        return None
    try:
        return Entry(**json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return None


def _sum(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:DIGITS].encode()
