"""The journal: what was written stands, whatever happened to the writer."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.batch.journal import NAME, Entry, Journal, decode, encode
from kolahal.errors import UsageError

words = st.text(max_size=20)  # half characters too, as the names of files may hold them
records = st.fixed_dictionaries(
    {"job": words, "target": words, "result": st.dictionaries(words, st.none() | st.integers() | words, max_size=3)}
)
entries = st.builds(Entry, records, st.floats(0, 1e6), st.integers(1, 2), st.sampled_from(["", "1.0 s, None MiB"]))


def entry(job: str, seconds: float = 0.5) -> Entry:
    return Entry({"job": job, "verdict": "proved"}, seconds)


@given(entries)
def test_an_entry_reads_back_from_its_line(entry):
    line = encode(entry)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert decode(line[:-1]) == entry


@given(entries, st.data())
def test_a_line_that_was_changed_is_no_entry(entry, data):
    line = bytearray(encode(entry)[:-1])
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] ^= data.draw(st.integers(1, 255))
    assert decode(bytes(line)) is None


@given(st.lists(entries, max_size=4), st.data())
def test_wherever_the_writer_died_all_whole_lines_stand_and_the_journal_goes_on(found, data):
    lines = [encode(entry) for entry in found]
    text = b"".join(lines)
    cut = data.draw(st.integers(0, len(text)))
    whole = [entry for i, entry in enumerate(found) if len(b"".join(lines[: i + 1])) <= cut]
    kept = b"".join(lines[: len(whole)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / NAME).write_bytes(text[:cut])
        with Journal(folder) as journal:
            assert journal.entries == {entry.job: entry for entry in whole}
            assert bool(journal.repairs) == (cut > len(kept))
            journal.add(entry("next"))
        assert (folder / NAME).read_bytes() == kept + encode(entry("next"))
        with Journal(folder) as journal:
            assert not journal.repairs and "next" in journal.entries


def test_a_damaged_line_costs_its_own_job_alone(tmp_path):
    with Journal(tmp_path) as journal:
        for name in "abc":
            journal.add(entry(name))
    lines = (tmp_path / NAME).read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"proved", b"broken")
    (tmp_path / NAME).write_bytes(b"".join(lines))
    with Journal(tmp_path) as journal:
        assert set(journal.entries) == {"a", "c"}
        assert len(journal.repairs) == 1 and ":2:" in journal.repairs[0]


def test_of_two_entries_of_a_job_the_later_stands(tmp_path):
    with Journal(tmp_path) as journal:
        journal.add(entry("a", 1))
        journal.add(entry("a", 2))
    with Journal(tmp_path) as journal:
        assert journal.entries["a"].seconds == 2


def test_two_batches_do_not_write_to_one_folder(tmp_path):
    with Journal(tmp_path), pytest.raises(UsageError, match="in use by another batch"):
        Journal(tmp_path)
    with Journal(tmp_path):
        pass


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="can be written"):
        Journal(tmp_path / "file" / "folder")


FULL = """
import resource, sys
from pathlib import Path
from kolahal.batch.journal import Entry, Journal
from kolahal.errors import UsageError
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))  # a disk with room for the first entry alone
with Journal(Path(sys.argv[1])) as journal:
    journal.add(Entry({"job": "a"}, 1.0))
    try:
        journal.add(Entry({"job": "b" * 1000}, 1.0))
    except UsageError as error:
        print(error)
"""


def test_a_full_disk_leaves_the_entries_before(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "disk is full" in done.stdout
    with Journal(tmp_path) as journal:
        assert set(journal.entries) == {"a"} and not journal.repairs
    assert os.path.getsize(tmp_path / NAME) < 500
