"""Finds terms in texts: the longest at every place, however many terms there are.

A text is a row of words, a term is too. Terms are kept as a tree of words, in which
one walks from every word of a text as far as some term goes. The tree is flat, so that
it is copied in no time: of a large glossary only what has changed is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from functools import cache
from typing import NamedTuple

from .particles import stems_of
from .words import SPACE, Word, bare, caseless, exact, length_shared, loosely, words_of


class SearchTerm(NamedTuple):
    """A term to find."""

    id: str
    text: str
    case_sensitive: bool


class FoundTerm(NamedTuple):
    """A term at a place of a text."""

    id: str
    start: int  # in code points of the text as it was given
    end: int


Key = Callable[[str], str]
Ids = tuple[str, ...]


class _Candidate(NamedTuple):
    end: int  # in code points, not included
    ids: Ids


_NONE = _Candidate(-1, ())
_PARTICLE = "\0"  # begins one that was cut off: no term is that word


class TermIndex:
    """The terms of one language, ready to be found. Threads may share it."""

    def __init__(self, wanted: Iterable[SearchTerm], language_code: str) -> None:
        """``language_code`` says which endings do not count, which words are elided
        before others, and what is the capital of what."""
        self.language_code = language_code
        self._caseless = caseless(language_code)
        self._terms = {term.id: term for term in wanted}
        self._replaced = 0  # terms, since it was made anew
        loose, strict = _by_rule(self._terms.values())
        self._patterns = [
            _Patterns(loose, loosely(language_code), language_code),
            _Patterns(strict, exact, language_code, bare(language_code)),
        ]

    def updated(self, ids: Collection[str], now: Collection[SearchTerm]) -> TermIndex:
        """One in which these terms are what they are now; the others are gone.

        As if made anew. This one stays as it is. Takes 10 ms beside 100,000 terms.
        """
        old = [self._terms[id_] for id_ in ids if id_ in self._terms]
        terms = dict(self._terms)
        for term in old:
            del terms[term.id]
        terms |= {term.id: term for term in now}
        replaced = self._replaced + len(old)
        if _has_particles(self.language_code) or replaced > len(terms):
            return TermIndex(terms.values(), self.language_code)
        made = copy(self)
        made._terms, made._replaced = terms, replaced
        made._patterns = [
            patterns.updated(*parts)
            for patterns, *parts in zip(
                self._patterns, _by_rule(old), _by_rule(now), strict=True
            )
        ]
        return made

    def candidates(self, words: Sequence[Word]) -> dict[int, _Candidate]:
        """The longest terms that begin at each place of the text."""
        longest: dict[int, _Candidate] = {}
        for patterns in self._patterns:
            for start, end, ids in patterns.find(words):
                best = longest.get(start)
                if best is None or end > best.end:
                    longest[start] = _Candidate(end, ids)
                elif end == best.end:
                    longest[start] = _Candidate(end, best.ids + ids)
        return longest

    def nearest(self, ids: Iterable[str], piece: str) -> tuple[bool, list[str]]:
        """Those that are the piece of text to the letter; else but for case; else
        all, and that they have other endings. In order."""
        ids = sorted(ids)
        for key in (exact, self._caseless):
            there = self._row(piece, key)
            near = [
                id_ for id_ in ids if self._row(self._terms[id_].text, key) == there
            ]
            if near:
                return False, near
        return True, ids

    def distance(self, id_: str, piece: str) -> tuple[int, int]:
        """Less for a term that begins longer as the piece does, then for a shorter."""
        term, there = (
            "".join(self._row(text, self._caseless))
            for text in (self._terms[id_].text, piece)
        )
        return -length_shared(term, there), len(term)

    def _row(self, text: str, key: Key) -> list[str]:
        return [key(word.text) for word in _trimmed(text, self.language_code)]


def find_terms(text: str, indexes: Sequence[TermIndex]) -> list[FoundTerm]:
    """The terms of all indexes that are in the text, from its beginning to its end.

    At every place the longest counts, and nothing else in it. Of terms that differ in
    ending only, those that stand there are found, if any do, else all, the nearest
    first; of those of one index that differ in case only, those that stand there to the
    letter.
    """
    codes = {index.language_code for index in indexes}
    words = {code: words_of(text, code) for code in codes}
    tables = [index.candidates(words[index.language_code]) for index in indexes]
    nearest: dict[tuple[object, ...], list[str]] = {}  # a word may come 30,000 times
    found: list[FoundTerm] = []
    place = 0
    for start in sorted(set[int]().union(*tables)):
        if start < place:
            continue
        here = [table.get(start, _NONE) for table in tables]
        place = max(candidate.end for candidate in here)
        ending = [each.ids if each.end == place else () for each in here]
        asked = (text[start:place], *ending)
        if asked not in nearest:
            nearest[asked] = _nearest(indexes, ending, text[start:place])
        found += [FoundTerm(id_, start, place) for id_ in nearest[asked]]
    return found


def _nearest(
    indexes: Sequence[TermIndex], ending: Sequence[Ids], piece: str
) -> list[str]:
    """Of the terms that end at one place of a text those to be told, nearest first."""
    near = [
        (index, *index.nearest(ids, piece))
        for index, ids in zip(indexes, ending, strict=True)
        if ids
    ]
    best = min(differs for _, differs, _ in near)
    told = [
        (index, id_) for index, differs, ids in near if differs == best for id_ in ids
    ]
    if best and len(told) > 1:
        told.sort(key=lambda each: each[0].distance(each[1], piece))
    return [id_ for _, id_ in told]


class _Patterns:
    """The terms of one case rule, as a tree of words. It begins at node 0.

    The last word of one may stand in a text with more, which its ``bare`` key lacks.
    """

    def __init__(
        self,
        terms: Collection[SearchTerm],
        key: Key,
        language_code: str,
        bare: Key | None = None,
    ) -> None:
        self._key = key
        self._bare = bare
        self._language_code = language_code
        self._stems: Collection[str] = ()  # what is cut off its particles
        if _has_particles(language_code):
            words = (
                word for each in terms for word in _trimmed(each.text, language_code)
            )
            self._stems = {key(word.text) for word in words}
        self._next: dict[tuple[int, str], int] = {}  # from a node by a word to a node
        self._ids: dict[int, Ids] = {}  # of the terms that end at a node
        self._add(terms)

    def updated(
        self, old: Iterable[SearchTerm], new: Iterable[SearchTerm]
    ) -> _Patterns:
        """One without the old terms and with the new ones."""
        made = copy(self)
        made._next, made._ids = dict(self._next), dict(self._ids)
        made._remove(old)
        made._add(new)
        return made

    def find(self, words: Sequence[Word]) -> Iterator[tuple[int, int, Ids]]:
        """The longest terms at every place where some begin: start, end and ids."""
        if not self._ids:
            return
        words, key = self._cut(words), cache(self._key)  # words come again
        keys = [key(word.text) for word in words]
        bares = list(map(cache(self._bare), keys)) if self._bare else []
        for first, word in enumerate(words):
            node, last = 0, -1
            for at in range(first, len(keys)):
                before, node = node, self._next.get((node, keys[at]), 0)
                end = node
                if bares and end not in self._ids:
                    end = self._next.get((before, bares[at]), 0)
                if end in self._ids:
                    last, ids = at, self._ids[end]
                if not node:
                    break
            if last >= 0:
                yield word.start, words[last].end, ids

    def _add(self, terms: Iterable[SearchTerm]) -> None:
        for id_, row in self._rows(terms):
            node = 0
            for key in row:  # no node is ever taken away, so each number is new
                node = self._next.setdefault((node, key), len(self._next) + 1)
            self._ids[node] = (*self._ids.get(node, ()), id_)

    def _remove(self, terms: Iterable[SearchTerm]) -> None:
        for id_, row in self._rows(terms):
            node = 0
            for key in row:
                node = self._next[node, key]
            left = tuple(each for each in self._ids.pop(node) if each != id_)
            if left:
                self._ids[node] = left

    def _rows(self, terms: Iterable[SearchTerm]) -> Iterator[tuple[str, list[str]]]:
        key = cache(self._key)  # many terms share their words
        for term in terms:
            words = self._cut(_trimmed(term.text, self._language_code))
            if words:
                yield term.id, [key(word.text) for word in words]

    def _cut(self, words: Sequence[Word]) -> Sequence[Word]:
        """The words of a text or term, particles cut off those that a term has."""
        if not self._stems:
            return words
        return [part for word in words for part in self._without_particle(word)]

    def _without_particle(self, word: Word) -> Iterator[Word]:
        spelt = exact(word.text)
        for stem in stems_of(spelt):
            if self._key(stem) in self._stems:
                place = word.start + _length_of(stem, word.text)
                yield Word(stem, word.start, place)
                yield Word(_PARTICLE + spelt[len(stem) :], place, word.end)
                return
        yield word


def _length_of(stem: str, word: str) -> int:
    """How much of the word is the stem; its syllables may be written in parts."""
    if word.startswith(stem):
        return len(stem)
    return next(n for n in range(1, len(word) + 1) if exact(word[:n]) == stem)


def _by_rule(terms: Iterable[SearchTerm]) -> tuple[list[SearchTerm], list[SearchTerm]]:
    """Those in which case does not count, and those in which it does."""
    loose: list[SearchTerm] = []
    strict: list[SearchTerm] = []
    for term in terms:
        (strict if term.case_sensitive else loose).append(term)
    return loose, strict


def _has_particles(language_code: str) -> bool:
    """Whether what a term is cut into hangs on what other terms there are."""
    return language_code.partition("-")[0] == "ko"


def _trimmed(term: str, language_code: str) -> list[Word]:
    """The words of a term, without the space around it."""
    words = words_of(term, language_code)
    first = 1 if words and words[0].text == SPACE else 0
    last = -1 if len(words) > first and words[-1].text == SPACE else None
    return words[first:last]
