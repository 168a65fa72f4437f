"""The contract of the port Format; clauses as in docs/contracts.md."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from locframework.formats.format import Format
from locframework.formats.records import (
    Entry,
    SourceFile,
)

from .format_checks import is_told, texts_of, without_lines
from .format_samples import BROKEN, KEYS, STRANGERS, TEXTS, damaged
from .format_steps import PLURALS, FormatSteps, catalogue

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


class FormatContract(FormatSteps):
    """Subclass it as ``Test…`` and give the fixture ``format``; see docs/contracts.md.

    ``cannot`` declares, by name, what the format lacks, each with the reason:
    ``recognize``, when it may not claim its own files for sure. The flags of ``info``
    declare the rest.
    ``samples`` are files of the format, by name, that use what it has to offer.
    ``unreadable`` are files, by name, that it has to refuse.
    """

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

    def test_f3_every_key_and_text_comes_back(self, format: Format) -> None:
        assert self.round_trip(format, ENTRIES) == texts_of(ENTRIES)

    @pytest.mark.parametrize("language", PLURALS)
    def test_f4_plural_forms_come_back(self, format: Format, language: str) -> None:
        forms = {form: f"{{count}} {form}" for form in PLURALS[language]}
        entries = [self.entry("a.plural", forms), self.entry("a.text", "Text")]
        written = self.write(format, entries, language)

        if format.info.plurals:
            assert self.texts_in(format, written.content, language) == texts_of(entries)
        else:
            assert is_told(written, "a.plural")

    def test_f5_descriptions_come_back(self, format: Format) -> None:
        if not format.info.comments:
            pytest.skip(f"{format.info.id} has no descriptions (info.comments)")
        (read,) = self.read(format, self.write(format, ENTRIES).content)

        found = {entry.key: entry.description for entry in read.entries}
        assert found == {entry.key: entry.description for entry in ENTRIES}

    def test_f6_source_texts_come_back(self, format: Format) -> None:
        if not format.info.source_texts:
            pytest.skip(f"{format.info.id} has no source texts (info.source_texts)")
        plural = {"one": "a thing", "other": "things"}
        entries = [
            Entry("a", "Speichern", source="Save"),
            Entry("b", {"one": "Ding", "other": "Dinge"}, True, source=plural),
        ]
        (read,) = self.read(format, self.write(format, entries, "de").content, "de")

        assert {entry.key: entry.source for entry in read.entries} == {
            "a": "Save",
            "b": plural,
        }

    def test_f7_an_empty_catalogue_is_a_file_without_entries(
        self, format: Format
    ) -> None:
        assert self.round_trip(format, []) == {}

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
    def test_f8_a_text_comes_back_character_for_character(
        self, format: Format, text: str
    ) -> None:
        entries = [self.entry("before", "x"), self.entry("key", text)]
        if format.info.plurals:
            entries.append(self.entry("plural", {"one": "x", "other": text}))

        assert self.round_trip(format, entries) == texts_of(entries)

    @pytest.mark.parametrize("separator", SEPARATORS)
    def test_f9_every_legal_key_comes_back(
        self, format: Format, separator: str
    ) -> None:
        deep = separator.join("s" * 250)
        keys = [*KEYS, deep, separator.join(("p", *KEYS[:-1])), f"p{separator}0"]
        entries = [self.entry(key, f"text of {key}") for key in sorted(keys)]

        assert self.round_trip(format, entries, separator) == texts_of(entries)

    def test_f10_ten_thousand_entries_come_back(self, format: Format) -> None:
        entries = [
            self.entry(f"section{number % 90}.key{number}", f"Text {number}\nline")
            for number in range(10_000)
        ]

        assert self.round_trip(format, entries) == texts_of(entries)

    def test_f11_an_entry_without_a_text_leaves_the_others_alone(
        self, format: Format
    ) -> None:
        entries = [self.entry("empty", None), *ENTRIES, self.entry("void", None)]

        found = self.round_trip(format, entries)

        assert {key: text for key, text in found.items() if text} == texts_of(ENTRIES)
        assert found.get("empty") is None
        assert found.get("void") is None

    @pytest.mark.parametrize("forms", [("one",), ("few", "many"), ("zero", "other")])
    def test_f12_forms_that_do_not_come_back_are_told(
        self, format: Format, forms: tuple[str, ...]
    ) -> None:
        entries = [self.entry("a.b", dict.fromkeys(forms, "x")), *ENTRIES]

        self.comes_back_or_is_told(format, entries)

    @pytest.mark.parametrize("keys", CLASHES.values(), ids=CLASHES.keys())
    def test_f13_keys_that_clash_come_back_or_are_told(
        self, format: Format, keys: tuple[str, ...]
    ) -> None:
        entries = [self.entry(key, f"text of {key}") for key in keys]
        self.comes_back_or_is_told(format, entries)
        self.comes_back_or_is_told(format, entries[::-1])

        plural = self.entry(keys[0], {"one": "x", "other": "y"})
        self.comes_back_or_is_told(format, [plural, *entries[1:]])

    @pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
    def test_f14_a_broken_file_is_refused_with_problems_or_read(
        self, format: Format, content: bytes
    ) -> None:
        self.read_or_refuse(format, content)

    def test_f15_a_damaged_file_is_refused_with_problems_or_read(
        self, format: Format
    ) -> None:
        entries = [*ENTRIES, self.entry("things", {"one": "one", "other": "others"})]
        files = [self.write(format, entries).content, *self.samples.values()]
        for seed, content in enumerate(files):
            for variant in damaged(content, seed, 150):
                self.read_or_refuse(format, variant)

    def test_f16_what_the_format_calls_unreadable_is_refused(
        self, format: Format
    ) -> None:
        accepted = [
            name
            for name, content in self.unreadable.items()
            if self.read_or_refuse(format, content) is not None
        ]

        assert accepted == []

    def test_f17_recognizing_never_fails(self, format: Format) -> None:
        extension = format.info.extension
        for content in (*BROKEN.values(), *STRANGERS.values()):
            for name in (
                "",
                "x",
                f"x{extension}",
                f"a/b{extension.upper()}",
                "\0",
                ".",
            ):
                found = format.recognizes(SourceFile(name, content))
                assert isinstance(found, bool)

    def test_f18_its_own_files_are_recognized(self, format: Format) -> None:
        written = self.write(format, ENTRIES)
        file = SourceFile(f"en{format.info.extension}", written.content)

        # what was declared has to be true as well
        assert format.recognizes(file) is ("recognize" not in self.cannot)

    @pytest.mark.parametrize("name", STRANGERS)
    def test_f19_strangers_are_not_recognized(self, format: Format, name: str) -> None:
        assert format.recognizes(SourceFile(name, STRANGERS[name])) is False

    def test_f20_lines_are_in_the_file(self, format: Format) -> None:
        content = self.write(format, ENTRIES).content
        (read,) = self.read(format, content)

        lines = [entry.line for entry in read.entries if entry.line is not None]
        assert all(1 <= line <= content.count(b"\n") + 1 for line in lines)

    def test_f21_the_language_is_the_one_written_or_not_told(
        self, format: Format
    ) -> None:
        content = self.write(format, ENTRIES, "pt-BR").content
        (read,) = self.read(format, content, "pt-BR")

        assert read.language_code in (None, "pt-BR")

    def test_f22_several_languages_come_back(self, format: Format) -> None:
        if not format.info.multilingual:
            pytest.skip(f"{format.info.id} has one language (info.multilingual)")
        catalogues = [catalogue(ENTRIES, code) for code in ("de", "en", "pt-BR")]
        written = format.write(catalogues, self.options)

        read = self.read(format, written.content)
        assert {c.language_code: texts_of(c.entries) for c in read} == {
            c.language_code: texts_of(c.entries) for c in catalogues
        }

    def test_f23_what_was_read_can_be_written_and_reads_the_same(
        self, format: Format
    ) -> None:
        for content in self.samples.values():
            first = self.read(format, content)
            written = format.write(first, self.options)
            second = self.read(format, written.content)

            assert without_lines(second) == without_lines(first)

    def test_f24_calls_share_nothing(self, format: Format) -> None:
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
