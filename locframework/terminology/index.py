"""Finds terms in texts: all of them in one pass, the longest first.

A text is a row of words, a term is too; both are told as rows of numbers, one for each
word that some term has. An automaton (Aho and Corasick) then walks a text once, however
many terms there are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import ahocorasick  # type: ignore[import-not-found]

from .particles import stems_of
from .records import Found, Wanted
from .words import SPACE, Word, caseless, exact, loosely, words_of

UNKNOWN = 0  # the number of every word that no term has
Key = Callable[[str], str]


class _Candidate(NamedTuple):
    end: int  # in code points, not included
    ids: Sequence[str]


class _Automaton(Protocol):
    def iter(self, numbers: tuple[int, ...]) -> Iterator[tuple[int, int]]: ...


class TermIndex:
    """The terms of one language, ready to be found. Threads may share it."""

    def __init__(self, wanted: Iterable[Wanted], language_code: str) -> None:
        """``language_code`` says which endings do not count, which words are elided
        before others, and what is the capital of what."""
        self.language_code = language_code
        self._caseless = caseless(language_code)
        terms = list(wanted)
        self._texts = {term.id: term.text for term in terms}
        loose = [term for term in terms if not term.case_sensitive]
        strict = [term for term in terms if term.case_sensitive]
        self._patterns = [
            _Patterns(terms, key, language_code)
            for terms, key in ((loose, loosely(language_code)), (strict, exact))
            if terms
        ]

    def candidates(self, words: Sequence[Word]) -> dict[int, _Candidate]:
        """The longest terms that begin at each place of the text."""
        longest: dict[int, _Candidate] = {}
        for patterns in self._patterns:
            for start, end, ids in patterns.find(words):
                best = longest.get(start)
                if best is None or end > best.end:
                    longest[start] = _Candidate(end, ids)
                elif end == best.end:
                    longest[start] = _Candidate(end, [*best.ids, *ids])
        return longest

    def nearest(self, ids: Iterable[str], piece: str) -> tuple[bool, list[str]]:
        """Those that are the piece of text to the letter; else but for case; else
        all, and that they have other endings. In order."""
        ids = sorted(ids)
        for key in (exact, self._caseless):
            there = self._row(piece, key)
            near = [id_ for id_ in ids if self._row(self._texts[id_], key) == there]
            if near:
                return False, near
        return True, ids

    def _row(self, text: str, key: Key) -> list[str]:
        return [key(word.text) for word in _trimmed(text, self.language_code)]


def find_terms(text: str, indexes: Sequence[TermIndex]) -> list[Found]:
    """The terms of all indexes that are in the text, from its beginning to its end.

    At every place the longest counts, and nothing else in it. Of terms that differ in
    ending only, those that stand there are found, if any do; of those of one index that
    differ in case only, those that stand there to the letter.
    """
    codes = {index.language_code for index in indexes}
    words = {code: words_of(text, code) for code in codes}
    tables = [index.candidates(words[index.language_code]) for index in indexes]
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
        near = [
            index.nearest(candidate.ids, text[start:place])
            for index, candidate in here
            if candidate.end == place
        ]
        best = min(differs for differs, _ in near)
        found += [
            Found(id_, start, place)
            for differs, ids in near
            if differs == best
            for id_ in ids
        ]
    return found


class _Patterns:
    """The terms of one case rule."""

    def __init__(self, terms: Sequence[Wanted], key: Key, language_code: str) -> None:
        self._key = key
        self._has_particles = language_code.partition("-")[0] == "ko"
        self._numbers: dict[str, int] = {}
        rows: dict[tuple[int, ...], list[str]] = {}
        words = [_trimmed(term.text, language_code) for term in terms]
        self._stems = {key(word.text) for some in words for word in some}
        for term, some in zip(terms, words, strict=True):
            row = tuple(
                self._numbers.setdefault(key(word.text), len(self._numbers) + 1)
                for word in self._cut(some)
            )
            if row:
                rows.setdefault(row, []).append(term.id)
        self._ids = list(rows.values())
        self._lengths = [len(row) for row in rows]
        self._automaton = _automaton(rows)

    def find(self, words: Sequence[Word]) -> Iterator[tuple[int, int, list[str]]]:
        """Every term at every place: where it begins and ends, their ids."""
        numbers = self._numbers
        words = self._cut(words)
        row = tuple(numbers.get(self._key(word.text), UNKNOWN) for word in words)
        for last, which in self._automaton.iter(row):
            first = words[last + 1 - self._lengths[which]]
            yield first.start, words[last].end, self._ids[which]

    def _cut(self, words: Sequence[Word]) -> Sequence[Word]:
        """The words of a text or term, particles cut off those that a term has."""
        if not self._has_particles:
            return words
        return [part for word in words for part in self._without_particle(word)]

    def _without_particle(self, word: Word) -> Iterator[Word]:
        for stem in stems_of(word.text):
            if self._key(stem) in self._stems:
                place = word.start + len(stem)
                yield Word(stem, word.start, place)
                yield Word(word.text[len(stem) :], place, word.end)
                return
        yield word


def _automaton(rows: Iterable[tuple[int, ...]]) -> _Automaton:
    made = ahocorasick.Automaton(ahocorasick.STORE_ANY, ahocorasick.KEY_SEQUENCE)
    for number, row in enumerate(rows):
        made.add_word(row, number)
    made.make_automaton()
    found: _Automaton = made
    return found


def _trimmed(term: str, language_code: str) -> list[Word]:
    """The words of a term, without the space around it."""
    words = words_of(term, language_code)
    first = 1 if words and words[0].text == SPACE else 0
    last = -1 if len(words) > first and words[-1].text == SPACE else None
    return words[first:last]
