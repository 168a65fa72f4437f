"""An honest matcher that keeps copies. Its mutants: mutants/matcher.py."""

import threading

import pytest
from rapidfuzz.distance import Levenshtein

from locframework.ports import Forgotten, Found, Hit
from locframework.testing.contracts.matchers import MatcherContract


class Copying:
    """Compares with every entry of its copies, which all instances of a place share."""

    name = "copying"

    def __init__(self, place):
        self.place = place  # revision and texts by entry id, by memory id
        self.lock = threading.Lock()

    def find(self, segments, wanted, texts, most):
        revisions = segments.revisions([each.memory_id for each in wanted])
        entries = [
            (each, entry_id, text)
            for each in wanted
            if each.memory_id in revisions
            for entry_id, text in self.texts_of(
                segments, each.memory_id, revisions[each.memory_id]
            ).items()
        ]
        return [self.found(entries, text, most) for text in texts]

    def texts_of(self, segments, memory_id, revision):
        with self.lock:
            known, texts = self.place.get(memory_id, (0, {}))
            if known == revision and not segments.is_in_block():
                return texts
            if known > revision:
                known, texts = 0, {}
            try:
                changes = [*segments.changes(memory_id, known)]
            except Forgotten:
                known, texts = 0, {}
                changes = [*segments.changes(memory_id, 0)]
            texts = dict(texts)
            for change in changes:
                texts.pop(change.entry_id, None)
                if change.text:
                    texts[change.entry_id] = change.text
            if not segments.is_in_block():
                newest = max([known, revision, *(each.revision for each in changes)])
                self.place[memory_id] = (newest, texts)
            return texts

    def found(self, entries, text, most):
        hits = []
        for wanted, entry_id, other in entries:
            longest = max(len(text), len(other))
            if not text or (100 - wanted.least_percent) * longest < 100 * abs(
                len(text) - len(other)
            ):
                continue
            distance = self.distance(text, other)
            percent = (longest - distance) * 100 // longest
            if percent >= wanted.least_percent:
                hits.append(Hit(wanted.memory_id, entry_id, percent))
        hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))
        return Found(hits[:most], len(hits) <= most)

    def distance(self, first, second):
        return Levenshtein.distance(first, second)

    def forget(self, memory_id):
        self.place.pop(memory_id, None)


class TestCopying(MatcherContract):
    undamageable = "nothing else has the copies"
    unbreakable = "there is nothing to reach"
    size = 40
    longest = 130

    @pytest.fixture
    def open_index(self):
        place = {}
        return lambda: Copying(place)
