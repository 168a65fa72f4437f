"""The contract of the port Format; clauses as in docs/internals/contracts.md."""

import codecs
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import ClassVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.errors import Problem, UnreadableFile, abbreviate
from locframework.formats.format import Format
from locframework.formats.placeholders import DIALECTS
from locframework.formats.records import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    Text,
    WrittenFile,
)
from locframework.keys.catalogues import family_of
from locframework.keys.rules import is_legal_key, legal_key

from .format_files import BROKEN, KNOWN, STRANGERS, with_entities

TEXTS = {
    "plain": "Save",
    "umlauts": "Größe: 12 µm — „schön“",
    "chinese, japanese, korean": "保存 保存する 저장",
    "right to left": "\u200fשמור את {name} (3)\u200e، احفظ",
    "emoji of several code points": "👩🏽‍🚀 🇨🇭 👨‍👩‍👧‍👦",
    "combining marks": "e\u0301 is not é, \u1e9b\u0323",
    "beyond the basic plane": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈",
    "invisible characters": "a\u00a0b\u200bc\u2028d\u2029e\ufefff\u0085g\u00adh",
    "line breaks": "one\ntwo\n\nfour\n",
    "windows line breaks": "one\r\ntwo\r\n",
    "carriage return": "one\rtwo",
    "tabs": "\tone\ttwo\t",
    "spaces around": "  two spaces before and after  ",
    "nothing but a space": " ",
    "quotes": "\"double\" 'single' `back` «angle»",
    "ends with a quote": 'say "yes"',
    "backslashes": "C:\\new\\table \\u0041 \\\\ \\",
    "percents": "100 % of %s, %(name)s, %1$d, %%",
    "braces": "{0} {{name}} {count, number} ${x} {unpaired",
    "markup": '<b class="x">A &amp; B</b> <br/> &lt; ]]> <!-- -->',
    "looks like a formula": "=SUM(A1:A2)",
    "looks like a comment": "# not a comment",
    "looks like a list": "- one, two; three: four",
    "looks like nothing": "null",
    "looks like a number": "1.50",
    "looks like a reference": "@string/app_name",
    "very long": "Wörter und noch mehr davon. " * 2300,
}

KEYS = (
    *("a", "A", "0", "-", "_", "with-dash", "with_underscore", "camelCase"),
    *("true", "null", "no", "continue", "constructor", "__proto__", "x" * 500),
)
"""Segments and keys at the edge of what is legal; each may stand beside the others."""

_BYTES = (0x00, 0x0A, 0x22, 0x27, 0x2C, 0x3C, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xFF)


def damaged(content: bytes, seed: int, number: int) -> Iterator[bytes]:
    """``number`` variants of a file: cut off, and with bytes changed, added, lost."""
    random = Random(seed)
    for _ in range(number):
        at = random.randrange(len(content) + 1)
        byte = bytes([random.choice((*_BYTES, random.randrange(256)))])
        rest = content[at + random.choice((0, 1, 1, 2, 9)) :]
        yield content[:at] + random.choice((b"", byte, byte, byte * 3)) + rest
        yield content[:at]


_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")

Texts = dict[str, Text | None]


def texts_of(entries: Iterable[Entry]) -> Texts:
    """Text by key, plural forms as a plain dict; the flag has to fit the text."""
    found: Texts = {}
    for entry in entries:
        assert entry.key not in found, f"{entry.key} is there twice"
        value = entry.value
        if value is not None:
            assert entry.is_plural is isinstance(value, Mapping), entry.key
        found[entry.key] = dict(value) if isinstance(value, Mapping) else value
    return found


def is_warned_of(written: WrittenFile, key: str) -> bool:
    """Whether a warning names this very key, not only a longer one."""
    name = re.compile(rf"(?<![\w.:/|-]){re.escape(key)}(?![\w-]|[.:/|]\w)")
    return any(name.search(warning) for warning in written.warnings)


def without_lines(catalogues: Iterable[Catalogue]) -> list[object]:
    """The catalogues but for the places in the file."""
    return [
        (
            one.language_code,
            one.detail,
            [msgspec.structs.replace(entry, line=None) for entry in one.entries],
        )
        for one in catalogues
    ]


def check_strings(value: object) -> None:
    """It can be stored: no string holds a NUL or a lone surrogate, and all is JSON."""
    try:
        content = msgspec.json.encode(value)
    except UnicodeEncodeError:
        raise AssertionError("a string holds a lone surrogate") from None
    assert not _NUL.search(content), content[:80]


PLURALS: dict[str, tuple[str, ...]] = {
    "ja": ("other",),
    "en": ("one", "other"),
    "ar": PLURAL_FORMS,
}


def catalogue(entries: Sequence[Entry], language: str) -> Catalogue:
    """A catalogue as the framework gives it to be written."""
    return Catalogue(language, entries, PLURALS.get(language, ("one", "other")))


class Sample(msgspec.Struct, frozen=True):
    """A file of a format, and what it says."""

    content: bytes
    expected: Sequence[Entry] | Mapping[str, Sequence[Entry]]
    """The entries that are read, in their order, with their lines; by language where
    one file has several. ``detail`` and ``key_detail`` are compared where they are
    given."""
    rewritten: bytes | None = None
    """What is written of these entries without a template; None: the file itself."""
    language_code: str = "en"  # that the file is in, where it does not say

    def of_language(self) -> Mapping[str, Sequence[Entry]]:
        """The entries by language."""
        if isinstance(self.expected, Mapping):
            return self.expected
        return {self.language_code: self.expected}

    def but_for(self, key: str, *new: Entry) -> Mapping[str, Sequence[Entry]]:
        """The entries by language, with others for those of the key."""
        return {
            code: [e for old in some for e in (new if old.key == key else (old,))]
            for code, some in self.of_language().items()
        }


def as_given(entry: Entry, separator: str) -> Entry:
    """An entry that was read, as the framework gives it to be written."""
    if is_legal_key(entry.key, separator):
        return replace(entry, name=None, line=None)
    name = legal_key(entry.key, separator)
    return replace(entry, is_file_key=True, name=name, line=None)


def changed_lines(before: bytes, after: bytes) -> set[int]:
    """Numbers of the lines that are no longer there, or are changed."""
    lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    steps = SequenceMatcher(None, *lines, autojunk=False).get_opcodes()
    return {
        line + 1
        for tag, start, end, *_ in steps
        if tag != "equal"
        for line in range(start, end)
    }


def line_that_differs(before: bytes, after: bytes) -> str:
    """What a message says of the first line of a file that is not as it was."""
    lines = (each.splitlines(keepends=True) for each in (before, after))
    pairs = itertools.zip_longest(*lines, fillvalue=b"")
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            changed = f"{abbreviate(repr(old))} -> {abbreviate(repr(new))}"
            return f"line {number} differs: {changed}"
    return "no line differs"


def entry_that_differs(
    found: Mapping[str, Sequence[Entry]], expected: Mapping[str, Sequence[Entry]]
) -> str:
    """What a message says of the first entry that is not read as expected."""
    for code in {**expected, **found}:
        pairs = itertools.zip_longest(found.get(code, ()), expected.get(code, ()))
        for at, (one, other) in enumerate(pairs, 1):
            if one is None or other is None or one.key != other.key:
                keys = [each.key if each else None for each in (one, other)]
                return f"{code}: entry {at} is {keys[0]!r}, not {keys[1]!r}"
            for name in Entry.__struct_fields__:
                values = getattr(one, name), getattr(other, name)
                if values[0] != values[1]:
                    said, wanted = (abbreviate(repr(value)) for value in values)
                    return f"{code}: {name} of {one.key!r} is {said}, not {wanted}"
    return f"the languages are {[*found]}, not {[*expected]}"


def _lines_of(description: str) -> list[list[str]]:
    """The words of each line that has some."""
    return [words for line in description.splitlines() if (words := line.split())]


def _without_lines_of(
    entries: Mapping[str, Sequence[Entry]],
) -> dict[str, list[Entry]]:
    return {
        code: [replace(e, line=None) for e in some] for code, some in entries.items()
    }


def _lines_around(sample: Sample, entry: Entry) -> set[int]:
    """The lines that are this entry's, and no other's."""
    lines = {e.line for some in sample.of_language().values() for e in some if e.line}
    at = entry.line or 1
    before = max((line for line in lines if line < at), default=0)
    after = min((line for line in lines if line > at), default=10**9)
    return {*range(before + 1, min(after, sample.content.count(b"\n") + 2))}


SEPARATORS = (".", ":", "/", "|")
ENTRIES = (
    Entry("cart.pay-now", "Pay now"),
    Entry("cart.title", "Your cart", description="Above the list of things to buy"),
    Entry("save", "Save", description="A button"),
)
CLASHES = {
    "a text above others": ("qa", "qa.b", "qa.b.c", "qa.d"),
    "names of plural forms": ("qa.one", "qa.other", "qb.other", "qc_one", "qc_other"),
    "almost the same": ("qa.b", "qa-b", "qa_b", "qaB", "Qa.b"),
}


# what means something to a format, beside any other segment or text
_SEGMENTS = st.text("abAB01_-", min_size=1, max_size=4) | st.sampled_from(
    (*PLURAL_FORMS, "a_other", "a_one", "a_ordinal_other", "a_b", "aB", "in")
)
_KEYS = st.lists(_SEGMENTS, min_size=1, max_size=4).map(".".join)
_TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    min_size=1,
    max_size=60,
) | st.sampled_from(
    (
        "{count, plural, one{1} other{n}}",
        "{n,plural,=0{}=1{{n}} other{{n} x}}",
        *("{count, plural, offset:1 other{x}}", "{ {} }", "}", "'{'", "@@locale"),
        *('"\\', "\n \n", "#~", "\r\u2028", "\x1b"),
    )
)
_PLURALS = st.dictionaries(st.sampled_from(PLURAL_FORMS), _TEXTS, min_size=1)
_ANY = st.dictionaries(_KEYS, _TEXTS | _PLURALS, max_size=8)
_NOTES = st.lists(
    st.tuples(st.sampled_from(("", "a line\nand another")) | _TEXTS, st.booleans()),
    min_size=1,
    max_size=3,
)


class FormatContract:
    """Subclass it as ``Test…`` and give ``format``; see docs/internals/contracts.md.

    ``cannot`` declares, by name, what the format lacks, each with the reason:
    ``recognize``, when it may not claim its own files for sure; ``template``, when
    it does not keep the layout of a file; ``line breaks``, when it leaves out texts
    with line breaks, with warnings. The flags of ``info`` declare the rest.
    ``samples`` are files of the format, by name, that use what it has to offer, with
    what they say. A format that can be imported needs some. ``unreadable`` are files,
    by name, that it has to refuse, each with the line of its first fault.
    """

    cannot: ClassVar[Mapping[str, str]] = {}
    samples: ClassVar[Mapping[str, Sample]] = {}
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {}
    options: ClassVar[FileOptions] = FileOptions(
        key_separator=".", source_language="en"
    )

    @pytest.fixture
    def format(self) -> Format:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture format")

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A test of a sample runs for each, with its name."""
        if "sample" in metafunc.fixturenames:
            metafunc.parametrize("sample", self.samples.values(), ids=self.samples)

    def entry(self, key: str, value: Text | None) -> Entry:
        """An entry as the format needs it; override it when it needs more."""
        return Entry(key, value, is_plural=isinstance(value, Mapping))

    def write(
        self,
        format: Format,
        entries: Sequence[Entry],
        language: str = "en",
        separator: str = ".",
    ) -> WrittenFile:
        """The file of one catalogue. Skips when the format cannot be exported."""
        if not format.info.can_export:
            pytest.skip(f"{format.info.id} is for import only (info.can_export)")
        options = replace(self.options, key_separator=separator)
        return format.write([catalogue(entries, language)], options)

    def read(
        self,
        format: Format,
        content: bytes,
        language: str = "en",
        separator: str = ".",
        plurals: Mapping[str, bool] = {},
    ) -> list[Catalogue]:
        """The file's catalogues. Skips when the format cannot be imported. ``plurals``
        are the keys that the project has, as the framework tells them."""
        if not format.info.can_import:
            pytest.skip(f"{format.info.id} is for export only (info.can_import)")
        options = replace(
            self.options,
            key_separator=separator,
            language_code=language,
            plurals=plurals,
        )
        return format.read(SourceFile(f"x{format.info.extension}", content), options)

    def texts_in(
        self,
        format: Format,
        content: bytes,
        language: str = "en",
        separator: str = ".",
        plurals: Mapping[str, bool] = {},
    ) -> Texts:
        """The texts of the file's one catalogue, by key."""
        read = self.read(format, content, language, separator, plurals)
        if format.info.multilingual and not read:
            return {}
        (found,) = read
        return texts_of(found.entries)

    def round_trip(
        self, format: Format, entries: Sequence[Entry], separator: str = "."
    ) -> Texts:
        """What is read of what was written."""
        written = self.write(format, entries, separator=separator)
        return self.texts_in(format, written.content, separator=separator)

    def comes_back_or_is_told(
        self, format: Format, entries: Sequence[Entry], module: str | None = None
    ) -> None:
        """Nothing is lost or changed of which no warning speaks. ``module`` is the one
        that is asked for, when the file is written and when it is read."""
        if not format.info.can_export:
            pytest.skip(f"{format.info.id} is for import only (info.can_export)")
        options = replace(self.options, module=module)
        written = format.write([catalogue(entries, "en")], options)
        plurals = {entry.key: entry.is_plural for entry in entries}
        read = self.read(format, written.content, plurals=plurals)
        assert len(read) == 1 or format.info.multilingual
        start = f"{module}." if module else ""
        found = {
            entry.key if entry.key.startswith(start) else start + entry.key: entry
            for one in read[:1]
            for entry in one.entries
        }
        texts = texts_of(found.values())
        for entry, (key, text) in zip(entries, texts_of(entries).items(), strict=True):
            if is_warned_of(written, key):
                continue
            name = key if key in found else start + key
            assert texts.get(name) == text, key
            if text and format.info.comments:
                said = _lines_of(found[name].description)
                assert said == _lines_of(entry.description), key
            if text:
                assert found[name].needs_review is entry.needs_review, key

    def said_in(
        self, format: Format, sample: Sample, content: bytes, *, is_new: bool = False
    ) -> dict[str, list[Entry]]:
        """The entries of a file by language, with as much detail as the sample has.
        Of one that ``is_new``, without their lines, and which keys are plural is
        known."""
        by_language = sample.of_language()
        plurals = {e.key: e.is_plural for some in by_language.values() for e in some}
        code = sample.language_code
        kept = {
            (entry.key, name)
            for some in by_language.values()
            for entry in some
            for name in ("detail", "key_detail")
            if getattr(entry, name) is not None
        }
        found = {}
        for each in self.read(format, content, code, plurals=plurals if is_new else {}):
            found[each.language_code or code] = [
                replace(
                    entry,
                    line=None if is_new else entry.line,
                    detail=entry.detail if (entry.key, "detail") in kept else None,
                    key_detail=entry.key_detail
                    if (entry.key, "key_detail") in kept
                    else None,
                )
                for entry in each.entries
            ]
        return found

    def given_of(
        self,
        format: Format,
        sample: Sample,
        entries: Mapping[str, Sequence[Entry]],
        template: bytes | None,
    ) -> list[Catalogue]:
        """Catalogues of these entries as the framework gives them to be written: all
        keys in each language, with the details that the sample's file has."""
        separator = self.options.key_separator
        every = {entry.key: entry for some in entries.values() for entry in some}
        given = []
        for each in self.read(format, sample.content, sample.language_code):
            code = each.language_code or sample.language_code
            read = {entry.key: entry for entry in each.entries}
            own = {entry.key: entry for entry in entries.get(code, ())}
            some = []
            for key, entry in (own | every).items():
                entry = own.get(key) or replace(entry, value=None, needs_review=False)
                kept = read.get(key, entry)
                some.append(
                    replace(
                        as_given(entry, separator),
                        key_detail=kept.key_detail,
                        detail=kept.detail,
                    )
                )
            made = replace(catalogue(some, code), detail=each.detail)
            given.append(replace(made, template=template))
        return given

    def filled(
        self,
        format: Format,
        sample: Sample,
        entries: Mapping[str, Sequence[Entry]],
        codes: Collection[str] | None = None,
    ) -> bytes:
        """The sample's file with these entries; only those of some languages, if they
        are named."""
        given = self.given_of(format, sample, entries, sample.content)
        wanted = [one for one in given if codes is None or one.language_code in codes]
        return format.write(wanted, self.options).content

    def changes_only(
        self,
        format: Format,
        sample: Sample,
        entry: Entry,
        given: Mapping[str, Sequence[Entry]],
    ) -> None:
        """Only lines of this entry change when a language's entries are ``given``, and
        all others say the same."""
        whole = {**sample.of_language(), **given}
        for codes in (None, given.keys()):
            content = self.filled(format, sample, whole, codes)

            found = self.said_in(format, sample, content, is_new=True)
            expected = _without_lines_of(whole)
            about = f"with another text or mark of {entry.key!r}, "
            assert found == expected, about + entry_that_differs(found, expected)
            changed = changed_lines(sample.content, content)
            others = sorted(changed - _lines_around(sample, entry))
            assert not others, (
                f"{about}lines {others} of the file change, which are not its own:"
                f" {line_that_differs(sample.content, content)}"
            )
            about += line_that_differs(sample.content, content)
            if sample.content.count(b"\n") == sample.content.count(b"\r\n"):
                assert content.count(b"\n") == content.count(b"\r\n"), about
            assert content.endswith(b"\n") is sample.content.endswith(b"\n"), about

    def require_template(self, format: Format) -> None:
        """Skip where layouts are not kept, or one of both ways is missing."""
        if "template" in self.cannot:
            pytest.skip(self.cannot["template"])
        if not (format.info.can_export and format.info.can_import):
            pytest.skip(f"{format.info.id} goes one way only")

    def read_or_refuse(self, format: Format, content: bytes) -> list[Catalogue] | None:
        """What is read, when it can be stored; None when it is refused as it should."""
        try:
            catalogues = self.read(format, content)
        except UnreadableFile as refusal:
            problems = refusal.details
            assert isinstance(problems, list)
            assert problems
            for problem in problems:
                assert isinstance(problem, Problem)
                assert problem.path
                assert problem.rule
                assert 1 <= len(problem.message) <= 500
            check_strings([refusal.message, problems])
            return None
        check_strings(catalogues)
        for one in catalogues:
            texts_of(one.entries)
        return catalogues

    def test_f1_the_info_is_well_formed_and_stays_the_same(
        self, format: Format
    ) -> None:
        info = format.info

        assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", info.id)
        assert info.name.strip()
        assert re.fullmatch(r"(\.[a-z0-9]+)+", info.extension)
        assert re.fullmatch(
            r"[a-z]+/[a-z0-9.+-]+(; ?charset=[a-z0-9-]+)?", info.content_type, re.I
        )
        assert info.can_import or info.can_export
        assert all(re.fullmatch(r"\S.*[^\s.]", limit) for limit in info.limits)
        assert info.placeholders in ("", *DIALECTS)
        assert len(set(info.all_limits)) == len(info.all_limits)
        assert info == format.info
        assert set(self.cannot) <= {"recognize", "template", "line breaks"}
        assert all(reason.strip() for reason in self.cannot.values())

    def test_f2_the_same_catalogue_gives_the_same_bytes(self, format: Format) -> None:
        forms = {"one": "one", "other": "others"}
        turned = {"other": "others", "one": "one"}
        entries = [*ENTRIES, self.entry("things", forms)]
        again = [*ENTRIES, self.entry("things", turned)]

        assert self.write(format, entries) == self.write(format, again)

    @pytest.mark.parametrize("number", [0, 1, 10_000])
    def test_f3_every_key_and_text_comes_back(
        self, format: Format, number: int
    ) -> None:
        space = " " if "line breaks" in self.cannot else "\n"
        entries = [
            self.entry(f"section{n % 90}.key{n}", f"Text {n}{space}line")
            for n in range(number)
        ]
        if number:
            entries += ENTRIES

        assert self.round_trip(format, entries) == texts_of(entries)

    @pytest.mark.parametrize("language", PLURALS)
    def test_f4_plural_forms_come_back(self, format: Format, language: str) -> None:
        forms = {form: f"{{count}} {form}" for form in PLURALS[language]}
        entries = [self.entry("a.plural", forms), self.entry("a.text", "Text")]
        written = self.write(format, entries, language)

        if format.info.plurals:
            assert self.texts_in(format, written.content, language) == texts_of(entries)
        else:
            self.comes_back_or_is_told(format, entries)

    def test_f5_descriptions_and_source_texts_come_back(self, format: Format) -> None:
        plural = {"one": "a thing", "other": "things"}
        entries = [Entry("a", "Speichern", description="A button", source="Save")]
        if format.info.plurals:
            things = {"one": "Ding", "other": "Dinge"}
            entries.append(Entry("b", things, True, source=plural))
        # in the source language: others need not carry descriptions
        (read,) = self.read(format, self.write(format, entries).content)

        found = {entry.key: entry for entry in read.entries}
        for entry in entries:
            if format.info.comments:
                assert found[entry.key].description == entry.description, entry.key
            if format.info.source_texts:
                said, only = found[entry.key].source, {"other": "things"}
                is_right = said == entry.source or (entry.is_plural and said == only)
                assert is_right, f"source of {entry.key}: {said!r}"

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
    def test_f6_a_text_comes_back_character_for_character(
        self, format: Format, text: str
    ) -> None:
        entries = [self.entry("before", "x"), self.entry("key", text)]
        if format.info.plurals:
            entries.append(self.entry("plural", {"one": "x", "other": text}))

        if "line breaks" in self.cannot and re.search("[\r\n]", text):
            written = self.write(format, entries)
            # what was declared has to be true as well
            assert "\n" not in text or is_warned_of(written, "key")
            self.comes_back_or_is_told(format, entries)
            return
        assert self.round_trip(format, entries) == texts_of(entries)

    @pytest.mark.parametrize("separator", SEPARATORS)
    def test_f7_every_legal_key_comes_back(
        self, format: Format, separator: str
    ) -> None:
        deep = separator.join("s" * 250)
        keys = [*KEYS, deep, separator.join(("p", *KEYS[:-1])), f"p{separator}0"]
        entries = [self.entry(key, f"text of {key}") for key in sorted(keys)]

        assert self.round_trip(format, entries, separator) == texts_of(entries)

    def test_f8_an_entry_without_a_text_leaves_the_others_alone(
        self, format: Format
    ) -> None:
        entries = [self.entry("empty", None), *ENTRIES, self.entry("void", None)]

        found = self.round_trip(format, entries)

        assert {key: text for key, text in found.items() if text} == texts_of(ENTRIES)
        assert found.get("empty") is None
        assert found.get("void") is None

    @pytest.mark.parametrize("forms", [("one",), ("few", "many"), ("zero", "other")])
    def test_f9_forms_that_do_not_come_back_are_told(
        self, format: Format, forms: tuple[str, ...]
    ) -> None:
        entries = [self.entry("a.b", dict.fromkeys(forms, "x")), *ENTRIES]

        self.comes_back_or_is_told(format, entries)

    @pytest.mark.parametrize("keys", CLASHES.values(), ids=CLASHES.keys())
    def test_f10_keys_that_clash_come_back_or_are_told(
        self, format: Format, keys: tuple[str, ...]
    ) -> None:
        entries = [self.entry(key, f"text of {key}") for key in keys]
        self.comes_back_or_is_told(format, entries)
        self.comes_back_or_is_told(format, entries[::-1])

        plural = self.entry(keys[0], {"one": "x", "other": "y"})
        self.comes_back_or_is_told(format, [plural, *entries[1:]])

    @pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
    def test_f11_a_broken_file_is_refused_with_problems_or_read(
        self, format: Format, content: bytes
    ) -> None:
        self.read_or_refuse(format, content)

    def test_f12_a_damaged_file_is_refused_with_problems_or_read(
        self, format: Format
    ) -> None:
        entries = [*ENTRIES, self.entry("things", {"one": "one", "other": "others"})]
        samples = [sample.content for sample in self.samples.values()]
        files = [self.write(format, entries).content, *samples]
        for seed, content in enumerate(files):
            for variant in damaged(content, seed, 150):
                read = self.read_or_refuse(format, variant)
                if read is not None and format.info.can_export:
                    written = format.write(read, self.options)
                    self.read(format, written.content)

    def test_f13_what_the_format_calls_unreadable_is_refused_with_its_line(
        self, format: Format
    ) -> None:
        if not self.unreadable:
            pytest.skip("give files that the format has to refuse in unreadable")
        lines = {}
        for name, (content, _) in self.unreadable.items():
            problems: object = "it is read"
            try:
                self.read(format, content)
            except UnreadableFile as refusal:
                problems = refusal.details
            lines[name] = problems[0].path if isinstance(problems, list) else problems

        assert lines == {n: f"line {line}" for n, (_, line) in self.unreadable.items()}

    def test_f14_recognizing_never_fails(self, format: Format) -> None:
        extension = format.info.extension
        for content in (*BROKEN.values(), *STRANGERS.values()):
            names = ("", "x", f"x{extension}", f"a/b{extension.upper()}", "\0", ".")
            for name in names:
                found = format.recognizes(SourceFile(name, content))
                assert isinstance(found, bool)

    def test_f15_its_own_files_are_recognized(self, format: Format) -> None:
        written = self.write(format, ENTRIES)
        file = SourceFile(f"en{format.info.extension}", written.content)

        # what was declared has to be true as well
        assert format.recognizes(file) is ("recognize" not in self.cannot)

    def test_f16_other_files_are_not_recognized(self, format: Format) -> None:
        info = format.info
        others = {
            name: content
            for family, files in KNOWN.items()
            for name, content in files.items()
            if family != family_of(info) and not name.endswith(info.extension)
        }

        assert [
            name
            for name, content in {**STRANGERS, **others}.items()
            if format.recognizes(SourceFile(name, content))
        ] == []

    def test_f17_lines_are_in_the_file(self, format: Format) -> None:
        content = self.write(format, ENTRIES).content
        (read,) = self.read(format, content)

        lines = [entry.line for entry in read.entries if entry.line is not None]
        assert all(1 <= line <= content.count(b"\n") + 1 for line in lines)

    def test_f18_the_language_is_the_one_written_or_not_told(
        self, format: Format
    ) -> None:
        content = self.write(format, ENTRIES, "pt-BR").content
        (read,) = self.read(format, content, "pt-BR")

        assert read.language_code in (None, "pt-BR")

    def test_f19_several_languages_come_back(self, format: Format) -> None:
        if not format.info.multilingual:
            pytest.skip(f"{format.info.id} has one language (info.multilingual)")
        catalogues = [catalogue(ENTRIES, code) for code in ("de", "en", "pt-BR")]
        written = format.write(catalogues, self.options)

        read = self.read(format, written.content)
        assert {c.language_code: texts_of(c.entries) for c in read} == {
            c.language_code: texts_of(c.entries) for c in catalogues
        }

    def test_f20_what_was_read_can_be_written_and_reads_the_same(
        self, format: Format, sample: Sample
    ) -> None:
        first = self.read(format, sample.content)
        written = format.write(first, self.options)
        second = self.read(format, written.content)

        assert without_lines(second) == without_lines(first)

    def test_f21_calls_share_nothing(self, format: Format) -> None:
        sets = [
            [self.entry(f"set{n}.key{i}", f"{n} {i}") for i in range(200)]
            for n in range(8)
        ]
        alone = [self.write(format, entries) for entries in sets]

        with ThreadPoolExecutor(8) as pool:
            written = list(pool.map(lambda e: self.write(format, e), sets * 3))
            read = list(pool.map(lambda w: self.texts_in(format, w.content), written))

        assert written == alone * 3
        assert read == [texts_of(entries) for entries in sets] * 3

    @settings(deadline=None, suppress_health_check=list(HealthCheck))
    @given(texts=_ANY, notes=_NOTES, in_module=st.booleans())
    def test_f22_any_catalogue_comes_back_or_is_told(
        self,
        format: Format,
        texts: dict[str, Text],
        notes: list[tuple[str, bool]],
        in_module: bool,
    ) -> None:
        start = "shop." if in_module else ""
        entries = [
            replace(
                self.entry(start + key, text),
                description=description,
                needs_review=needs_review and format.info.marks_unreviewed,
            )
            for (key, text), (description, needs_review) in zip(
                texts.items(), itertools.cycle(notes), strict=False
            )
        ]
        module = "shop" if in_module else None

        self.comes_back_or_is_told(format, entries, module)
        self.comes_back_or_is_told(format, entries[::-1], module)

    def test_f23_samples_are_given(self, format: Format) -> None:
        told = "give samples: F20 and F23 to F28 test nothing without"
        assert self.samples or not format.info.can_import, told

    def test_f23_a_sample_says_what_is_expected(
        self, format: Format, sample: Sample
    ) -> None:
        found = self.said_in(format, sample, sample.content)
        expected = sample.of_language()

        assert found == expected, entry_that_differs(found, expected)

    def test_f24_a_sample_is_written_as_expected(
        self, format: Format, sample: Sample
    ) -> None:
        given = self.given_of(format, sample, sample.of_language(), None)
        expected = sample.rewritten or sample.content
        content = format.write(given, self.options).content

        assert content == expected, line_that_differs(expected, content)

    def test_f25_a_template_with_the_same_texts_is_not_changed(
        self, format: Format, sample: Sample
    ) -> None:
        self.require_template(format)
        content = self.filled(format, sample, sample.of_language())

        assert content == sample.content, line_that_differs(sample.content, content)

    def test_f26_in_a_template_only_what_differs_changes(
        self, format: Format, sample: Sample
    ) -> None:
        self.require_template(format)
        for code, entries in sample.of_language().items():
            for entry in [e for e in entries if isinstance(e.value, str)]:
                news = [replace(entry, value="changed")]
                if any(each.needs_review for each in entries):
                    is_open = not entry.needs_review
                    news.append(replace(entry, needs_review=is_open))
                for new in news:
                    some = [new if e is entry else e for e in entries]
                    self.changes_only(format, sample, entry, {code: some})

    def test_f27_a_template_loses_the_keys_that_are_gone(
        self, format: Format, sample: Sample
    ) -> None:
        self.require_template(format)
        keys = [e.key for some in sample.of_language().values() for e in some]
        for key in dict.fromkeys(keys):
            rest = sample.but_for(key)
            written = self.filled(format, sample, rest)

            found = self.said_in(format, sample, written, is_new=True)
            expected = _without_lines_of({c: some for c, some in rest.items() if some})
            if not expected and not format.info.multilingual:
                expected = _without_lines_of(rest)
            told = f"without {key!r}, {entry_that_differs(found, expected)}"
            assert found == expected, told

    def test_f28_a_new_key_stands_behind_the_one_before(
        self, format: Format, sample: Sample
    ) -> None:
        self.require_template(format)
        by_language = sample.of_language()
        first = next(iter(by_language.values()))
        at_once = len(first) < 2
        for at, before in enumerate(first):
            parts = before.key.split(".")
            name = ".".join([*parts[:-1], "zz-new"])
            new = self.entry(name, "new text")
            more = {
                code: [*some[: at + 1], new, *some[at + 1 :]]
                for code, some in by_language.items()
            }
            written = self.filled(format, sample, more)
            said = self.said_in(format, sample, written, is_new=True)

            for code, entries in said.items():
                keys = [entry.key for entry in entries]
                assert name in keys, f"{code}: {name!r} is not there"
                place = keys.index(name)
                is_next = keys[place - 1 : place] == [before.key]
                at_once |= is_next and place < len(keys) - 1
                found = entries.pop(place)
                assert (found.value, found.is_plural) == ("new text", False)
                others = {code: entries}
                expected = {code: _without_lines_of(by_language)[code]}
                told = f"with {name!r}, {entry_that_differs(others, expected)}"
                assert others == expected, told
        assert at_once, "new keys stand at the end"

    def test_f29_a_byte_order_mark_changes_nothing(self, format: Format) -> None:
        content = self.write(format, ENTRIES).content

        if content.isascii():
            content = codecs.BOM_UTF8 + content
        assert self.texts_in(format, content) == texts_of(ENTRIES)

    @pytest.mark.parametrize("charset", ["iso8859-1", "utf-16", "utf-16-le"])
    def test_f30_wrong_bytes_are_refused_with_their_line_or_left_out(
        self, format: Format, charset: str
    ) -> None:
        entries = [*ENTRIES, self.entry("wrong", "für Größe"), self.entry("z", "ü")]
        content = self.write(format, entries).content
        try:
            wrong = content.decode("utf-8-sig").encode(charset)
        except UnicodeDecodeError:
            pytest.skip("every byte is right in the charset of the format")
        lines = [n for n, b in enumerate(wrong.split(b"\n"), 1) if not b.isascii()]
        try:
            read = self.read(format, wrong)
        except UnreadableFile as refusal:
            problems = refusal.details
        else:
            texts = {e.key: e.value for each in read for e in each.entries if e.value}
            assert texts.items() <= texts_of(entries).items()
            assert len(texts) == len(entries) or any(each.warnings for each in read)
            return
        assert isinstance(problems, list)
        if charset == "iso8859-1":
            assert problems[0].path == f"line {lines[0]}"

    def test_f31_entities_are_refused_or_text(
        self, format: Format, sample: Sample, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_text("the secret")
        texts = [e.value for s in sample.of_language().values() for e in s]
        text = next((t for t in texts if isinstance(t, str) and t.isalpha()), "")
        secret = str(tmp_path / "secret")
        if text and format.info.can_import:
            for content in with_entities(sample.content, text, secret).values():
                with pytest.raises(UnreadableFile):
                    self.read(format, content)

    def test_f32_lengths_come_back(self, format: Format) -> None:
        if not format.info.max_lengths:
            pytest.skip(f"{format.info.id} has no lengths (info.max_lengths)")
        entries = [replace(self.entry("a", "Save"), max_length=12), *ENTRIES]

        (read,) = self.read(format, self.write(format, entries).content)

        lengths = {entry.key: entry.max_length for entry in read.entries}
        assert lengths == {entry.key: entry.max_length for entry in entries}

    def test_f33_a_file_is_in_the_charset_of_its_content_type(
        self, format: Format
    ) -> None:
        _, _, charset = format.info.content_type.lower().partition("charset=")
        entries = [*ENTRIES, self.entry("key", "Größe — 保存 😀")]

        content = self.write(format, entries).content

        assert content.decode(charset or "utf-8")
        assert self.texts_in(format, content) == texts_of(entries)
        for sample in self.samples.values():
            given = self.given_of(format, sample, sample.of_language(), sample.content)
            written = format.write(given, self.options)
            declared = written.content_type(format.info).lower()
            assert written.content.decode(declared.partition("charset=")[2] or "utf-8")
