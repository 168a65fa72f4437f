"""Terms found in texts: where they are, and nowhere else."""

import time
import unicodedata
from itertools import pairwise

import pytest
import snowballstemmer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from unicode_segmentation_rs import split_word_bounds

from locframework.languages import folded
from locframework.terminology.index import FoundTerm, SearchTerm, TermIndex, find_terms
from locframework.terminology.units import inside_units
from locframework.terminology.words import Searched
from locframework.testing.contracts.checks import LONGEST, SECONDS_MOST, SLOW

from .finding import found

NESTED = ["boarding", "boarding pass", "pass", "boarding pass office"]


WORST = (
    *("words", "opening braces", "round brackets", "pairs of brackets", "percent"),
    *("marks", "only marks", "points", "syllables", "ideographs"),
)


@pytest.mark.parametrize("name", WORST)
@pytest.mark.parametrize("part", [slice(1), slice(200)])
def test_no_text_of_64_kib_is_searched_for_a_second(name, part):
    text = SLOW[name].encode()[:LONGEST].decode(errors="ignore")
    term = text[part].strip()
    index = TermIndex([SearchTerm("a", term, False), SearchTerm("b", term, True)], "de")
    begun = time.thread_time()

    find_terms(text, [index])
    Searched(text, "de").has(f"a {term}")
    folded(text)

    assert time.thread_time() - begun < SECONDS_MOST


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
    text, terms, strict, hits
):
    assert found(text, *terms, strict=strict) == hits


def test_what_an_apostrophe_parts_from_a_name_is_none_of_it():
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
def test_of_terms_that_share_a_stem_the_nearest_comes_first(text, terms):
    wanted = [
        SearchTerm(str(at), term, False) for at, term in enumerate(reversed(terms))
    ]
    of_one = [TermIndex(wanted, "en")]
    of_several = [TermIndex([each], "en") for each in wanted]

    for indexes in (of_one, of_several):
        hits = find_terms(text, indexes)
        assert [terms[~int(hit.id)] for hit in hits] == terms
        assert {(hit.start, hit.end) for hit in hits} == {(0, len(text))}


def test_places_are_code_points_of_the_text_as_it_was_given():
    text = "👩‍👩‍👧‍👦 STRASSE, Ha\u0308fen"

    index = TermIndex(
        [SearchTerm("a", "straße", False), SearchTerm("b", "Häfen", True)], "x"
    )

    assert find_terms(text, [index]) == [FoundTerm("a", 8, 15), FoundTerm("b", 17, 23)]


def test_each_of_two_glossaries_has_its_say_and_the_longest_counts():
    one = TermIndex(
        [SearchTerm("1", "pier", False), SearchTerm("2", "pier pass", False)], "en"
    )
    two = TermIndex([SearchTerm("3", "pier", False)], "en")

    def ids(text):
        return [each.id for each in find_terms(text, [one, two])]

    assert ids("the pier") == ["1", "3"]
    assert ids("the pier pass") == ["2"]
    assert find_terms("the pier", []) == []


def test_the_term_that_stands_there_counts_whichever_glossary_has_it():
    one = TermIndex([SearchTerm("1", "save", False)], "en")
    two = TermIndex([SearchTerm("2", "saved", False)], "en")
    three = TermIndex([SearchTerm("3", "SAVED", False)], "de")

    def ids(text):
        return [each.id for each in find_terms(text, [one, two, three])]

    assert ids("saved") == ["2", "3"]
    assert ids("Save") == ["1"]
    assert ids("saving") == ["1", "2"]


def test_each_glossary_cuts_words_as_its_own_language_does():
    french = TermIndex([SearchTerm("1", "eau", False)], "fr")
    english = TermIndex([SearchTerm("2", "l'eau", False)], "en")

    def places(text, *indexes):
        return find_terms(text, indexes)

    assert places("l’eau", french) == [FoundTerm("1", 2, 5)]
    assert places("l’eau", french, english) == [FoundTerm("2", 0, 5)]


def test_many_terms_within_each_other_do_no_harm():
    """In a text of 10,000 characters 1.2 million terms begin: the first are found."""
    terms = [" ".join("a" * count) for count in range(1, 251)]

    hits = found(" ".join("a" * 5000), *terms)

    assert len(hits) == 9
    assert set(map(len, hits)) == {499}


def test_a_word_that_comes_thousands_of_times_is_compared_with_its_term_once(
    monkeypatch,
):
    asked = []
    nearest = TermIndex.nearest

    def counting(self, ids, piece):
        asked.append(piece)
        return nearest(self, ids, piece)

    monkeypatch.setattr(TermIndex, "nearest", counting)

    assert len(found("pier Pier " * 1000, "pier")) == 2000
    assert asked == ["pier", "Pier"]


def told(text, *terms, forbidden=()):
    """The terms that are found, by name."""
    wanted = [SearchTerm(term, term, False) for term in terms]
    wanted += [SearchTerm(term, term, False, True) for term in forbidden]
    return [each.id for each in find_terms(text, [TermIndex(wanted, "en")])]


def test_all_forbidden_terms_are_found_and_the_longest_of_the_others():
    entries = ["blacklist", "blacklist entry"]

    assert told("a blacklist entry", *entries) == ["blacklist entry"]
    assert told("a blacklist entry", forbidden=entries) == entries
    assert told("a blacklist entry", entries[1], forbidden=entries[:1]) == entries
    assert told("a blacklist entry", entries[0], forbidden=entries[1:]) == entries
    assert told("boarding pass", "boarding pass", forbidden=["pass"]) == [
        "boarding pass",
        "pass",
    ]
    assert told("a b c", forbidden=["a b", "b c"]) == ["a b", "b c"]


def test_no_forbidden_term_is_found_by_its_ending_where_another_term_stands():
    assert told("booking", "booking", forbidden=["book"]) == ["booking"]
    assert told("a booking", "a booking", "booking", forbidden=["book"]) == [
        "a booking"
    ]
    assert told("bookings", "booking", forbidden=["book"]) == ["booking", "book"]


def test_many_forbidden_terms_within_each_other_do_no_harm():
    terms = [" ".join("a" * count) for count in range(1, 251)]

    assert len(told(" ".join("a" * 5000), forbidden=terms)) <= 8 * 5000


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("add", "the add-on"),
        ("log", "log-in page"),
        ("content", "wp-content"),
        ("byte", "multi\u2010byte"),
        ("add", "pre-add-on"),
        ("add", "see https://add.org/x/add?add=add#add"),
        ("add", "www.x.org/add"),
        ("add", "x.org/add"),
        ("add", "to add@x-add.org"),
        ("add", "in /usr/add/x"),
        ("add", "in ~/add"),
        ("add", "in src/add/x.py"),
        ("add", "in src/x/add.py"),
        ("add", "in wp-content/add/"),
        ("add", "in C:\\add\\x"),
        ("add", "git --add"),
        ("add", "git --no-add=x"),
        ("a", "git -a"),
        ("add", "run `git add` now"),
        ("add", "run ``add``"),
        ("add", "foo_add add_foo fooAdd addFoo"),
        ("s", "Save (&S) or (_S)"),
        ("r", "R&D r&b"),
        ("at", "AT&T"),
        ("ve", "Sa&ve Sa~ve"),
    ],
)
def test_a_part_of_a_unit_is_no_term(term, text):
    assert found(text, term) == []
    assert found(f"{text}, {term}", term) == [term]


@pytest.mark.parametrize(
    "unit",
    [
        "add-on", "wp-content", "--add", "-a", "/usr/add", "x.org/add", "foo_bar",
        "fooBar", "`add`", "https://add.org", "add@x.org", "R&D", "AT&T", "r&d",
    ],
)  # fmt: skip
def test_a_unit_may_be_a_term(unit):
    assert found(f"See {unit}, ({unit})", unit) == [unit, unit]
    assert found(f"{unit} {unit}s", strict=[unit])[0] == unit


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("add/remove and/or add.", ["add", "add"]),
        ("Import / add…", ["add"]),
        ("e-mail/add", ["add"]),
        ("5.10/add", ["add"]),
        ("add – add—add -- add", ["add"] * 4),
        ("pre- and add-", ["add"]),
        ("Add&Close, add & close", ["Add", "add"]),
        ("~100 add", ["add"]),
        ("{x}-add", ["add"]),
    ],
)
def test_what_only_looks_like_a_unit_hides_no_term(text, hits):
    assert found(text.replace("{x}", "\ufffc\ufffc\ufffc"), "add") == hits


def test_units_end_where_scripts_without_spaces_begin():
    assert found("Wi-Fiファイルを保存", "ファイル", "保存", language="ja") == [
        "ファイル",
        "保存",
    ]
    assert found("/usr/binに保存、保存&閉じる", "保存", language="ja") == ["保存"] * 2
    assert found("add-on을 파일", "파일", language="ko") == ["파일"]


def test_pronouns_that_a_hyphen_joins_hide_no_verb():
    assert found("Enregistrez-le", "enregistrer", language="fr") == ["Enregistrez"]
    assert found("Donnez-le-moi", "donner", language="fr") == ["Donnez"]
    assert found("Add-on, avant-première", "add", "avant", language="fr") == []
    assert found("Salva-o", "salva", language="pt") == ["Salva"]
    assert found("Desa-ho", "desa", language="ca") == ["Desa"]


@pytest.mark.parametrize(
    ("text", "terms", "hits"),
    [
        ("_Save Sa&ve ~Save &Save", ["save"], ["Save", "Sa&ve", "Save", "Save"]),
        ("C_ancel Acc~essibility", ["cancel", "accessibility"],
         ["C_ancel", "Acc~essibility"]),
        ("Save _as", ["save as"], ["Save _as"]),
        ("Sa&ved", ["save", "saved"], ["Sa&ved"]),
        ("_Add-ons, add-&ons", ["add-on", "on"], ["Add-ons", "add-&ons"]),
        ("snake_case", ["snake_case", "snakecase"], ["snake_case"]),
        ("&&Save __init__", ["save", "init"], ["Save"]),
        ("Rock&Roll", ["rockroll"], []),
    ],
)  # fmt: skip
def test_marks_of_accelerators_neither_hide_nor_break_a_term(text, terms, hits):
    assert found(text, *terms) == hits


def test_an_accelerator_behind_the_word_is_none_of_it():
    assert found("保存(&S)", "保存", language="ja") == ["保存"]
    assert found("開いて(_O)保存", "開いて保存", language="ja") == ["開いて(_O)保存"]


WORDS = st.text(st.sampled_from("abeghlsé"), min_size=1, max_size=5)


@given(st.lists(WORDS, min_size=1, max_size=8), st.data())
def test_a_mark_changes_neither_which_terms_are_found_nor_where(words, data):
    text = data.draw(st.sampled_from((" ", ", ", "-", " - "))).join(words)
    parts = st.integers(0, len(words)).flatmap(
        lambda first: st.integers(first + 1, first + 3).map(
            lambda last: " ".join(words[first:last]) or "x"
        )
    )
    terms = data.draw(st.lists(parts, max_size=4))
    wanted = [
        SearchTerm(str(at), term, data.draw(st.booleans()), data.draw(st.booleans()))
        for at, term in enumerate(terms)
    ]
    letters = [at for at, sign in enumerate(text) if sign.isalpha()]
    place = data.draw(st.sampled_from(letters))
    marked = text[:place] + data.draw(st.sampled_from("_&~")) + text[place:]
    index = [TermIndex(wanted, "en")]

    expected = [
        FoundTerm(
            each.id, each.start + (each.start >= place), each.end + (each.end > place)
        )
        for each in find_terms(text, index)
    ]
    assert find_terms(marked, index) == expected
    searched = Searched(marked, "en")
    assert all(searched.has(word) for word in words)


ALPHABETS = {
    "en": "abcS é-.'\u0301",
    "ru": "аыйБ .",
    "th": "กันทึ์ ",
    "zh": "文件保存。 a",
    "ja": "保存しテスーっ ",
    "ar": "ابثة\u064b ",  # no plurals
    "fr": "lLqu'’aé ",
    "az": "kiIıİ ",
}


@st.composite
def cases(draw):
    language = draw(st.sampled_from(sorted(ALPHABETS)))
    letters = st.sampled_from(ALPHABETS[language])
    texts = st.text(letters, max_size=4).filter(lambda text: text.strip())
    terms = draw(st.lists(st.tuples(texts, st.booleans()), max_size=8))
    wanted = [SearchTerm(str(at), *term) for at, term in enumerate(terms)]
    joins = draw(
        st.lists(st.sampled_from([text for text, _ in terms] or [""]), max_size=5)
    )
    text = draw(st.text(letters, max_size=20)) + draw(st.sampled_from(" -")).join(joins)
    # an apostrophe at the end: whether it elides hangs on what follows it
    assume(not any(term.rstrip().endswith(("'", "’")) for term in dict(terms)))
    assume(not any(has_mark_on_space(each) for each in (text, *dict(terms))))
    return language, text, wanted


def has_mark_on_space(text):
    """A sign of its own, that neither is white space nor stands beside it."""
    return any(
        before.isspace() and unicodedata.category(sign) == "Mn"
        for before, sign in pairwise(text)
    )


@settings(max_examples=150, deadline=None)
@given(cases())
def test_what_is_found_is_what_trying_every_term_everywhere_finds(case):
    language, text, wanted = case

    hits = find_terms(text, [TermIndex(wanted, language)])

    assert hits == naive(text, wanted, language)


def naive(text, wanted, language):
    """Every term is tried at every boundary; the longest wins, then the nearest."""
    inside = inside_units(text, language)
    pieces, at = [], 0
    for piece in pieces_of(text, language):
        pieces.append((at, at + len(piece)))
        at += len(piece)
    hits, place = [], 0
    for start in [start for start, _ in pieces if start not in inside]:
        ends = [end for begin, end in pieces if begin >= start and end not in inside]
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


def nearness(piece, term, language):
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


def rows(text, language):
    """The words of a text, composed; white space is one space."""
    spaced = " ".join(text.split()) if text.strip() else text
    composed = unicodedata.normalize("NFC", spaced.replace("’", "'"))
    return pieces_of(composed, language)


def pieces_of(text, language):
    """The words of a text; in French, elided ones too."""
    pieces = []
    for piece in split_word_bounds(text):
        head = piece.replace("’", "'").partition("'")[0].lower()
        if language == "fr" and head in ("l", "qu") and len(piece) > len(head) + 1:
            pieces += [piece[: len(head) + 1], piece[len(head) + 1 :]]
        else:
            pieces.append(piece)
    return pieces


def lowered(words, language):
    letters = {"I": "ı", "İ": "i"} if language == "az" else {}
    return [word.translate(str.maketrans(letters)).casefold() for word in words]
