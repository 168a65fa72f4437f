"""Finds terms in texts: the longest at every place, and all forbidden ones, however
many terms there are.

Texts and terms are sequences of words. The terms form a trie of words. Building that of
30,000 terms takes about a second.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from .units import inside_units, unmarked
from .words import (
    SPACE,
    Alike,
    Word,
    alike,
    bare,
    caseless,
    exact,
    length_shared,
    loosely,
    words_of,
)

Key = Callable[[str], str]
Ids = tuple[str, ...]
Place = tuple[int, int]
"""Start and end, in code points of the text as it was given."""

_NONE: tuple[int, Ids] = (-1, ())
_FORBIDDEN_AT_ONCE = 8  # of terms that begin with each other; the longest
_STEPS_MOST = 1_000_000
"""Words compared beyond the first, from all places of a text. Only a text that repeats
the beginning of a long term has more; its rest is not searched."""


class SearchTerm(NamedTuple):
    """A term to find."""

    id: str
    text: str
    case_sensitive: bool
    is_forbidden: bool = False


class FoundTerm(NamedTuple):
    """A term at a place of a text."""

    id: str
    start: int  # in code points of the text as it was given
    end: int


class Candidates(NamedTuple):
    """What may be found of the terms of one language."""

    longest: dict[int, tuple[int, Ids]]  # end and terms, by start; without forbidden
    forbidden: dict[Place, Ids]


class _Reading(NamedTuple):
    """A text as words, with or without the marks of accelerators."""

    words: list[Word]
    inside: set[int]  # places where no term begins or ends


class TermIndex:
    """The terms of one language, by word. Threads may share it."""

    def __init__(self, terms: Iterable[SearchTerm], language_code: str) -> None:
        """``language_code`` selects stemmer, elisions and the rules of letter case."""
        self.language_code = language_code
        self._caseless = caseless(language_code)
        self._terms = {term.id: term for term in terms}
        loose = [each for each in self._terms.values() if not each.case_sensitive]
        strict = [each for each in self._terms.values() if each.case_sensitive]
        self._tries = [
            _Trie(loose, loosely(language_code), language_code, alike(language_code)),
            _Trie(strict, exact, language_code, bare=bare(language_code)),
        ]

    def candidates(self, readings: Iterable[_Reading]) -> Candidates:
        """Return the longest terms by the place of the text where they begin, and the
        forbidden ones."""
        longest: dict[int, tuple[int, Ids]] = {}
        forbidden: dict[Place, Ids] = {}
        for reading in readings:
            for trie in self._tries:
                for start, end, ids in trie.find(*reading):
                    if self._terms[ids[0]].is_forbidden:
                        known = forbidden.get((start, end), ())
                        forbidden[start, end] = _joined(known, ids)
                        continue
                    best_end, best_ids = longest.get(start, _NONE)
                    if end > best_end:
                        longest[start] = end, ids
                    elif end == best_end:
                        longest[start] = end, _joined(best_ids, ids)
        return Candidates(longest, forbidden)

    def nearest(self, ids: Iterable[str], piece: str) -> tuple[bool, list[str]]:
        """Return the terms that are equal to a piece of text, else those that differ
        in case only, else all and True: they have other endings. In order of id."""
        ids = sorted(ids)
        if len(ids) == 1 and self._terms[ids[0]].text == piece:
            return False, ids
        clean = unmarked(piece)
        pieces = (piece, clean[0]) if clean else (piece,)
        for key, each in product((exact, self._caseless), pieces):
            words = self._keys(each, key)
            near = [
                id_ for id_ in ids if self._keys(self._terms[id_].text, key) == words
            ]
            if near:
                return False, near
        return True, ids

    def distance(self, id_: str, piece: str) -> tuple[int, int]:
        """Return a sort key: terms with a longer common beginning come first, then
        shorter terms."""
        term, text = (
            "".join(self._keys(text, self._caseless))
            for text in (self._terms[id_].text, piece)
        )
        return -length_shared(term, text), len(term)

    def _keys(self, text: str, key: Key) -> list[str]:
        return [key(word.text) for word in _trimmed(text, self.language_code)]


def find_terms(text: str, indexes: Sequence[TermIndex]) -> list[FoundTerm]:
    """Return the terms of all indexes in a text, in their order there.

    All forbidden terms are found. Of the others, only the longest at every place, and
    none inside it. None is found in a part of a unit, such as a hyphenated compound.
    Of terms that differ in their ending only, those equal to the text are found, else
    all, the nearest first; of those of one index that differ in case only, those equal
    to the text. Marks of accelerators make no difference.
    """
    codes = {index.language_code for index in indexes}
    readings = {code: list(_readings(text, code)) for code in codes}
    tables = [index.candidates(readings[index.language_code]) for index in indexes]
    places: list[Place] = []
    end = 0
    for start in sorted(set[int]().union(*(each.longest for each in tables))):
        if start >= end:
            end = max(table.longest.get(start, _NONE)[0] for table in tables)
            places.append((start, end))
    chosen = set(places)
    if any(table.forbidden for table in tables):
        places = sorted(chosen.union(*(table.forbidden for table in tables)))
    nearest: dict[tuple[object, ...], list[str]] = {}  # words may occur 30,000 times
    found: list[FoundTerm] = []
    for start, end in places:
        here = [
            (table.longest.get(start, _NONE), table.forbidden.get((start, end), ()))
            for table in tables
        ]
        ids = [
            (others if other_end == end else ()) + forbidden
            for (other_end, others), forbidden in here
        ]
        piece = text[start:end]
        if (piece, *ids) not in nearest:
            nearest[piece, *ids] = _nearest(indexes, ids, piece)
        found += [
            FoundTerm(id_, start, end)
            for id_ in nearest[piece, *ids]
            if (start, end) in chosen or any(id_ in each for _, each in here)
        ]
    return found


def _readings(text: str, language_code: str) -> Iterator[_Reading]:
    yield _Reading(words_of(text, language_code), inside_units(text, language_code))
    if clean := unmarked(text):
        plain, kept = clean
        words = [
            Word(word.text, kept[word.start], kept[word.end - 1] + 1)
            for word in words_of(plain, language_code)
        ]
        inside = inside_units(plain, language_code)
        before = {kept[at - 1] + 1 for at in inside}
        yield _Reading(words, before.union(kept[at] for at in inside))


def _joined(some: Ids, others: Ids) -> Ids:
    return tuple(dict.fromkeys(some + others))


def _nearest(
    indexes: Sequence[TermIndex], longest: Sequence[Ids], piece: str
) -> list[str]:
    """Return those of the terms at one place that are found, the nearest first."""
    near = [
        (index, *index.nearest(ids, piece))
        for index, ids in zip(indexes, longest, strict=True)
        if ids
    ]
    best = min(differs for _, differs, _ in near)
    terms = [
        (index, id_) for index, differs, ids in near if differs == best for id_ in ids
    ]
    if best and len(terms) > 1:
        terms.sort(key=lambda each: each[0].distance(each[1], piece))
    return [id_ for _, id_ in terms]


class _Trie:
    """The terms of one case rule as a trie of words, whose root is node 0. The last
    word of a term may have more in a text: what its ``bare`` key removes."""

    def __init__(
        self,
        terms: Collection[SearchTerm],
        key: Key,
        language_code: str,
        alike: Alike | None = None,
        bare: Key | None = None,
    ) -> None:
        self._key = key
        self._alike = alike
        self._bare = bare
        self._next: dict[tuple[int, str], int] = {}  # from a node by a word to a node
        self._ids: dict[int, Ids] = {}  # of the terms that end at a node
        self._words: dict[str, list[str]] = {}  # of a term, where they may be unlike
        self._forbidden = frozenset(each.id for each in terms if each.is_forbidden)
        key = cache(key)  # many terms share their words
        for term in terms:
            node = 0
            words = [word.text for word in _trimmed(term.text, language_code)]
            for word in words:
                step = node, key(word)
                node = self._next.setdefault(step, len(self._next) + 1)
            if node:
                self._ids[node] = (*self._ids.get(node, ()), term.id)
                if alike:
                    self._words[term.id] = words

    def find(
        self, words: Sequence[Word], inside: Collection[int]
    ) -> Iterator[tuple[int, int, Ids]]:
        """Yield start, end and ids of the longest terms at every place, and of all
        forbidden ones by themselves."""
        if not self._ids:
            return
        key = cache(self._key)  # words are repeated
        keys = [key(word.text) for word in words]
        bares = list(map(cache(self._bare), keys)) if self._bare else []
        left = _STEPS_MOST
        for first, word in enumerate(words):
            if inside and word.start in inside:
                continue
            node, longest = 0, _NONE
            forbidden: list[tuple[int, Ids]] = []
            for at in range(first, len(keys)):
                before, node = node, self._next.get((node, keys[at]), 0)
                end = node
                if bares and end not in self._ids:
                    end = self._next.get((before, bares[at]), 0)
                if end in self._ids and words[at].end not in inside:
                    ids = self._ids[end]
                    if self._alike:
                        ids = self._alike_of(ids, words[first : at + 1])
                    if self._forbidden:
                        bad = tuple(each for each in ids if each in self._forbidden)
                        forbidden += [(words[at].end, bad)] if bad else []
                        ids = tuple(each for each in ids if each not in bad)
                    longest = (words[at].end, ids) if ids else longest
                if not node:
                    break
            left -= at - first
            if left < 0:
                return
            for last, ids in (longest, *forbidden[-_FORBIDDEN_AT_ONCE:]):
                if ids:
                    yield word.start, last, ids

    def _alike_of(self, ids: Ids, words: Sequence[Word]) -> Ids:
        """Return the terms whose words have the accents of those of a text."""
        assert self._alike
        there = [word.text for word in words]
        return tuple(i for i in ids if all(map(self._alike, self._words[i], there)))


def _trimmed(term: str, language_code: str) -> list[Word]:
    """Return the words of a term without the space around it."""
    words = words_of(term, language_code)
    first = 1 if words and words[0].text == SPACE else 0
    last = -1 if len(words) > first and words[-1].text == SPACE else None
    return words[first:last]
