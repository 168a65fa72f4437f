"""The built-in checks keep the contract of their port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace

from locframework.quality.check import Check, Subject
from locframework.quality.checks import (
    Length,
    Markup,
    Numbers,
    Placeholders,
    PluralForms,
    Punctuation,
    Unchanged,
    WhiteSpace,
)
from locframework.testing.contracts.checks import CheckContract, Derived, Span

from .subjects import subject

Subjects = Mapping[str, Subject]

ICU = "{n, plural, one {# file of {name}} other {# files of {name}}}"
SELECT = "{g, select, male {He} female {She} other {They}} left"
FILES = {"one": "%d file", "other": "%d files"}
RUSSIAN = "one few many other"
FILE_S = {"one": "One file", "other": "%d files"}


class TestPlaceholders(CheckContract):
    check: ClassVar[Check] = Placeholders()
    cannot: ClassVar[Mapping[Derived, str]] = {
        "plural": "a form may have the number in words"
    }
    good: ClassVar[Subjects] = {
        "none": subject("Save", "Speichern"),
        "the same": subject("Hi {name}", "Hallo {name}"),
        "turned": subject("{a} of {b}", "{b}: {a}"),
        "i18next, formatted": subject("{{n, number}} of {{ m }}", "{{m}}: {{ n }}"),
        "i18next, unescaped": subject("{{- a}}", "{{-a}}"),
        "i18next, nested": subject("$t(a.b) x", "x $t(a.b, { 'count': 1 })"),
        "Python, formatted": subject("{:.2f} {a!r} {b:>3}", "{b} {a} {:.1f}"),
        "Python, named": subject("%(n)d by %(who)s", "%(who)s: %(n)i"),
        "printf, numbered": subject("%s has %d", "%2$d hat %1$s"),
        "printf, numbered in the source": subject("%1$s has %2$d", "%s hat %d"),
        "printf, other width": subject("%5.2f", "%.1f"),
        "printf, whole numbers": subject("%i %u %ld", "%d %d %lld"),
        "Objective-C": subject("%@: %lu", "%2$lu: %1$@"),
        "braces, numbered": subject("{} of {}", "{1}: {0}"),
        "named twice": subject("{a}", "{a}, {a}"),
        "a percentage": subject("100% sure", "zu 100 % sicher"),
        "a German percentage": subject("a 50% discount", "50%iger Nachlass"),
        "two percent signs": subject("100%% of", "100 %% von"),
        "two percent signs and a placeholder": subject("%%%d%%", "%d%% %%"),
        "a remark in braces": subject("a {see below} b", "a {siehe unten} b"),
        "ICU": subject(ICU, ICU.replace("other", "few {# {name}} other"), "ru"),
        "Fluent": subject("{ $n } { -brand }", "{-brand}: {$n}"),
        "Fluent, formatted": subject('{ DATETIME($d, day: "2-digit") }', "{ $d }"),
        "ICU, formatted": subject("{d, date, short}", "am {d, date, long}"),
        "ICU select": subject(SELECT, SELECT.replace("He", "Er")),
        "ICU words": subject(
            "{n, plural, one {file} other {files}}",
            "{n, plural, one {Datei} other {Dateien}}",
        ),
        "ICU number in other branches": subject(
            "{n, plural, one {One file} other {# files}}",
            "{n, plural, one {# файл} few {# файла} other {# файлов}}",
            "ru",
        ),
        "ICU number in one branch": subject(
            "{n, plural, one {# file} other {# files}}",
            "{n, plural, one {Eine Datei} other {# Dateien}}",
        ),
        "ICU number in one as a form": subject(
            {"one": ICU, "other": ICU}, {"one": ICU.replace("#", "eine"), "other": ICU}
        ),
        "ICU number by its name": subject(ICU, ICU.replace("#", "{n}")),
        "ICU number by its sign": subject(ICU.replace("#", "{n, number}"), ICU),
        "ICU number by both": subject(ICU.replace("# file ", "{n} file "), ICU),
        "ICU without branches": subject(ICU, "{n} Dateien von {name}"),
        "ICU without branches in Japanese": subject(
            "{count, plural, one {# item} other {# items}}", "{count}個", "ja"
        ),
        "ICU nought": subject(
            "{n, plural, =0 {none} other {#}}", "{n, plural, other {#}}"
        ),
        "ICU nought, extra": subject(ICU, ICU.replace("one", "=0 {{name}} one")),
        "ICU currency": subject(
            "{n, number, ::currency/EUR}", "{n, number, ::percent}"
        ),
        "quoted, as typographers do": subject("Hello {name}", "Hallo '{name}'"),
        "ICU ordinal without branches": subject(
            "{n, selectordinal, one {#st} other {#th}} day", "{n}. Tag"
        ),
        "ICU offset": subject(
            "{n, plural, offset:1 =1 {you} other {you and #}}",
            "{n, plural, offset:1 other {du und #}}",
        ),
        "a sign of number": subject("# {n}", "Nr. {n}"),
        "one in words": subject(FILES, {"one": "Eine Datei", "other": "%d Dateien"}),
        "one in words, unnamed": subject(
            {"one": "{0} file in {name}", "other": "{0} files in {name}"},
            {"one": "Eine Datei in {name}", "other": "{0} Dateien in {name}"},
        ),
        "one in digits": subject(FILE_S, {"one": "%d Datei", "other": "%d Dateien"}),
        "more forms": subject(FILE_S, {"few": "%d pliki", "other": "%d plików"}, "pl"),
        "no source text": Subject("a", "de", {None: "{a}"}, "en"),
    }
    bad: ClassVar[Subjects] = {
        "missing": subject("Hi {name}", "Hallo"),
        "extra": subject("Hi", "Hallo {name}"),
        "translated": subject("Hi {name}", "Hallo {имя}"),
        "half of i18next": subject("Hi {{name}}", "Hallo {{name}"),
        "one brace": subject("Hi {{name}}", "Hallo {name}"),
        "i18next, nested": subject("$t(a)", "$t(b)"),
        "Fluent, another name": subject("{ NUMBER($a) }", "{ NUMBER($b) }"),
        "another kind": subject("%s", "%d"),
        "another name": subject("%(a)s", "%(b)s"),
        "once more": subject("%s", "%s %s"),
        "once less": subject("{} {}", "{}"),
        "another number": subject("%1$s", "%2$s"),
        "lost its letter": subject("%(name)s", "%(name)"),
        "one percent sign of two": subject("%d%% of it", "%d% davon"),
        "one percent sign before a letter": subject("100%% of %d", "100% für %d"),
        "ICU name": subject(ICU, ICU.replace("{n,", "{m,")),
        "ICU keyword": subject(ICU, ICU.replace("plural", "Mehrzahl")),
        "ICU branch": subject(ICU, ICU.replace("other", "andere")),
        "ICU select": subject(SELECT, SELECT.replace("female", "weiblich")),
        "ICU number": subject(ICU, ICU.replace("#", "the")),
        "ICU number without branches": subject(ICU, "Dateien von {name}"),
        "ICU without branches, branch": subject(
            "{n, plural, one {#} other {#}}", "{n} {n, plural, one {#} andere {#}}"
        ),
        "ICU number less an offset": subject(
            "{n, plural, offset:1 =1 {you} other {you and #}}",
            "{n, plural, offset:1 other {du und {n}}}",
        ),
        "ICU number, extra": subject(ICU.replace("#", "the"), ICU),
        "ICU number of an ordinal": subject(
            "{n, selectordinal, one {#st} other {#th}}",
            "{n, selectordinal, other {zuletzt}}",
        ),
        "ICU number of one of two": subject(
            "{a, plural, other {# a}} {b, plural, other {# b}}",
            "{a, plural, other {# a}} {b, plural, other {b}}",
        ),
        "ICU number only in braces within": subject(
            "{n, plural, other {# by {g, select, other {#}}}}",
            "{n, plural, other {by {g, select, other {#}}}}",
        ),
        "ICU number in other": subject(
            {"one": ICU, "other": ICU}, {"other": ICU.replace("#", "viele")}
        ),
        "ICU inner": subject(ICU, ICU.replace("{name}", "{Name}")),
        "other without number": subject(FILES, {"one": "1", "other": "Dateien"}),
        "one without name": subject(
            {"one": "%d of %s", "other": "%d of %s"}, {"one": "%d"}
        ),
        "one with another": subject(FILES, {"one": "%s Datei", "other": "%d"}),
    }
    spans: ClassVar[Mapping[str, Sequence[Span]]] = {
        "extra": [Span(6, 12)],
        "translated": [Span(0, 11), Span(6, 11)],
        "once more": [Span(3, 5)],
    }


class TestMarkup(CheckContract):
    check: ClassVar[Check] = Markup()
    good: ClassVar[Subjects] = {
        "none": subject("Save", "Speichern"),
        "turned": subject("<b>a</b> <i>b</i>", "<i>b</i> <b>a</b>"),
        "other attributes": subject(
            '<a href="/en">x</a>', "<a href='/de' title=y>x</a>"
        ),
        "an attribute with an arrow": subject(
            '<a title="A > B">x</a>', '<a title="von A nach B">x</a>'
        ),
        "void": subject("a<br>b", "a<br />b"),
        "React": subject("Read <0>this</0>", "<0>Dies</0> lesen"),
        "no tags": subject("a < b and c > d", "c > d und a < b"),
        "a heart": subject("<3", "Liebe"),
        "an address": subject("<you@example.com>", "du"),
        "an entity": subject("a & b", "a &amp; b"),
        "no entity": subject("R&D & lt", "F&E & lt, ?a=1&lt=2 &amplitude"),
        "an entity broken in both": subject("a &amp b", "x &amp y"),
        "typographic quotes as text": subject("<b>x</b>", "<b>= „x“</b>"),
        "a word": subject("Set <name> to <value>", "<Name> auf <Wert> setzen"),
        "words": subject("-p <process ID>", "-p <mã tiến trình>"),
        "an option": subject(
            "usage: git clone <repository> [<directory>]",
            "Verwendung: git clone <Repository> [<Verzeichnis>]",
        ),
        "keys": subject("Press <Ctrl>+<C>", "<Strg>+<C> drücken"),
        "a value": subject("<none>", "<keine>"),
        "a value of two words": subject("<unknown user>", "<unbekannter Benutzer>"),
        "relations": subject("x<y and y>z, <5 or >10", "x<y und y>z, <5 oder >10"),
        "DocBook": subject("<guilabel>OK</guilabel>", "<guilabel>Ja</guilabel>"),
        "in more branches": subject(
            "{n, plural, one {<b>#</b>} other {<b>#</b>}}",
            "{n, plural, one {<b>#</b>} few {<b>#</b>} other {<b>#</b>}}",
            "ru",
        ),
    }
    bad: ClassVar[Subjects] = {
        "missing": subject("<b>a</b>", "a"),
        "not closed": subject("<b>a</b>", "<b>a"),
        "closed twice": subject("<b>a</b>", "</b>a</b>"),
        "another": subject("<b>a</b>", "<i>a</i>"),
        "a lost end": subject("<0>a</0>", "<0>a"),
        "a lost beginning": subject("<item>a</item>", "a</item>"),
        "an end with a space": subject("<b>x</b>", "<b>x< /b>"),
        "an end with a space within": subject("<b>x</b>", "<b>x</ b>"),
        "a component": subject("<icon/> a", "a"),
        "a line break": subject("a<br>b", "a b"),
        "extra": subject("a", "a<br>"),
        "an attribute in typographic quotes": subject(
            '<a href="x">y</a>', "<a href=„x“>y</a>"
        ),
        "an attribute in French quotes": subject(
            '<a href="x">y</a>', "<a href = «x»>y</a>"
        ),
        "an attribute in spaced quotes": subject(
            '<a href="x">y</a>', "<a href=« x »>y</a>"
        ),
        "an entity without its end": subject("a &amp; b", "a &amp b"),
        "an entity without its end, new": subject("a & b", "a &lt b"),
        "a number without its end": subject("a&#160;b", "a&#160 b"),
        "an entity with a space": subject("a&nbsp;b", "a& nbsp;b"),
        "an entity with a space at its end": subject("a&nbsp;b", "a&nbsp ;b"),
        "in a plural": subject(
            {"other": "<b>x</b>"}, {"one": "x", "other": "<b>x</b>"}
        ),
    }


class TestWhiteSpace(CheckContract):
    check: ClassVar[Check] = WhiteSpace()
    cannot: ClassVar[Mapping[Derived, str]] = {
        "after": "it looks at both ends of a text",
        "within": "it looks at both ends of a text",
    }
    good: ClassVar[Subjects] = {
        "none": subject("Save", "Speichern"),
        "the same": subject(" a\n", " b\n"),
        "inside": subject("a b", "a  b"),
        "Japanese writes none": subject("Name: ", "名前：", "ja"),
    }
    bad: ClassVar[Subjects] = {
        "before": subject("a", " b"),
        "after": subject("a", "b "),
        "lost": subject("a: ", "b:"),
        "another": subject("a\n", "b "),
        "line break lost": subject("a\n", "b", "ja"),
        "all of it": subject("a", "  "),
        "no-break": subject("a", "b\u00a0"),
    }


class TestPunctuation(CheckContract):
    check: ClassVar[Check] = Punctuation()
    cannot: ClassVar[Mapping[Derived, str]] = {
        "within": "it looks at the end of a text"
    }
    good: ClassVar[Subjects] = {
        "none": subject("Save", "Speichern"),
        "the same": subject("Done.", "Fertig."),
        "Chinese": subject("Really?", "真的吗？", "zh-Hans"),
        "Japanese": subject("It is done.", "完了しました。", "ja"),
        "Arabic": subject("Really?", "حقا؟", "ar"),
        "Hindi": subject("It is done.", "यह हो गया।", "hi"),
        "a bar in Hindi": subject("It is done.", "यह हो गया |", "hi"),
        **{
            f"a bar in {code}": subject("It is done.", "x |", code)
            for code in ("bn", "brx", "or")
        },
        "Lojban": subject("Is it done?", "xu mulno", "jbo"),
        "a stop for Korean's colon": subject("Select one:", "선택하세요.", "ko"),
        "two bars in Nepali": subject("It is done.", "यो भयो ||", "ne"),
        "a bar in both": subject("Home |", "मुखपृष्ठ |", "hi"),
        "a colon for Armenian's stop": subject("It is saved.", "Պահված է:", "hy"),
        "a stop for Japanese's colon": subject(
            "Select one:", "選択してください。", "ja"
        ),
        "Greek": subject("Really?", "Αλήθεια;", "el"),
        "Armenian": subject("Really?", "Իսկապե՞ս", "hy"),
        "Thai": subject("It is done.", "เสร็จแล้ว", "th"),
        "French": subject("Really?", "Vraiment\u202f?", "fr"),
        "an ellipsis in one sign": subject("Loading...", "Lädt…"),
        "before a quote": subject("He said “yes.”", "Er sagte „ja.“"),
        "before a German quote": subject('Call "Help!"', "Ruf „Hilfe!“"),
        "before a single one": subject("Call 'Help!'", "Ruf ‚Hilfe!‘"),
        "before a quote in books": subject('Call "Help!"', "Ruf »Hilfe!«"),
        "before a single one in books": subject("Call 'Help!'", "Ruf ›Hilfe!‹"),
        "before a Czech quote": subject('He said "yes?"', "Řekl „ano?“", "cs"),
        "before a Danish quote": subject('Call "Help!"', "Råb »Hjælp!«", "da"),
        "before a Bulgarian quote": subject('Call "Help!"', "Викай „Помощ!“", "bg"),
        "before an Arabic mark": subject("Really?", "حقا؟\u061c", "ar"),
        "isolated": subject("Really {a}?", "\u2067حقا {a}؟\u2069", "ar"),
        "embedded": subject("Really?", "\u202bבאמת?\u202c", "he"),
        "two in one sign": subject("Really?!", "本当⁉", "ja"),
        "Mongolian": subject("We saved it all.", "ᠮᠣᠩᠭᠣᠯ ᠠᠠᠠ᠃", "mn-Mong"),
        "from top to bottom": subject("Save it now!", "保存︕", "zh-Hant"),
        "before a tag": subject("<b>Done.</b>", "<b>Fertig</b>."),
        "before a bracket": subject("(Really?)", "（本当？）", "ja"),
        "an entity": subject("Next &raquo;", "Weiter »"),
        "an ellipsis as an entity": subject("Loading&#8230;&nbsp;", "Lädt…"),
        "several": subject("What?!", "Was!?"),
        "an abbreviation": subject("Min.", "Minimum"),
        "another abbreviation": subject("for example", "z.B."),
        "a placeholder": subject("Hi {name}", "{name}さん、こんにちは", "ja"),
    }
    bad: ClassVar[Subjects] = {
        "lost": subject("It is done.", "Es ist fertig"),
        "a statement": subject("Really?", "Wirklich."),
        "extra": subject("Save", "Speichern!"),
        "a colon": subject("Name:", "Name"),
        "lost before a quote": subject('Call "Help!"', "Ruf „Hilfe“"),
        "another before a quote": subject('Call "Help!"', "Ruf »Hilfe?«"),
        "another before a mark": subject("Really?", "حقا!\u061c", "ar"),
        "one of two in one sign": subject("Really?", "本当⁉", "ja"),
        "lost before an entity": subject("It is done.&quot;", "Es ist fertig&quot;"),
        "a bar for a question": subject("Is it done?", "यह हो गया |", "hi"),
        "a bar in German": subject("It is done.", "Es ist fertig |"),
        "a colon in Chinese": subject("Name", "名字：", "zh"),
        "an ellipsis": subject("Loading…", "Lädt."),
        "French": subject("Really?", "Vraiment\u202f!", "fr"),
    }


def limited(text, max_length):
    source = {} if isinstance(text, dict) else "a"
    return replace(subject(source, text), max_length=max_length)


class TestLength(CheckContract):
    check: ClassVar[Check] = Length()
    cannot: ClassVar[Mapping[Derived, str]] = {
        "within": "what is too long is the end of a text"
    }
    good: ClassVar[Subjects] = {
        "no limit": subject("a", "b" * 1000),
        "just so": limited("b" * 30, 30),
        "characters, not bytes": limited("👍" * 3, 3),
    }
    bad: ClassVar[Subjects] = {
        "too long": limited("b" * 31, 30),
        "a plural form": limited({"one": "a", "other": "bcd"}, 2),
        "the source": Subject("a", "en", {None: "abc"}, "en", max_length=2),
    }
    spans: ClassVar[Mapping[str, Sequence[Span]]] = {
        "too long": [Span(30, 31)],
        "a plural form": [Span(2, 3, "other")],
        "the source": [Span(2, 3)],
    }


class TestPluralForms(CheckContract):
    check: ClassVar[Check] = PluralForms()
    cannot: ClassVar[Mapping[Derived, str]] = {
        "plural": "the forms of a key take the place of those in an ICU message"
    }
    good: ClassVar[Subjects] = {
        "no plural": subject("a", "b"),
        "all": subject({}, {"one": "a", "other": "b"}),
        "more": subject({}, {"zero": "n", "one": "a", "other": "b"}),
        "millions in French": subject(
            {}, {"one": "a", "other": "b"}, "fr", forms="one many other"
        ),
        "fractions in Russian": subject(
            {}, {"one": "a", "few": "b", "many": "c"}, "ru", forms="one few many other"
        ),
        "ICU": subject(ICU, ICU),
        "ICU for many in Russian": subject(
            ICU, ICU.replace("other", "few {#} other"), "ru", forms=RUSSIAN
        ),
        "ICU for all in Russian": subject(
            ICU, "{n, plural, other {n: #}}", "ru", forms=RUSSIAN
        ),
        "ICU exactly one": subject(ICU, "{n, plural, =1 {x} other {#}}"),
        "ICU without few in Turkish": subject(ICU, ICU, "tr"),
        "ICU ordinal": subject(
            ICU, "{n, selectordinal, one {#st} other {#th}}", "ru", forms=RUSSIAN
        ),
    }
    bad: ClassVar[Subjects] = {
        "one": subject({}, {"other": "b"}),
        "other": subject({}, {"one": "b"}),
        "few": subject(
            {}, {"one": "a", "other": "b"}, "ru", forms="one few many other"
        ),
        "ICU in Russian": subject(ICU, ICU, "ru", forms=RUSSIAN),
        "ICU in Czech": subject(ICU, ICU, "cs", forms="one few many other"),
        "ICU within a select": subject(
            ICU, f"{{g, select, other {{{ICU}}}}}", "pl", forms=RUSSIAN
        ),
        "of the project's own": subject({}, {"other": "b"}, "xx", forms="two other"),
    }


class TestUnchanged(CheckContract):
    check: ClassVar[Check] = Unchanged()
    good: ClassVar[Subjects] = {
        "translated": subject("Save all", "Alles sichern"),
        "one word": subject("Name", "Name"),
        "a name": subject("Google Play", "Google Play"),
        "an abbreviation": subject("HTTP API", "HTTP API"),
        "only placeholders": subject("{count} %s <b></b>", "{count} %s <b></b>"),
        "an address": subject("https://a.example/go to", "https://a.example/go to"),
        "an address without scheme": subject("www.a.example/go", "www.a.example/go"),
        "an e-mail address": subject("help@two.example", "help@two.example"),
        "half of one": subject("{name}@two.example", "{name}@two.example"),
        "ICU, units": subject(
            "{n, plural, one {# MB} other {# MB}}",
            "{n, plural, one {# MB} other {# MB}}",
        ),
        "ICU, numbers": subject("{n, plural, other {#}}", "{n, plural, other {#}}"),
        "ICU, placeholders": subject(
            "{g, select, male {{name}} other {{name}}}",
            "{g, select, male {{name}} other {{name}}}",
        ),
        "another country": subject("Save all", "Save all", "en-GB"),
        "digits": subject("12 + 3", "12 + 3"),
    }
    bad: ClassVar[Subjects] = {
        "a sentence": subject("Save all files", "Save all files"),
        "another script": subject("保存文件", "保存文件", "ja"),
        "beside an address": subject("write to a@b.example", "write to a@b.example"),
        "ICU": subject(ICU, ICU),
        "a form": subject({"other": "{n} open files"}, {"other": "{n} open files"}),
    }


class TestNumbers(CheckContract):
    check: ClassVar[Check] = Numbers()
    good: ClassVar[Subjects] = {
        "none": subject("Save", "Speichern"),
        "turned": subject("5 of 10", "10: 5"),
        "grouped": subject("1,000,000 files", "1.000.000 Dateien"),
        "grouped by spaces": subject("10,000", "10\u202f000", "fr"),
        "not grouped": subject("1,000", "1000"),
        "grouped as in India": subject("1,00,000 files", "100.000 Dateien"),
        "decimals": subject("1.5 GB", "1,5 GB"),
        "decimals without zero": subject("up to .5 of it", "bis 0,5 davon"),
        "a comma with no space": subject("a,5 of it", "5,a davon"),
        "cents without zero": subject("only $.50", "nur 0,50 $"),
        "thousandths": subject(".125 inches", "0,125 Zoll"),
        "Arabic thousandths": subject("0.125", "٠٫١٢٥", "ar"),
        "Arabic": subject("1,234.5", "١٬٢٣٤٫٥", "ar"),
        "Hindi": subject("42", "४२", "hi"),
        "Japanese": subject("Chapter 3", "第3章", "ja"),
        "a date": subject("12/31/2026", "31.12.2026"),
        "a zero before": subject("5", "05"),
        "a month": subject("May", "5月", "ja"),
        "in words": subject("Choose 1 or 2", "Wähle eins oder zwei"),
        "in a name": subject("MP3", "Musik"),
        "half days": subject("5:30 PM", "17:30"),
        "hours": subject("from 10:30 to 18:15", "de 10h30 à 18H15", "fr"),
        "ten thousands": subject("over 10,000 users", "1万人以上", "ja"),
        "thousands": subject("over 5,000 users", "5천 명 이상", "ko"),
        "lakhs": subject("100,000 users", "1 लाख उपयोगकर्ता", "hi"),
        "crores": subject("10,000,000 users", "1 करोड़ उपयोगकर्ता", "hi"),
        "beside an address": subject("5 to a@b.example", "5はa@b.example", "ja"),
        "a placeholder": subject("{0} %2$s <1>x</1> &#39;", "x"),
        "ICU": subject("{n, plural, =5 {a} other {b}}", "b"),
    }
    bad: ClassVar[Subjects] = {
        "missing": subject("at most 30 characters", "höchstens einige Zeichen"),
        "another": subject("30 days", "60 Tage"),
        "extra": subject("5 days", "5 von 30 Tagen"),
        "a digit": subject("1,000", "10.000"),
        "the other way round": subject("12 eggs", "21 Eier"),
        "Arabic": subject("30", "٣١", "ar"),
        "a lost point": subject("9.99 a month", "999 im Monat"),
        "another hour": subject("at 10:30", "à 10h15", "fr"),
        "a lost point after zero": subject("0.125 inches", "125 Zoll"),
        "a lost point before all": subject("up to .5 litres", "bis 5 Liter"),
        "another version": subject("Python 3.10", "Python 3.1"),
        "a lost zero": subject("0.5 litres", "5 Liter"),
    }
