"""The contract of the port Format; clauses as in docs/internals/contracts.md."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import ClassVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.errors import Problem, UnreadableFile
from locframework.formats.format import Format
from locframework.formats.records import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    Text,
    WrittenFile,
)

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

BROKEN = {
    "empty": b"",
    "byte order mark": b"\xef\xbb\xbf",
    "white space": b" \n\t\r\n ",
    "nul": b"\0",
    "not utf-8": b"\xff\xfe\xfa\x80",
    "utf-16": '{"a": "b"}'.encode("utf-16"),
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1",
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "deep elements": b"<a>" * 100_000,
    "deep indentation": b"".join(b" " * n + b"a:\n" for n in range(500)),
    "one quote": b'"',
    "a lone surrogate": b'{"a": "\\ud800"}',
    "an encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "an escaped nul": b'{"a": "\\u0000"}',
    "an endless number": b'{"a": ' + b"9" * 100_000 + b"}",
}
"""Files that no format can read, or only as next to nothing."""

STRANGERS = {
    "picture.png": BROKEN["picture"],
    "letter.docx": b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0",
    "index.html": b"<!doctype html><html><body><p>Hello</p></body></html>",
    "main.py": b"import sys\n\nprint(sys.argv)\n",
    "LICENSE.txt": b"Permission is hereby granted, free of charge, to any person\n",
}
"""Files that belong to no format of translations."""

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


class FormatContract:
    """Subclass it as ``Test…`` and give ``format``; see docs/internals/contracts.md.

    ``cannot`` declares, by name, what the format lacks, each with the reason:
    ``recognize``, when it may not claim its own files for sure. The flags of ``info``
    declare the rest.
    ``samples`` are files of the format, by name, that use what it has to offer.
    ``unreadable`` are files, by name, that it has to refuse.
    """

    cannot: ClassVar[Mapping[str, str]] = {}
    samples: ClassVar[Mapping[str, bytes]] = {}
    unreadable: ClassVar[Mapping[str, bytes]] = {}
    options: ClassVar[FileOptions] = FileOptions(
        key_separator=".", source_language="en"
    )

    @pytest.fixture
    def format(self) -> Format:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture format")

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
        (read,) = self.read(format, content, language, separator, plurals)
        return texts_of(read.entries)

    def round_trip(
        self, format: Format, entries: Sequence[Entry], separator: str = "."
    ) -> Texts:
        """What is read of what was written."""
        written = self.write(format, entries, separator=separator)
        return self.texts_in(format, written.content, separator=separator)

    def comes_back_or_is_told(self, format: Format, entries: Sequence[Entry]) -> None:
        """Nothing is lost or changed of which no warning speaks."""
        written = self.write(format, entries)
        plurals = {entry.key: entry.is_plural for entry in entries}
        found = self.texts_in(format, written.content, plurals=plurals)
        for key, text in texts_of(entries).items():
            assert found.get(key) == text or is_warned_of(written, key), key

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

        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", info.id)
        assert info.name.strip()
        assert re.fullmatch(r"(\.[a-z0-9]+)+", info.extension)
        assert re.fullmatch(
            r"[a-z]+/[a-z0-9.+-]+(; ?charset=utf-8)?", info.content_type
        )
        assert info.can_import or info.can_export
        assert info == format.info
        assert set(self.cannot) <= {"recognize"}
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
        entries = [
            self.entry(f"section{n % 90}.key{n}", f"Text {n}\nline")
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
            assert is_warned_of(written, "a.plural")

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
                assert found[entry.key].description == entry.description
            if format.info.source_texts:
                assert found[entry.key].source == entry.source

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
    def test_f6_a_text_comes_back_character_for_character(
        self, format: Format, text: str
    ) -> None:
        entries = [self.entry("before", "x"), self.entry("key", text)]
        if format.info.plurals:
            entries.append(self.entry("plural", {"one": "x", "other": text}))

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
        files = [self.write(format, entries).content, *self.samples.values()]
        for seed, content in enumerate(files):
            for variant in damaged(content, seed, 150):
                read = self.read_or_refuse(format, variant)
                if read is not None and format.info.can_export:
                    written = format.write(read, self.options)
                    self.read(format, written.content)

    def test_f13_what_the_format_calls_unreadable_is_refused(
        self, format: Format
    ) -> None:
        accepted = [
            name
            for name, content in self.unreadable.items()
            if self.read_or_refuse(format, content) is not None
        ]

        assert accepted == []

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

    @pytest.mark.parametrize("name", STRANGERS)
    def test_f16_strangers_are_not_recognized(self, format: Format, name: str) -> None:
        assert format.recognizes(SourceFile(name, STRANGERS[name])) is False

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
        self, format: Format
    ) -> None:
        for content in self.samples.values():
            first = self.read(format, content)
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
    @given(texts=_ANY)
    def test_f22_any_catalogue_comes_back_or_is_told(
        self, format: Format, texts: dict[str, Text]
    ) -> None:
        entries = [self.entry(key, text) for key, text in texts.items()]

        self.comes_back_or_is_told(format, entries)
        self.comes_back_or_is_told(format, entries[::-1])
