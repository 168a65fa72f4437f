"""The contract of the port Check; clauses as in docs/internals/contracts.md."""

import re
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locframework.languages import PLURAL_FORMS
from locframework.projects.records import Severity
from locframework.quality.check import MESSAGE_LENGTH, Check, Checks, Finding, Subject

LONGEST = 64 * 1024
SECONDS_MOST = 1.0  # of one check on the longest text, on one processor

PAIRS = {
    "plain": ("Save", "Speichern"),
    "printf": ("%s of %d", "%2$d / %1$s"),
    "braces": ("{a} {{b}} {} {0}", "{0} {} {{b}} {a}"),
    "of frameworks": (
        ":name %1 %n %name% @count %author !link [[a]] __a__ %v @:a.b",
        "@:(a.b) %q __b__ [[ a ]] !x %autor @n %Name% % n %L1 :Name",
    ),
    "unpaired braces": ("{a", "a} {b {{c}"),
    "ICU": (
        "{n, plural, one {# file} other {# files}}",
        "{n, plural, one {# файл} few {# файла} other {# файлов}}",
    ),
    "broken ICU": ("{n, plural, one {#", "{n, plural, {n, select, }}"),
    "tags": ('<a href="#">x</a><br/>', "<A>x</A><br> <"),
    "only white space": ("\n \u3000", "\t"),
    "only signs": ("…?!", "؟。"),
    "digits of other scripts": ("1,234.5", "١٬٢٣٤٫٥ १२ 𝟙"),
    "many digits": ("9" * 5000, "9" * 4999),
    "outside the first plane": ("👍🏽 %s", "%s 👨‍👩‍👧"),
    "right to left": ("(%d)", "\u200f(%d)\u200f"),
    "combining": ("é.", "e\u0301."),
    "empty beside text": ("a", " "),
}

SLOW = {"percent before zeros": "%" + "0" * (LONGEST - 2) + "!"} | {
    name: (part * LONGEST)[:LONGEST]
    for name, part in {
        "one letter": "a",
        "words": "word ",
        "spaces": " ",
        "opening braces": "{",
        "closing braces": "}",
        "pairs": "{}",
        "deep and wide": "{{}",
        "placeholders": "%s",
        "percent": "%",
        "percent and digits": "%1",
        "opening tags": "<a ",
        "attributes": "<a b=",
        "tags": "<b>",
        "angles": "<",
        "nesting": "$t(",
        "ICU": "{n,plural,",
        "ICU branches": "{n,plural,other{",
        "brace and spaces": "{ ",
        "colons": ":a",
        "names after a colon": ":aa ",
        "names between percent": "%ab",
        "names in lines": "__a_b",
        "lines": "_",
        "brackets": "[[a",
        "at signs": "@.a:a.",
        "exclamation marks": " !a",
        "digits": "1",
        "grouped": "1,",
        "stops": ".",
        "stops and spaces": ". ",
        "quotes": '"',
        "ampersands": "&a",
        "addresses": "https://",
        "line breaks": "\n",
        "ideographs": "字",
        "round brackets": "(",
        "pairs of brackets": "[]",
        "printf names": "%(",
        "percent and spaces": "% ",
        "marks": "a" + "\u0323\u0301" * 100,
        "only marks": "\u0301",
        "points": "\u05d0\u05b0",
        "syllables": "\u1112\u1161",
    }.items()
}

_PARTS = st.sampled_from(
    (
        *"%{}<>&$()[],.;:?!'\"#/\\ \n\u00a0019azZß",
        *("%s", "%1$d", "%(a)s", "{a}", "{{b}}", "{0}", "{}", "$t(a)", "<b>", "</b>"),
        *(":ab", "%1", "%ab%", "@ab", "%abcd", " !ab", "[[a]]", "__a__", "%v", "@:a"),
        *("{n, plural, ", "{g, select, ", "other {", "one {", "&amp;", "<br/>", "100%"),
        *("。", "؟", "…", "字", "١", "e\u0301", "👍", "am", "https://a"),
    )
)
# what the service accepts: no NUL, no lone surrogate, never empty
_ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_TEXTS = st.lists(_PARTS | _ANY, min_size=1, max_size=12).map("".join)
_LANGUAGES = st.sampled_from(("de", "en", "ja", "th", "el", "hy", "ar", "fr-CA", "xx"))
_LIMITS = st.sampled_from((None, 3))


def subjects() -> st.SearchStrategy[Subject]:
    """Any text beside any source text."""
    return st.builds(
        lambda text, source, language, limit: Subject(
            "a", language, {None: text}, "en", {None: source}, max_length=limit
        ),
        _TEXTS,
        _TEXTS,
        _LANGUAGES,
        _LIMITS,
    )


def plural_subjects() -> st.SearchStrategy[Subject]:
    """Any texts of a plural key beside any source texts, or none."""
    forms = st.sampled_from(PLURAL_FORMS)
    some = st.dictionaries(forms, _TEXTS, min_size=1, max_size=4)
    return st.builds(
        lambda texts, sources, language, wanted: Subject(
            "a", language, texts, "en", sources, True, tuple(wanted)
        ),
        some,
        some | st.just({}),
        _LANGUAGES,
        st.lists(forms, unique=True),
    )


class CheckContract:
    """Subclass it as ``Test…`` and give ``check``; see docs/internals/contracts.md.
    ``good`` are subjects that the check has nothing to say about, by name, and ``bad``
    those where it finds something."""

    check: ClassVar[Check]
    good: ClassVar[Mapping[str, Subject]] = {}
    bad: ClassVar[Mapping[str, Subject]] = {}

    def find(self, subject: Subject) -> list[Finding]:
        """What the check finds, each in its text. Fails for what a text has not."""
        found = list(self.check.find(subject))
        for finding in found:
            assert finding.plural_form in subject.texts
            text = subject.texts[finding.plural_form]
            assert 0 <= finding.start <= finding.end <= len(text)
            assert 1 <= len(finding.message) <= MESSAGE_LENGTH
            assert "\n" not in finding.message
            assert not finding.message.endswith(".")
        return found

    def test_k1_what_it_says_of_itself_is_well_formed_and_stays_the_same(self) -> None:
        check = self.check

        assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", check.name)
        assert len(check.name) <= 100
        assert check.description.strip()
        assert check.severity in get_args(Severity)
        assert check.name == self.check.name

    def test_k2_it_finds_what_the_subclass_calls_bad(self) -> None:
        overlooked = [name for name, bad in self.bad.items() if not self.find(bad)]

        assert self.bad
        assert overlooked == []

    def test_k3_it_leaves_alone_what_the_subclass_calls_good(self) -> None:
        found = {name: self.find(good) for name, good in self.good.items()}

        assert self.good
        assert {name: each for name, each in found.items() if each} == {}

    def test_k4_any_text_is_judged_and_findings_are_in_it(self) -> None:
        @settings(deadline=None)
        @given(subject=subjects() | plural_subjects())
        def judge(subject: Subject) -> None:
            self.find(subject)

        judge()

    @pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
    def test_k5_so_is_what_translators_write(self, pair: tuple[str, str]) -> None:
        source, text = pair
        for language in ("de", "ja", "ar", "el", "xx", "en"):
            self.find(Subject("a", language, {None: text}, "en", {None: source}))
            self.find(Subject("a", language, {None: source}, "en", {None: text}))

    def test_k6_the_same_subject_gives_the_same_findings(self) -> None:
        @settings(deadline=None, max_examples=30)
        @given(subject=subjects() | plural_subjects())
        def judge(subject: Subject) -> None:
            assert self.find(subject) == self.find(subject)

        judge()

    def test_k7_a_key_without_a_source_text_is_judged(self) -> None:
        for form in (None, *PLURAL_FORMS):
            self.find(Subject("a", "de", {form: "Text {x} %s <b>. "}, "en"))

    @pytest.mark.parametrize("text", SLOW.values(), ids=SLOW.keys())
    def test_k8_the_longest_text_is_judged_in_less_than_a_second(
        self, text: str
    ) -> None:
        begun = time.thread_time()

        self.find(Subject("a", "de", {None: text}, "en", {None: text[:-1]}))

        assert time.thread_time() - begun < SECONDS_MOST

    def test_k9_calls_share_nothing(self) -> None:
        all_ = [*self.good.values(), *self.bad.values()] * 20
        alone = [self.find(subject) for subject in all_]

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(self.find, all_)) == alone

    def test_k10_the_framework_keeps_all_it_finds(self) -> None:
        checks = Checks({self.check.name: self.check})

        for subject in self.bad.values():
            assert texts(checks.findings(subject)) == texts(self.find(subject))[:20]


def texts(findings: Iterable[Finding]) -> list[tuple[str, int, int]]:
    """Findings without the name that the framework fills in."""
    return [(found.message, found.start, found.end) for found in findings]
