"""Splits texts into words, and compares words without case or ending.

Words begin and end by the rules of Unicode (UAX #29). In scripts without spaces (Thai,
Lao, Khmer, Han, Hiragana) each character is a word, so that terms may begin and end
between any two of them; so is each syllable in Korean, where particles follow a word
without a space. An elided word (the l’ of l’eau) is a word of its own.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import takewhile
from types import ModuleType
from typing import NamedTuple

from unicode_segmentation_rs import split_word_bounds

from locframework.languages import base_language, fold, nfc

from .units import unmarked

SPACE = " "
Alike = Callable[[str, str], bool]

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish",
    "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_STEMS_KEPT = 200_000
_ELIDED = {
    "fr": "c d j l m n s t qu jusqu lorsqu puisqu quoiqu",
    "it": "c d l m s t v un gl agl all bell coll dagl dall degl dell negl nell pell "
    "quell quest sant sugl sull",
    "ca": "d l m n s t",
}
# of verbs and nouns: any other ending makes another word of its stem
_INFLECTION = re.compile("(?:ing|ed|es|(?<!s)s|e|^d)$")
_Y_INFLECTED = re.compile("ie[sd]$")  # ability, abilities
# plurals that the stemmer treats as singulars, or whose singulars as plurals
_PLURALS = {
    "aliases": "alias", "buses": "bus", "canvases": "canvas", "lenses": "lens",
    "menus": "menu", "submenus": "submenu",
}  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
# what follows the singular (or an adjective) when its vowel has become an umlaut
_AFTER_UMLAUT = re.compile("er(?:[ens]|em|en|es|er)?")
_VOWEL = re.compile("[aeiouy]")
_AFTER_UMLAUT_OF_NOUNS = re.compile("en?")
_ONLY_UMLAUT = re.compile(  # nouns whose plural has nothing else
    "(?:acker|apfel|boden|bogen|bruder|faden|garten|graben|hafen|hammer|kasten|kloster|"
    "kragen|laden|magen|mangel|mantel|mutter|nagel|ofen|sattel|schaden|schnabel|"
    "schwager|tochter|vater|vogel)$"
)
_ACCENTS_COUNT = frozenset(("ca", "es", "fr", "it", "pt"))  # and stemmers drop them
_APOSTROPHES = "'\u2019\u02bc\uff07"
_ELISIONS = {
    code: re.compile(rf"(?:{'|'.join(words.split())})[{_APOSTROPHES}](?=\w)", re.I)
    for code, words in _ELIDED.items()
}
# composed, or as a sequence of letters
_SYLLABLE = re.compile(
    "([\uac00-\ud7a3]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?)"
)
_THE = "\u0627\u0644"  # in Arabic
_WITH_AND = re.compile(f"^\u0648(?={_THE})")
# the stemmer knows it by its article only
_PLURAL_WITHOUT_THE = re.compile(f"(?!{_THE}).{{2,}}\u0627\u062a")
_HYPHENS = "\u2010\u2011"
# invisible: where words may be broken, and their direction
_INVISIBLE = "\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff" + "".join(
    map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)
_SPELT: dict[int, str | None] = (
    {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFF01, 0xFFA0)}
    | dict.fromkeys(map(ord, _APOSTROPHES), "'")
    | dict.fromkeys(map(ord, _HYPHENS), "-")
    | dict.fromkeys(map(ord, _INVISIBLE))
)
# often omitted: Hebrew vowel points and accents, and the zero width non-joiner of
# Persian prefixes and endings
_LEFT_OUT = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u200c]")


class Word(NamedTuple):
    """A piece of a text between two boundaries: a word, a character, white space."""

    text: str  # white space of any kind and length is " "
    start: int  # in code points
    end: int


def words_of(text: str, language_code: str = "") -> list[Word]:
    """Return all pieces of a text, in order; invisible ones (a zero width space) are
    left out. ``language_code`` selects the elided words."""
    found: list[Word] = []
    start = 0
    for piece in _pieces(text, base_language(language_code)):
        end = start + len(piece)
        if not piece.isspace():
            if piece.strip(_INVISIBLE):
                found.append(Word(piece, start, end))
        elif found and found[-1].text == SPACE:
            found[-1] = Word(SPACE, found[-1].start, end)
        else:
            found.append(Word(SPACE, start, end))
        start = end
    return found


def _pieces(text: str, language: str) -> Iterator[str]:
    elision = _ELISIONS.get(language)
    for piece in split_word_bounds(text):
        if language == "ko":
            yield from filter(None, _SYLLABLE.split(piece))
        elif elision and (elided := elision.match(piece)):
            yield elided[0]
            yield piece[elided.end() :]
        else:
            yield piece


def exact(word: str) -> str:
    """Return a word in one spelling of accents, apostrophes and hyphens, and in one
    width of Latin letters and Katakana, without invisible characters."""
    if word.isascii():
        return word
    return nfc(word.translate(_SPELT))


def bare(language_code: str) -> Callable[[str], str] | None:
    """Return what removes the ending after an apostrophe: an English possessive
    (``Skerry's``), a Turkish ending (``Skerry'nin``). None for other languages."""
    base = base_language(language_code)
    if base == "en":
        return lambda word: word.removesuffix("'s") or word
    if base in ("tr", "az"):
        return lambda word: word.partition("'")[0] or word
    return None


def caseless(language_code: str) -> Callable[[str], str]:
    """Return what maps words to one form that differ in case only, or in Hebrew points
    and zero width non-joiners, which are often omitted."""
    return _turkish if base_language(language_code) in ("tr", "az") else _caseless


def loosely(language_code: str) -> Callable[[str], str]:
    """Return what maps words to one form that differ in case, or in their ending where
    the language has a stemmer."""
    key = caseless(language_code)
    algorithm = _ALGORITHMS.get(base_language(language_code))
    if algorithm is None or algorithm not in _known():
        return key
    return lambda word: _stem(algorithm, key(word))


def alike(language_code: str) -> Alike | None:
    """Return what tells whether a term's word and a text's word, of one stem, may be
    the same word by their accents. None where the stem shows it.

    Stemmers drop accents. In German an umlaut makes another word (drucken, drücken),
    unless the text has the plural or comparative of the term (Haus, Häuser). In Romance
    languages words differ that differ in accents only (marche, marché).
    """
    base = base_language(language_code)
    if base == "de":
        return _alike_in_german
    return _alike_but_for_accents if base in _ACCENTS_COUNT else None


def length_shared(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


class Searched:
    """A text in which parts are searched; it is split into words once, if at all. The
    marks of accelerators in it make no difference."""

    def __init__(self, text: str, language_code: str) -> None:
        clean = unmarked(text)
        self._texts = (text, clean[0]) if clean else (text,)
        self._language_code = language_code
        self._caseless = caseless(language_code)
        self._folded = [self._caseless(each) for each in self._texts]
        self._key = loosely(language_code)
        self._alike = alike(language_code)

    def has(self, part: str, *, exactly: bool = False) -> bool:
        """Return whether the part occurs, also within a longer word; unless
        ``exactly``, also in another case, or word by word with other endings."""
        if exactly:
            return any(exact(part) in exact(text) for text in self._texts)
        folded = self._caseless(part)
        if any(folded in text for text in self._folded):
            return True
        wanted = self._words_of(part.strip())
        return any(
            all(map(self._is_same, wanted, there[at : at + len(wanted)]))
            for there in self._words
            for at in range(len(there) - len(wanted) + 1)
        )

    @cached_property
    def _words(self) -> list[list[tuple[str, str]]]:
        return [self._words_of(text) for text in self._texts]

    def _words_of(self, text: str) -> list[tuple[str, str]]:
        """Return each word with its stem."""
        words = words_of(text, self._language_code)
        return [(word.text, self._key(word.text)) for word in words]

    def _is_same(self, wanted: tuple[str, str], there: tuple[str, str]) -> bool:
        if wanted[1] != there[1]:
            return False
        is_alike, one, other = self._alike, wanted[0], there[0]
        return not is_alike or is_alike(one, other) or is_alike(other, one)


def _caseless(word: str) -> str:
    return fold(_LEFT_OUT.sub("", exact(word)))


def _turkish(word: str) -> str:
    """In Turkish I is the capital of \u0131, and \u0130 that of i."""
    return _caseless(exact(word).replace("\u0130", "i").replace("I", "\u0131"))


@lru_cache(maxsize=_STEMS_KEPT)
def _alike_in_german(term: str, word: str) -> bool:
    one, other = (_caseless(each).translate(_UMLAUTS) for each in (term, word))
    at = length_shared(one, other)
    if _umlaut_at(one, other, at):
        return False
    if not _umlaut_at(other, one, at):
        return True
    plain = other[:at] + other[at + 1 :]
    if not plain.startswith(one):
        return False
    ending = plain.removeprefix(one)
    if ending in ("", "n"):
        return _ONLY_UMLAUT.search(one) is not None
    if _VOWEL.search(one[at:].removeprefix("u")):  # Häuser, and not Währungen
        return False
    is_noun = word[0].isupper() and _AFTER_UMLAUT_OF_NOUNS.fullmatch(ending)
    return bool(is_noun or _AFTER_UMLAUT.fullmatch(ending))


def _umlaut_at(word: str, plain: str, at: int) -> bool:
    """Whether ``word`` has the ``e`` of an umlaut where ``plain`` goes on without."""
    return (
        word[at - 1 : at] in ("a", "o", "u")
        and word[at : at + 1] == "e"
        and word[at + 1 : at + 2] == plain[at : at + 1] != ""
    )


@lru_cache(maxsize=_STEMS_KEPT)
def _alike_but_for_accents(term: str, word: str) -> bool:
    one, other = (_caseless(each).removesuffix("s") for each in (term, word))
    if one == other:
        return True
    plain = _without_accents(other)
    is_capitals = word.isupper() and other == plain  # which often lack their accents
    return is_capitals or _without_accents(one) != plain


def _without_accents(word: str) -> str:
    # letter by letter: Python takes quadratic time for thousands of accents on one
    letters = (unicodedata.normalize("NFD", each) for each in word)
    return "".join(e for each in letters for e in each if not unicodedata.combining(e))


def _snowball() -> ModuleType:
    """Import the library only when a word is stemmed: it takes 30 ms."""
    import snowballstemmer  # type: ignore[import-untyped]

    library: ModuleType = snowballstemmer
    return library


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Return the algorithms of the installed library: older ones have fewer."""
    return frozenset(_snowball().algorithms())


def _snowball_stem(algorithm: str, word: str) -> str:
    """Stem with a new stemmer: threads cannot share one, and it takes 10 µs."""
    stem: str = _snowball().stemmer(algorithm).stemWord(word)
    return stem


@lru_cache(maxsize=_STEMS_KEPT)
def _stem(algorithm: str, word: str) -> str:
    if algorithm == "english":
        return exact(_english(word))
    if algorithm == "arabic":
        word = _WITH_AND.sub("", word)
        if _PLURAL_WITHOUT_THE.fullmatch(word):
            word = _THE + word
    return exact(_snowball_stem(algorithm, word))


def _english(word: str) -> str:
    """Return the stem with the endings that make another word of it: ``customer`` is
    not ``custom``, and ``important`` is not ``import``."""
    word = word.removesuffix("'s") or word
    word = _PLURALS.get(word, word)
    stem = _snowball_stem("english", word)
    length = length_shared(word, stem)
    ending = word[length:]
    if stem[length : length + 1] == "i":  # try, tried; die, dying
        ending = ending.removeprefix("y")
    elif ending[:1] == stem[-1:]:  # stop, stopped
        ending = ending[1:]
    left = ""
    ending = _Y_INFLECTED.sub("y", ending)
    while ending != left:
        left, ending = ending, _INFLECTION.sub("", ending)
    return f"{stem}\0{ending}" if ending else stem
