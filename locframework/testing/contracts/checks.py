"""The contract of the port Check; clauses as in docs/internals/contracts.md."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Literal, NamedTuple, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.languages import PLURAL_FORMS
from locframework.projects.records import Severity
from locframework.quality.check import (
    FINDINGS_LIMIT,
    MESSAGE_LENGTH,
    AvoidedTerm,
    Check,
    Checks,
    Finding,
    Subject,
    TextTerms,
)

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

SLOW = {
    "percent before zeros": "%" + "0" * (LONGEST - 2) + "!",
    "a long name in braces": "{" + "a" * (LONGEST - 2) + "}",
    "a long name in a tag": "<" + "a" * (LONGEST - 2) + ">",
    "names in braces": "".join(f"{{a{n}}}" for n in range(10_000))[:LONGEST],
} | {
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


class Span(NamedTuple):
    """Where a check finds something."""

    start: int  # in code points of the text
    end: int
    plural_form: str | None = None


Derived = Literal["plural", "after", "within"]
EMOJI = "\n👩🏽\u200d🚀🎈 İe\u0301 "
"""10 code points, 14 units of UTF-16. Lower case, another normal form, and another line
break have another length, and white space is at the beginning."""


def spans_of(findings: Iterable[Finding]) -> list[Span]:
    """Return the places of findings, in their order in the texts."""
    return in_order(Span(each.start, each.end, each.plural_form) for each in findings)


def in_order(spans: Iterable[Span]) -> list[Span]:
    """Return spans by plural form and place."""
    return sorted(spans, key=lambda span: (span.plural_form or "", *span[:2]))


def between(subject: Subject, before: str, after: str = "") -> Subject:
    """Return a subject with other text around each of its texts and source texts."""

    def around(texts: Mapping[str | None, str]) -> dict[str | None, str]:
        return {form: f"{before}{text}{after}" for form, text in texts.items()}

    terms = subject.terms
    if terms is not None:
        avoided = {
            form: [
                AvoidedTerm(one.text, one.start + len(before), one.end + len(before))
                for one in some
            ]
            for form, some in terms.avoided.items()
        }
        wanted = {f"{before}{text}{after}": some for text, some in terms.wanted.items()}
        terms = TextTerms(wanted, avoided)
    return replace(
        subject,
        texts=around(subject.texts),
        source_texts=around(subject.source_texts),
        terms=terms,
        max_length=subject.max_length and subject.max_length + len(before) + len(after),
    )


def as_plural(subject: Subject, forms: Sequence[str]) -> Subject:
    """Return a subject of a plural key that has the text in each form."""

    def of_forms(texts: Mapping[str | None, str]) -> dict[str | None, str]:
        return {form: text for form in forms for text in texts.values()}

    terms = subject.terms
    if terms is not None:
        avoided: dict[str | None, Sequence[AvoidedTerm]] = {
            form: terms.avoided.get(None, ()) for form in forms
        }
        terms = TextTerms(terms.wanted, avoided)
    return replace(
        subject,
        texts=of_forms(subject.texts),
        source_texts=of_forms(subject.source_texts),
        is_plural=True,
        plural_forms=tuple(forms),
        terms=terms,
    )


class CheckContract:
    """Subclass it as ``Test…`` and give ``check``; see docs/internals/contracts.md.
    ``good`` are subjects that the check has nothing to say about, by name, and ``bad``
    those where it finds something. ``spans`` are the places of what it finds in
    them, by the same names, as far as the author states them.

    The suite derives other subjects of those in ``bad``. ``cannot`` declares, each with
    the reason, in which the check may find something else or nothing: ``plural``, the
    text in several plural forms; ``after``, other text before it; ``within``, a long
    text before and after it. ``filler`` is repeated for the latter; the check finds
    nothing in it.
    """

    check: ClassVar[Check]
    good: ClassVar[Mapping[str, Subject]] = {}
    bad: ClassVar[Mapping[str, Subject]] = {}
    spans: ClassVar[Mapping[str, Sequence[Span]]] = {}
    cannot: ClassVar[Mapping[Derived, str]] = {}
    filler: ClassVar[str] = "one two three four five six seven eight nine ten "

    def require(self, derived: Derived) -> None:
        """Skip where the check declares that it does not find what is bad."""
        if reason := self.cannot.get(derived):
            pytest.skip(reason)

    def spans_in_bad(self, name: str) -> list[Span]:
        """Return where the check finds something, as stated; else as it finds it."""
        if name in self.spans:
            return in_order(self.spans[name])
        return spans_of(self.find(self.bad[name]))

    def finds_the_same_in(
        self,
        name: str,
        derived: Subject,
        before: str = "",
        forms: Sequence[str | None] = (),
    ) -> None:
        """Fail unless it finds the same in a subject that is made of a bad one: each
        place behind ``before``, or all of the text where it was that; in each of
        ``forms``."""
        at = len(before)
        expected = [
            Span(start + at, end + at, each)
            for start, end, form in self.spans_in_bad(name)
            for each in forms or [form]
        ]
        found = spans_of(self.find(derived))

        wholes = {
            Span(at, at + len(text), each): Span(0, len(derived.texts[each]), each)
            for form, text in self.bad[name].texts.items()
            for each in forms or [form]
        }
        widened = [wholes.get(span, span) for span in found]
        assert in_order(widened) == in_order(wholes.get(e, e) for e in expected), (
            f"{name}: expected at {shown(in_order(expected), derived)}, "
            f"found at {shown(found, derived)}"
        )

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
            found = texts(self.find(subject))[:FINDINGS_LIMIT]
            assert texts(checks.findings(subject)) == found

    def test_k11_it_finds_each_fault_where_the_subclass_says(self) -> None:
        for name in self.spans:
            found = spans_of(self.find(self.bad[name]))
            expected = self.spans_in_bad(name)

            assert found == expected, (
                f"{name}: expected at {shown(expected, self.bad[name])}, "
                f"found at {shown(found, self.bad[name])}"
            )

    def test_k12_it_finds_the_same_in_each_plural_form(self) -> None:
        self.require("plural")
        for name, subject in self.bad.items():
            if not subject.is_plural:
                forms = ("few", "other")
                self.finds_the_same_in(name, as_plural(subject, forms), forms=forms)

    def test_k13_it_finds_the_same_after_characters_outside_the_first_plane(
        self,
    ) -> None:
        self.require("after")
        for name, subject in self.bad.items():
            self.finds_the_same_in(name, between(subject, EMOJI), EMOJI)

    def test_k14_it_finds_the_same_within_64_kib(self) -> None:
        self.require("within")
        for name, subject in self.bad.items():
            every = [*subject.texts.values(), *subject.source_texts.values()]
            room = (LONGEST - max(map(len, every))) // len(self.filler) // 2
            around = self.filler * room
            before, after = around, f" {around[:-1]}"
            begun = time.thread_time()

            self.finds_the_same_in(name, between(subject, before, after), before)

            assert time.thread_time() - begun < SECONDS_MOST * len(subject.texts), name

    def test_k15_without_a_source_text_it_finds_the_same_or_nothing(self) -> None:
        for name, subject in self.bad.items():
            found = spans_of(self.find(replace(subject, source_texts={}, compared=())))

            assert found in ([], self.spans_in_bad(name)), (
                f"{name}: without source text at {shown(found, subject)}"
            )


def shown(spans: Iterable[Span], subject: Subject) -> str:
    """Spans for a message, with their text."""
    return (
        ", ".join(
            f"{start} to {end} of {form or 'the text'}: "
            f"{subject.texts[form][start:end][:40]!r}"
            for start, end, form in spans
        )
        or "no place"
    )


def texts(findings: Iterable[Finding]) -> list[tuple[str, int, int]]:
    """Findings without the name that the framework fills in."""
    return [(found.message, found.start, found.end) for found in findings]
