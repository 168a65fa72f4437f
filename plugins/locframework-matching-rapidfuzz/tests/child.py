"""A process that shares an index: asked on standard input, it compares with all."""

import json
import sqlite3
import sys
from collections.abc import Iterator, Sequence

from locframework_matching_rapidfuzz import MatchingSettings, RapidfuzzMatcher

from locframework.ports import SegmentChange, Wanted
from locframework.testing.contracts.matcher_samples import percent_of

MEMORY = "01890000-0000-7000-8000-000000000001"


class SegmentsInFile:
    """The port Segments over a SQLite file that several processes share."""

    def __init__(self, path: str) -> None:
        self.database = sqlite3.connect(path, timeout=30)
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS texts (id TEXT PRIMARY KEY, revision, text)"
        )

    def change(self, changes: dict[str, str | None]) -> None:
        with self.database:
            revision = self.revisions([MEMORY])[MEMORY] + 1
            self.database.executemany(
                "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)",
                [(id_, revision, text) for id_, text in changes.items()],
            )

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        [(revision,)] = self.database.execute(
            "SELECT coalesce(max(revision), 0) FROM texts"
        )
        return dict.fromkeys(memory_ids, revision)

    def is_in_block(self) -> bool:
        return False

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        asked = "SELECT revision, id, text FROM texts WHERE revision > ?"
        for row in self.database.execute(asked, (after,)).fetchall():
            yield SegmentChange(*row)

    def texts(self) -> dict[str, str]:
        asked = "SELECT id, text FROM texts WHERE text IS NOT NULL"
        return dict(self.database.execute(asked))


def main() -> None:
    path, folder = sys.argv[1:]
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


if __name__ == "__main__":
    main()
