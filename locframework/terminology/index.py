"""Finds terms in texts: all of them in one pass, the longest first.

A text is a row of words, a term is too; both are told as rows of numbers, one for each
word that some term has. An automaton (Aho and Corasick) then walks a text once, however
many terms there are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import ahocorasick  # type: ignore[import-not-found]

from locframework.folding import fold

from .records import Found, Wanted
from .words import SPACE, Word, exact, loosely, words_of

UNKNOWN = 0  # the number of every word that no term has
Key = Callable[[str], str]


class _Candidate(NamedTuple):
    end: int  # in words, not included
    ids: Sequence[str]


class _Automaton(Protocol):
    def iter(self, numbers: tuple[int, ...]) -> Iterator[tuple[int, int]]: ...


class TermIndex:
    """The terms of one language, ready to be found. Threads may share it."""

    def __init__(self, wanted: Iterable[Wanted], language_code: str) -> None:
        """``language_code`` says which endings do not count."""
        terms = list(wanted)
        self._texts = {term.id: term.text for term in terms}
        loose = [term for term in terms if not term.case_sensitive]
        strict = [term for term in terms if term.case_sensitive]
        self._patterns = [
            _Patterns(terms, key)
            for terms, key in ((loose, loosely(language_code)), (strict, exact))
            if terms
        ]

    def candidates(self, words: Sequence[Word]) -> dict[int, _Candidate]:
        """The longest terms that begin at each word, by its place; nearest first."""
        longest: dict[int, _Candidate] = {}
        for patterns in self._patterns:
            for start, end, ids in patterns.find(words):
                best = longest.get(start)
                if best is None or end > best.end:
                    longest[start] = _Candidate(end, ids)
                elif end == best.end:
                    longest[start] = _Candidate(end, [*best.ids, *ids])
        return longest

    def nearest(self, ids: Iterable[str], words: Sequence[Word]) -> list[str]:
        """Those that stand there to the letter; else but for case; else all.
        In order."""
        ids = sorted(ids)
        for key in (exact, fold):
            there = _row(words, key)
            near = [
                id_ for id_ in ids if _row(_trimmed(self._texts[id_]), key) == there
            ]
            if near:
                return near
        return ids


def find_terms(text: str, indexes: Sequence[TermIndex]) -> list[Found]:
    """The terms of all indexes that are in the text, from its beginning to its end.

    At every place the longest counts, and nothing else in it. Of the terms of one index
    that differ in case or ending only, the nearest are found: those that stand there to
    the letter, else those that differ in case, else all.
    """
    words = words_of(text)
    tables = [index.candidates(words) for index in indexes]
    found: list[Found] = []
    place = 0
    for start in sorted(set[int]().union(*tables)):
        if start < place:
            continue
        here = [
            (index, table[start])
            for index, table in zip(indexes, tables, strict=True)
            if start in table
        ]
        place = max(candidate.end for _, candidate in here)
        covered = words[start:place]
        for index, candidate in here:
            if candidate.end == place:
                found += [
                    Found(id_, covered[0].start, covered[-1].end)
                    for id_ in index.nearest(candidate.ids, covered)
                ]
    return found


class _Patterns:
    """The terms of one case rule."""

    def __init__(self, terms: Sequence[Wanted], key: Key) -> None:
        self._key = key
        self._numbers: dict[str, int] = {}
        rows: dict[tuple[int, ...], list[str]] = {}
        for term in terms:
            row = tuple(
                self._numbers.setdefault(key(word.text), len(self._numbers) + 1)
                for word in _trimmed(term.text)
            )
            if row:
                rows.setdefault(row, []).append(term.id)
        self._ids = list(rows.values())
        self._lengths = [len(row) for row in rows]
        self._automaton = _automaton(rows)

    def find(self, words: Sequence[Word]) -> Iterator[tuple[int, int, list[str]]]:
        """Every term at every place: the words from, the words to, their ids."""
        numbers = self._numbers
        row = tuple(numbers.get(self._key(word.text), UNKNOWN) for word in words)
        for last, which in self._automaton.iter(row):
            yield last + 1 - self._lengths[which], last + 1, self._ids[which]


def _automaton(rows: Iterable[tuple[int, ...]]) -> _Automaton:
    made = ahocorasick.Automaton(ahocorasick.STORE_ANY, ahocorasick.KEY_SEQUENCE)
    for number, row in enumerate(rows):
        made.add_word(row, number)
    made.make_automaton()
    found: _Automaton = made
    return found


def _trimmed(term: str) -> list[Word]:
    """The words of a term, without the space around it."""
    words = words_of(term)
    first = 1 if words and words[0].text == SPACE else 0
    last = -1 if len(words) > first and words[-1].text == SPACE else None
    return words[first:last]


def _row(words: Iterable[Word], key: Key) -> list[str]:
    return [key(word.text) for word in words]
