"""Each version of XLIFF keeps the contract of the port."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from locframework_formats_xliff import XliffPlugin

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

SAMPLES = Path(__file__).parent / "samples"
BOLD = '<x id="START_BOLD"/>'
PAY = '<x id="INTERPOLATION" equiv-text="{{ a > b }}"/><b>'
ANGULAR = [
    Entry(
        "1267967133679326155",
        f"Anlegen & zahlen {PAY}",
        source=f"Create & pay {PAY}",
        description="A button",
        line=6,
    ),
    Entry(
        "2",
        f"{{VAR_PLURAL, plural, =1 {{{BOLD}eins}} other {{n}}}}",
        source=f"{{VAR_PLURAL, plural, =1 {{{BOLD}one}} other {{n}}}}",
        needs_review=True,
        max_length=40,
        line=15,
    ),
    Entry("3", None, source="Copy", line=19),
    Entry("Sign in", "Anmelden", source="Sign in", needs_review=True, line=23),
    Entry("4", None, source="Empty", line=24),
]
APPLE = [
    Entry("App/en.lproj/InfoPlist.strings:Cancel", None, source="Cancel", line=8),
    Entry(
        "App/Localizable.xcstrings:%lld items",
        {"one": "%lld Ding", "other": "%lld Dinge"},
        is_plural=True,
        source={"one": "%lld item", "other": "%lld items"},
        description="The cart",
        line=16,
    ),
    Entry("App/Localizable.xcstrings:Cancel", "Abbrechen", source="Cancel", line=26),
]
SYMFONY = [
    Entry("app.title", "Größe", line=5),
    Entry("b", "<em>€", source="Text", line=9),
]
EXTRACTED = [
    Entry("a.b", "Save", line=1),
    Entry("c", 'Go <g id="1">on</g>', line=1),
]
EXTRACTED_2 = [
    Entry("a.b", "Save", line=2),
    Entry("c", 'Go <pc id="1">on</pc>', line=2),
]
CODES = [
    Entry("title", "a\x1bb", source="b", line=4),
    Entry(
        "Sign in & out",
        'Klick <pc id="1" subFlows="u2">hier</pc> & <ph id="2" disp="&lt;br>"/>',
        source='Click <pc id="1" subFlows="u2">here</pc> & <ph id="2" disp="&lt;br>"/>',
        description="A link\nmeaning of it",
        max_length=40,
        line=10,
    ),
    Entry(
        "two",
        "Erstens. Zweitens.",
        source="First. Second.",
        needs_review=True,
        line=26,
    ),
    Entry("half", None, source="One. Two.", line=41),
    Entry(
        "styled",
        '<pc xmlns:fs="urn:oasis:names:tc:xliff:fs:2.0" id="1" fs:fs="b">x</pc>',
        source='&lt;pc id="1">x&lt;/pc>',
        needs_review=True,
        line=50,
    ),
    Entry("same", "OK", source="OK", needs_review=True, line=56),
    Entry("new", None, source="New", line=62),
]
PLURAL = [
    Entry(
        "n",
        {"one": "ein Ding", "other": "{n} Dinge"},
        is_plural=True,
        source={"one": "a thing", "other": "{n} things"},
        line=5,
    ),
    Entry("a/b", "x", line=17),
]
HEAD = b'<xliff version="1.2">\n<file source-language="en" original="a"><body>\n'
UNIT = b'<trans-unit id="a"><source>%s</source></trans-unit>\n'
TAIL = b"</body></file></xliff>"
UNREADABLE = {
    "no XLIFF": (b"<?xml version='1.0'?>\n<resources/>", 2),
    "cut off": (HEAD + UNIT % b"x", 4),
    "an entity": (HEAD + UNIT % b"&nbsp;" + TAIL, 3),
    "a DOCTYPE": (b"\n<!DOCTYPE xliff>\n" + HEAD, 2),
    "a key with plural forms and without": (
        HEAD + UNIT % b"x" + UNIT.replace(b'"a"', b'"a|==|plural.one"') % b"y" + TAIL,
        4,
    ),
    "several languages": (
        HEAD.replace(b'"en"', b'"en" target-language="de"')
        + b'</body></file>\n<file target-language="fr"/></xliff>',
        4,
    ),
    "not utf-8": (HEAD + UNIT % b"\xfc", 3),
    "deep": (HEAD + b"<group>\n" * 200, 100),
    "unknown charset": (b'<?xml version="1.0" encoding="x-none"?>\n<xliff/>', 1),
}


def format_named(name: str) -> Format:
    formats = XliffPlugin().loc_provide_formats()
    return next(format for format in formats if format.info.id == name)


def sample(
    name: str, entries: Sequence[Entry], language: str = "de", *, newline: str = "\n"
) -> Sample:
    content = (SAMPLES / f"{name}.xlf").read_bytes()
    return Sample(
        content.replace(b"\n", newline.encode()),
        {language: entries},
        (SAMPLES / f"{name}.canonical.xlf").read_bytes(),
    )


class TestXliff12(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "angular": sample("angular", ANGULAR),
        "extracted": sample("extracted", EXTRACTED, "en"),
        "apple": sample("apple", APPLE, newline="\r\n"),
        "symfony": sample("symfony", SYMFONY),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("xliff-1.2")


class TestXliff20(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {"codes": sample("codes", CODES)}
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("xliff-2.0")


class TestXliff21(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "extracted": sample("extracted-2.1", EXTRACTED_2, "en")
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("xliff-2.1")


class TestXliff22(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {"plural": sample("plural-2.2", PLURAL)}
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("xliff-2.2")
