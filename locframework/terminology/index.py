"""Finds terms in texts: the longest at every place, however many terms there are.

Texts and terms are sequences of words. The terms form a trie of words. Building that of
30,000 terms takes about a second.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from .words import SPACE, Word, bare, caseless, exact, length_shared, loosely, words_of

Key = Callable[[str], str]
Ids = tuple[str, ...]
Candidate = tuple[int, Ids]
"""Where terms end, in code points, and the terms."""

_NONE: Candidate = (-1, ())


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
            _Trie(loose, loosely(language_code), language_code),
            _Trie(strict, exact, language_code, bare(language_code)),
        ]

    def candidates(self, words: Sequence[Word]) -> dict[int, Candidate]:
        """Return the longest terms by the place of the text where they begin."""
        longest: dict[int, Candidate] = {}
        for trie in self._tries:
            for start, end, ids in trie.find(words):
                best_end, best_ids = longest.get(start, _NONE)
                if end > best_end:
                    longest[start] = end, ids
                elif end == best_end:
                    longest[start] = end, best_ids + ids
        return longest

    def nearest(self, ids: Iterable[str], piece: str) -> tuple[bool, list[str]]:
        """Return the terms that are equal to a piece of text, else those that differ
        in case only, else all and True: they have other endings. In order of id."""
        ids = sorted(ids)
        for key in (exact, self._caseless):
            words = self._keys(piece, key)
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

    At every place only the longest is found, and none inside it. Of terms that differ
    in their ending only, those equal to the text are found, else all, the nearest
    first; of those of one index that differ in case only, those equal to the text.
    """
    codes = {index.language_code for index in indexes}
    words = {code: words_of(text, code) for code in codes}
    tables = [index.candidates(words[index.language_code]) for index in indexes]
    nearest: dict[tuple[object, ...], list[str]] = {}  # words may occur 30,000 times
    found: list[FoundTerm] = []
    end = 0
    for start in sorted(set[int]().union(*tables)):
        if start < end:
            continue
        here = [table.get(start, _NONE) for table in tables]
        end = max(each_end for each_end, _ in here)
        longest = [ids if each_end == end else () for each_end, ids in here]
        piece = text[start:end]
        if (piece, *longest) not in nearest:
            nearest[piece, *longest] = _nearest(indexes, longest, piece)
        found += [FoundTerm(id_, start, end) for id_ in nearest[piece, *longest]]
    return found


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
    """The terms of one case rule as a trie of words, whose root is node 0.

    The last word of a term may have more in a text: what its ``bare`` key removes.
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
        self._next: dict[tuple[int, str], int] = {}  # from a node by a word to a node
        self._ids: dict[int, Ids] = {}  # of the terms that end at a node
        key = cache(key)  # many terms share their words
        for term in terms:
            node = 0
            for word in _trimmed(term.text, language_code):
                step = node, key(word.text)
                node = self._next.setdefault(step, len(self._next) + 1)
            if node:
                self._ids[node] = (*self._ids.get(node, ()), term.id)

    def find(self, words: Sequence[Word]) -> Iterator[tuple[int, int, Ids]]:
        """Yield start, end and ids of the longest terms at every place."""
        if not self._ids:
            return
        key = cache(self._key)  # words are repeated
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


def _trimmed(term: str, language_code: str) -> list[Word]:
    """Return the words of a term without the space around it."""
    words = words_of(term, language_code)
    first = 1 if words and words[0].text == SPACE else 0
    last = -1 if len(words) > first and words[-1].text == SPACE else None
    return words[first:last]
