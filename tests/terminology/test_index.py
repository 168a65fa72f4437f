"""Terms found in texts: where they are, and nowhere else."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise

import pytest
import snowballstemmer  # type: ignore[import-untyped]
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from unicode_segmentation_rs import split_word_bounds

from locframework.terminology.index import FoundTerm, SearchTerm, TermIndex, find_terms

from .finding import found

NESTED = ["boarding", "boarding pass", "pass", "boarding pass office"]


@pytest.mark.parametrize(
    ("text", "terms", "strict", "hits"),
    [
        ("Pier: the pier, not pierced repier", ["pier"], [], ["Pier", "pier"]),
        ("Your boarding pass.", NESTED, [], ["boarding pass"]),
        ("a boarding, a pass", NESTED, [], ["boarding", "pass"]),
        ("an it desk", ["it"], ["IT desk"], ["it"]),
        ("May I go in may?", [], ["May"], ["May"]),
        ("May I go in may?", ["May"], [], ["May", "may"]),
        ("log\n  in, log\u00a0in, login", [" log in "], [],
         ["log\n  in", "log\u00a0in"]),
        ("C++ or C or .NET", ["C++", ".NET"], [], ["C++", ".NET"]),
    ],
)  # fmt: skip
def test_the_longest_terms_are_found_where_words_begin_and_end(
    text: str, terms: list[str], strict: list[str], hits: list[str]
) -> None:
    assert found(text, *terms, strict=strict) == hits


def test_what_an_apostrophe_parts_from_a_name_is_none_of_it() -> None:
    strict = ["Skerry", "Skerry Pass", "Levi's"]

    assert found("Skerry’s, Skerry's, skerry's, Skerrys", strict=strict) == [
        "Skerry’s",
        "Skerry's",
    ]
    assert found("Skerry Pass's, Skerry's Pass", strict=strict) == [
        "Skerry Pass's",
        "Skerry's",
    ]
    assert found("Levi's, Levi", strict=strict) == ["Levi's"]
    assert found("Skerry's fleet", strict=[*strict, "Skerry's Cup"]) == ["Skerry's"]
    assert found("Skerry’nin", strict=strict, language="tr") == ["Skerry’nin"]
    assert found("Skerry's", strict=strict, language="de") == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("bookings", ["booking", "book"]),
        ("SETTINGS", ["setting", "set"]),
        ("settings", ["settings"]),
    ],
)
def test_of_terms_that_share_a_stem_the_nearest_comes_first(
    text: str, terms: list[str]
) -> None:
    wanted = [
        SearchTerm(str(at), term, False) for at, term in enumerate(reversed(terms))
    ]
    of_one = [TermIndex(wanted, "en")]
    of_several = [TermIndex([each], "en") for each in wanted]

    for indexes in (of_one, of_several):
        hits = find_terms(text, indexes)
        assert [terms[~int(hit.id)] for hit in hits] == terms
        assert {(hit.start, hit.end) for hit in hits} == {(0, len(text))}


def test_places_are_code_points_of_the_text_as_it_was_given() -> None:
    text = "👩‍👩‍👧‍👦 STRASSE, Ha\u0308fen"

    index = TermIndex(
        [SearchTerm("a", "straße", False), SearchTerm("b", "Häfen", True)], "x"
    )

    assert find_terms(text, [index]) == [FoundTerm("a", 8, 15), FoundTerm("b", 17, 23)]


def test_each_of_two_glossaries_has_its_say_and_the_longest_counts() -> None:
    one = TermIndex(
        [SearchTerm("1", "pier", False), SearchTerm("2", "pier pass", False)], "en"
    )
    two = TermIndex([SearchTerm("3", "pier", False)], "en")

    def ids(text: str) -> list[str]:
        return [each.id for each in find_terms(text, [one, two])]

    assert ids("the pier") == ["1", "3"]
    assert ids("the pier pass") == ["2"]
    assert find_terms("the pier", []) == []


def test_the_term_that_stands_there_counts_whichever_glossary_has_it() -> None:
    one = TermIndex([SearchTerm("1", "save", False)], "en")
    two = TermIndex([SearchTerm("2", "saved", False)], "en")
    three = TermIndex([SearchTerm("3", "SAVED", False)], "de")

    def ids(text: str) -> list[str]:
        return [each.id for each in find_terms(text, [one, two, three])]

    assert ids("saved") == ["2", "3"]
    assert ids("Save") == ["1"]
    assert ids("saving") == ["1", "2"]


def test_each_glossary_cuts_words_as_its_own_language_does() -> None:
    french = TermIndex([SearchTerm("1", "eau", False)], "fr")
    english = TermIndex([SearchTerm("2", "l'eau", False)], "en")

    def places(text: str, *indexes: TermIndex) -> list[FoundTerm]:
        return find_terms(text, indexes)

    assert places("l’eau", french) == [FoundTerm("1", 2, 5)]
    assert places("l’eau", french, english) == [FoundTerm("2", 0, 5)]


def test_many_terms_within_each_other_do_no_harm() -> None:
    """A text of 10,000 characters in which 1.2 million terms begin."""
    terms = [" ".join("a" * count) for count in range(1, 251)]

    hits = found(" ".join("a" * 5000), *terms)

    assert len(hits) == 20
    assert set(map(len, hits)) == {499}


def test_a_word_that_comes_thousands_of_times_is_compared_with_its_term_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    nearest = TermIndex.nearest

    def counting(self: TermIndex, ids: Iterable[str], piece: str) -> object:
        asked.append(piece)
        return nearest(self, ids, piece)

    monkeypatch.setattr(TermIndex, "nearest", counting)

    assert len(found("pier Pier " * 1000, "pier")) == 2000
    assert asked == ["pier", "Pier"]


ALPHABETS = {
    "en": "abcS é-.'\u0301",
    "ru": "аыйБ .",
    "th": "กันทึ์ ",
    "zh": "文件保存。 a",
    "ja": "保存しテスーっ ",
    "ar": "ابتة\u064b ",
    "fr": "lLqu'’aé ",
    "az": "kiIıİ ",
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, str, list[SearchTerm]]:
    language = draw(st.sampled_from(sorted(ALPHABETS)))
    letters = st.sampled_from(ALPHABETS[language])
    texts = st.text(letters, max_size=4).filter(lambda text: text.strip())
    terms = draw(st.lists(st.tuples(texts, st.booleans()), max_size=8))
    wanted = [SearchTerm(str(at), *term) for at, term in enumerate(terms)]
    joins = draw(
        st.lists(st.sampled_from([text for text, _ in terms] or [""]), max_size=5)
    )
    text = draw(st.text(letters, max_size=20)) + draw(st.sampled_from(" -")).join(joins)
    assume(not any(has_mark_on_space(each) for each in (text, *dict(terms))))
    return language, text, wanted


def has_mark_on_space(text: str) -> bool:
    """A sign of its own, that neither is white space nor stands beside it."""
    return any(
        before.isspace() and unicodedata.category(sign) == "Mn"
        for before, sign in pairwise(text)
    )


@settings(max_examples=150, deadline=None)
@given(cases())
def test_what_is_found_is_what_trying_every_term_everywhere_finds(
    case: tuple[str, str, list[SearchTerm]],
) -> None:
    language, text, wanted = case

    hits = find_terms(text, [TermIndex(wanted, language)])

    assert hits == naive(text, wanted, language)


def naive(text: str, wanted: list[SearchTerm], language: str) -> list[FoundTerm]:
    """Every term is tried at every boundary; the longest wins, then the nearest."""
    pieces, at = [], 0
    for piece in pieces_of(text, language):
        pieces.append((at, at + len(piece)))
        at += len(piece)
    hits, place = [], 0
    for start in [start for start, _ in pieces]:
        ends = [end for begin, end in pieces if begin >= start]
        tried = [
            (end, nearness(text[start:end], term, language), term.id)
            for end in ends
            for term in wanted
        ]
        fitting = [each for each in tried if each[1] is not None]
        if start < place or not fitting:
            continue
        place = max(end for end, _, _ in fitting)
        longest = [(near, id_) for end, near, id_ in fitting if end == place]
        best = min(near for near, _ in longest if near is not None)
        hits += [
            FoundTerm(id_, start, place)
            for near, id_ in sorted(longest, key=lambda each: each[1])
            if near == best
        ]
    return hits


def nearness(piece: str, term: SearchTerm, language: str) -> int | None:
    """0 to the letter, 1 but for case, 2 but for endings; None: another text."""
    if piece != piece.strip():
        return None
    there, wanted = rows(piece, language), rows(term.text.strip(), language)
    if there == wanted:
        return 0
    if term.case_sensitive:
        return None
    there, wanted = lowered(there, language), lowered(wanted, language)
    if there == wanted:
        return 1
    names = {"en": "english", "ru": "russian", "ar": "arabic", "fr": "french"}
    if language in names:
        stemmer = snowballstemmer.stemmer(names[language])
        if stemmer.stemWords(there) == stemmer.stemWords(wanted):
            return 2
    return None


def rows(text: str, language: str) -> list[str]:
    """The words of a text, composed; white space is one space."""
    spaced = " ".join(text.split()) if text.strip() else text
    composed = unicodedata.normalize("NFC", spaced.replace("’", "'"))
    return pieces_of(composed, language)


def pieces_of(text: str, language: str) -> list[str]:
    """The words of a text; in French, elided ones too."""
    pieces = []
    for piece in split_word_bounds(text):
        head = piece.replace("’", "'").partition("'")[0].lower()
        if language == "fr" and head in ("l", "qu") and len(piece) > len(head) + 1:
            pieces += [piece[: len(head) + 1], piece[len(head) + 1 :]]
        else:
            pieces.append(piece)
    return pieces


def lowered(words: list[str], language: str) -> list[str]:
    letters = {"I": "ı", "İ": "i"} if language == "az" else {}
    return [word.translate(str.maketrans(letters)).casefold() for word in words]
