"""Three processes share one index; each knows what any of them has changed."""

import json
import random
import sqlite3
import subprocess
import sys

import pytest
from locframework_matching_rapidfuzz import MatchingSettings, RapidfuzzMatcher

from locframework.ports import SegmentChange, Wanted
from locframework.testing.contracts.matchers import (
    MEMORY,
    WORDS,
    entries,
    percent_of,
    sentences,
)

pytestmark = pytest.mark.kill

TURNS = 12


class SegmentsInFile:
    """The port Segments over a SQLite file that several processes share."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, timeout=30)
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS texts (id TEXT PRIMARY KEY, revision, text)"
        )

    def change(self, changes):
        with self.database:
            revision = self.revisions([MEMORY])[MEMORY] + 1
            self.database.executemany(
                "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)",
                [(id_, revision, text) for id_, text in changes.items()],
            )

    def revisions(self, memory_ids):
        [(revision,)] = self.database.execute(
            "SELECT coalesce(max(revision), 0) FROM texts"
        )
        return dict.fromkeys(memory_ids, revision)

    def is_in_block(self):
        return False

    def changes(self, memory_id, after):
        asked = "SELECT revision, id, text FROM texts WHERE revision > ?"
        for row in self.database.execute(asked, (after,)).fetchall():
            yield SegmentChange(*row)

    def texts(self):
        asked = "SELECT id, text FROM texts WHERE text IS NOT NULL"
        return dict(self.database.execute(asked))


def child(path, folder):
    """Compare what is asked on standard input with all entries."""
    segments = SegmentsInFile(path)
    matcher = RapidfuzzMatcher(MatchingSettings(folder, 1, tail=20))
    for line in sys.stdin:
        least, texts = json.loads(line)
        found = matcher.find(segments, [Wanted(MEMORY, least)], texts, 10_000)
        there = segments.texts()
        told = [{hit.entry_id: hit.percent for hit in each.hits} for each in found]
        expected = [
            {
                id_: percent
                for id_, other in there.items()
                if (percent := percent_of(text, other, matcher.distance)) >= least
            }
            for text in texts
        ]
        print("right" if told == expected else f"wrong: {told} {expected}", flush=True)


@pytest.fixture
def children(tmp_path):
    """Three processes over the file ``texts`` and the folder ``index``."""
    arguments = [str(tmp_path / "texts"), str(tmp_path / "index")]
    command = [sys.executable, __file__, *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    started = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]
    yield started
    for child in started:
        child.stdin.close()
        child.wait(timeout=30)


def ask(children, least, texts):
    """All of them at once; each compares its answer with that of all entries."""
    for child in children:
        assert child.stdin is not None
        child.stdin.write(json.dumps([least, texts]) + "\n")
        child.stdin.flush()
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "right\n"


def test_all_of_three_processes_answer_as_brute_force_after_any_change(
    children, tmp_path
):
    chosen = random.Random(11)
    segments = SegmentsInFile(str(tmp_path / "texts"))
    for turn in range(TURNS):
        script = list(WORDS)[turn % len(WORDS)]
        there = list(segments.texts())
        changes = entries(sentences(script, chosen.choice((3, 60, 300)), turn))
        edited = chosen.sample(there, k=len(there) // 9)
        changes |= dict(zip(edited, sentences(script, len(edited), -turn), strict=True))
        changes |= dict.fromkeys(chosen.sample(there, k=len(there) // 12))
        segments.change(changes)
        some = chosen.sample(children, k=chosen.randint(1, 3))

        ask(some, chosen.randint(50, 100), sentences(script, 5, 100 + turn))
    ask(children, 60, [text for script in WORDS for text in sentences(script, 2, 77)])


def test_an_index_that_is_removed_meanwhile_is_made_again(children, tmp_path):
    segments = SegmentsInFile(str(tmp_path / "texts"))
    segments.change(entries(sentences("Latin", 200, 1)))
    asked = sentences("Latin", 4, 2)
    ask(children, 60, asked)

    for file in (tmp_path / "index").rglob("*.*"):
        file.unlink()

    segments.change(entries(sentences("Latin", 5, 3)))
    ask(children, 60, asked)


if __name__ == "__main__":
    child(*sys.argv[1:])
