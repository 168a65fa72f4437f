"""An index that follows a glossary finds what one made anew finds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from locframework.terminology.index import SearchTerm, TermIndex, find_terms

WORDS = {
    "en": ["pier", "Piers", "boarding", "pass", "passes", "IT", "it", "desk"],
    "fr": ["l’eau", "eau", "œuvre", "l'œuvre", "port"],
    "ko": ["파일", "파일을", "파일들", "서버", "사용자의", "사용자", "키"],
    "ja": ["保存", "設定", "を", "ガイド", "ｶﾞｲﾄﾞ"],
    "tr": ["kapı", "KAPI", "İstanbul", "istanbul"],
}
IDS = "abcdef"


@st.composite
def stories(draw: st.DrawFn) -> tuple[str, list[dict[str, SearchTerm | None]], str]:
    """A language, what becomes of its terms one time after the other (None: it is
    gone), and a text."""
    language = draw(st.sampled_from(sorted(WORDS)))
    phrase = st.lists(st.sampled_from(WORDS[language]), max_size=3).map(" ".join)
    becomes = st.none() | st.tuples(phrase, st.booleans())
    times = draw(st.lists(st.dictionaries(st.sampled_from(IDS), becomes), max_size=6))
    text = draw(st.lists(st.sampled_from(WORDS[language]), max_size=8).map(" ".join))
    story = [
        {
            id_: None if now is None else SearchTerm(id_, *now)
            for id_, now in some.items()
        }
        for some in times
    ]
    return language, story, text


@settings(max_examples=300)
@given(stories())
def test_an_index_that_was_updated_finds_what_one_made_anew_finds(
    story: tuple[str, list[dict[str, SearchTerm | None]], str],
) -> None:
    language, times, text = story
    there: dict[str, SearchTerm] = {}
    updated = TermIndex([], language)
    for becomes in times:
        before, was = updated, find_terms(text, [updated])
        now = {id_: term for id_, term in becomes.items() if term is not None}
        there = {id_: t for id_, t in there.items() if id_ not in becomes} | now
        updated = updated.updated(list(becomes), list(now.values()))

        anew = TermIndex(there.values(), language)
        assert find_terms(text, [updated]) == find_terms(text, [anew])
        assert find_terms(text, [before]) == was
