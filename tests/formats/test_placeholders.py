"""Texts say the same in every dialect of placeholders, or stay with a warning."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.formats.converting import convert_entry, may_convert, with_dialect
from locframework.formats.placeholders import (
    DIALECTS,
    icu_message,
    icu_plural,
)
from locframework.formats.records import Entry, FormatInfo, Text

WRITERS = {  # of an argument by its number, and of a literal
    "java-printf": (lambda at: f"%{at}$s", lambda s: s.replace("%", "%%")),
    "objc": (lambda at: f"%{at}$@", lambda s: s.replace("%", "%%")),
    "c": (lambda at: f"%{at}$s", lambda s: s.replace("%", "%%")),
    "csharp": (
        lambda at: f"{{{at - 1}}}",
        lambda s: s.replace("{", "{{").replace("}", "}}"),
    ),
    "chrome": (lambda at: f"${at}", lambda s: s.replace("$", "$$")),
    "python": (lambda at: f"%(a{at})s", lambda s: s.replace("%", "%%")),
    "fluent": (
        lambda at: f"{{ $a{at} }}",
        lambda s: re.sub("[{}]", r'{ "\g<0>" }', s),
    ),
    "i18next": (lambda at: f"{{{{a{at}}}}}", str),
    "arb": (lambda at: f"{{a{at}}}", str),
}
LITERALS = st.text(alphabet="ab %{}'$#@<1\n", max_size=6)
PARTS = st.lists(st.one_of(LITERALS, st.integers(1, 3)), min_size=1, max_size=5)


def converted(
    origin: str,
    target: str,
    text: Text,
    source: Text | None = None,
    *flags: str,
) -> tuple[Entry, list[str]]:
    """Return an entry of a format in another, and the warnings."""
    warnings: list[str] = []
    of_origin = FormatInfo("a", "A", ".a", "text/plain", placeholders=origin)
    info = FormatInfo("b", "B", ".b", "text/plain", placeholders=target)
    entry = Entry("key", text, isinstance(text, Mapping), format_flags=flags)
    entry = replace(
        entry, format_flags=(*with_dialect(entry, of_origin), f"dialect:{origin}")
    )
    made = convert_entry(entry, text if source is None else source, info, warnings)
    return made, warnings


@pytest.mark.parametrize(
    ("origin", "target", "text", "expected"),
    [
        ("java-printf", "objc", "%1$s has %2$d, %d%%", "%1$@ has %2$lld, %1$lld%%"),
        ("java-printf", "objc", "Hi %s", "Hi %@"),
        ("java-printf", "objc", "100% sure", "100% sure"),
        ("java-printf", "compose", "%s of %d %%", "%1$s of %2$d %"),
        ("objc", "java-printf", "%@: %ld, %lld, %5.2f", "%1$s: %2$d, %3$d, %4$5.2f"),
        ("java-printf", "csharp", "Hi %s {x} 100%%", "Hi {0} {{x}} 100%"),
        ("java-printf", "java", "it's %d and %s", "it''s {0,number,#} and {1}"),
        ("java-printf", "chrome", "%2$s costs $5, %1$s", "$2 costs $$5, $1"),
        (
            "java-printf",
            "icu",
            'Hi <xliff:g id="user" example="Max">%1$s</xliff:g>, it\'s {x}',
            "Hi {user}, it's '{'x'}'",
        ),
        ("icu", "java-printf", "{b}, {a} it''s '{x}' 5%", "%1$s, %2$s it's {x} 5%%"),
        ("icu", "java-printf", "{n, number} {n}", "%1$d %1$d"),
        ("icu", "i18next", "l''{name} it's '{'", "l'{{name}} it's {"),
        ("icu", "arb", "l''{name}", "l'{name}"),
        ("icu", "ruby", "{n}% {x}%", "%{n}% %{x}%%"),
        ("i18next", "icu", "l'{{name}} {b} '{c}'", "l''{name} '{'b'}' '''{'c'}'''"),
        ("i18next", "java-printf", "{{count}} of {{- x}}", "%1$d of %2$s"),
        ("icu", "fluent", "l''{n} '{x}'", 'l\'{ $n } { "{" }x{ "}" }'),
        ("fluent", "java-printf", '{ "" }{ $a } { "{" } 5%', "%1$s { 5%%"),
        ("ruby", "icu", "%{name} has 5% %%{x}", "{name} has 5% %'{'x'}'"),
        ("python", "icu", "%(n)d of %(x)s 100%%", "{n} of {x} 100%"),
        ("csharp", "java-printf", "{1} of {0}: 5% }}{{", "%2$s of %1$s: 5%% }{"),
        ("java", "csharp", "it''s '{'{0}'}' {1,number}", "it's {{{0}}} {1}"),
        ("php", "java-printf", "%s of %05.1f", "%1$s of %2$05.1f"),
    ],
)
def test_a_text_is_converted(origin, target, text, expected):
    entry, warnings = converted(origin, target, text)

    assert (entry.value, warnings) == (expected, [])


@pytest.mark.parametrize(
    ("origin", "target", "text", "told"),
    [
        ("java-printf", "icu", "Hi %s", "the name of '%s' is not known"),
        ("java-printf", "objc", "100%% sure", "it may be a format or not"),
        ("java-printf", "csharp", "plain {0}", "the format cannot write"),
        ("java-printf", "csharp", "%.2f", "nothing like '%.2f'"),
        ("java-printf", "objc", "%s at 5% or 50%discount", "nothing like '%'"),
        ("objc", "compose", "%.2f %@", "nothing like '%.2f'"),
        ("objc", "java-printf", "%#@n@ in %@", "nothing like '%#@n@'"),
        ("objc", "i18next", "%2$#@n@ in %1$@", "nothing like '%2$#@n@'"),
        ("icu", "java-printf", "{g, select, a {x} other {y}}", "nothing like '{'"),
        ("icu", "arb", "'{'{x}", "the format cannot write"),
        ("icu", "i18next", "{a}'{{b}}'", "the format cannot write"),
        ("i18next", "icu", "$t(key) {{a.b}}", "nothing like '$t('"),
        ("i18next", "icu", "{{a.b}}", "the format cannot write"),
        ("ruby", "icu", "%<n>.2f", "nothing like '%<n>'"),
        ("csharp", "icu", "{0:N2}", "nothing like '{0:N2}'"),
        ("java-printf", "objc", "%1$tD", "nothing like '%1$'"),
        ("fluent", "icu", "{ NUMBER($n) }", "nothing like '{'"),
        ("icu", "fluent", "{_n}", "the format cannot write"),
        ("chrome", "i18next", "$1 $$2", "the name of '$1' is not known"),
    ],
)
def test_a_text_that_cannot_say_the_same_stays_with_a_warning(
    origin, target, text, told
):
    entry, [warning] = converted(origin, target, text)

    assert entry.value == text
    assert warning.startswith("key: the placeholders are not converted: ")
    assert told in warning


@pytest.mark.parametrize("target", sorted(DIALECTS.keys() - {"icu-plural"}))
def test_texts_of_unknown_dialects_and_of_the_same_stay(target):
    text = "%s {0} {{name}} $1 %{x} it''s"
    info = FormatInfo("b", "B", ".b", "text/plain", placeholders=target)

    assert not may_convert(Entry("key", text), info)
    assert not may_convert(
        Entry("key", text, format_flags=(f"dialect:{target}",)), info
    )
    raw = FormatInfo("b", "B", ".b", "text/plain")
    assert not may_convert(Entry("key", text, format_flags=("c-format",)), raw)


def test_only_what_differs_in_dialects_has_one_noted():
    info = FormatInfo("a", "A", ".a", "text/plain", placeholders="icu")
    android = FormatInfo("a", "A", ".a", "text/plain", placeholders="java-printf")

    def noted(info: FormatInfo, text: str, **given: bool) -> tuple[str, ...]:
        return with_dialect(Entry("key", text, **given), info)

    assert noted(info, "it''s") == noted(info, "a {b}") == ("dialect:icu",)
    assert noted(android, "{b}") == noted(android, "5%") == ("dialect:java-printf",)
    assert noted(android, "it's #1 & <b>") == ()
    assert noted(android, "it", is_plural=True) == ("dialect:java-printf",)


def test_names_have_the_numbers_of_the_source_text_in_every_language():
    entry, warnings = converted("icu", "java-printf", "{b} {a}", "{a} {b}")
    strange, [warning] = converted("icu", "java-printf", "{b} {x}", "{a} {b}")

    assert (entry.value, warnings) == ("%2$s %1$s", [])
    assert strange.value == "{b} {x}"
    assert "'{x}' is not in the source text" in warning


def test_what_a_file_says_of_placeholders_is_known():
    text = "$USER$ paid $$5 of $1"

    assert converted("chrome", "java-printf", text, text, "user:2")[0].value == (
        "%2$s paid $5 of %1$s"
    )
    assert converted("chrome", "i18next", "$User$", "$USER$", "user:1")[0].value == (
        "{{user}}"
    )
    assert converted("arb", "objc", "{n} {x}", "{n} {x}", "n:int")[0].value == (
        "%1$lld %2$@"
    )


def test_an_icu_plural_becomes_the_forms_of_a_plural():
    text = "{n, plural, one {# file of {x}} other {# files '#' of {x}}}"

    entry, warnings = converted("icu", "i18next", text)
    android, _ = converted("icu", "java-printf", text)
    german, _ = converted("icu", "java-printf", "Dateien von {x}", text)

    assert entry.is_plural
    assert entry.value == {
        "one": "{{count}} file of {{x}}",
        "other": "{{count}} files # of {{x}}",
    }
    assert warnings == []
    assert android.value == {
        "one": "%1$d file of %2$s",
        "other": "%1$d files # of %2$s",
    }
    assert german.value == {"other": "Dateien von %2$s"}


@pytest.mark.parametrize(
    "text",
    [
        "{n, plural, =0 {none} other {#}}",
        "{n, plural, offset:1 other {#}}",
        "{n, plural, one {#}}",
        "{n, plural, other {#}} left",
        "{n, plural, other {#}",
    ],
)
def test_other_icu_plurals_stay_with_a_warning(text):
    entry, [warning] = converted("icu", "java-printf", text)

    assert (entry.value, entry.is_plural) == (text, False)
    assert "are not converted" in warning


def test_forms_of_a_plural_go_into_an_icu_message_by_the_name_of_their_number():
    forms = {"one": "{{count}} file", "other": "{{count}} files '#' {x}"}

    entry, warnings = converted("i18next", "icu", forms)

    assert entry.value == {
        "one": "{count} file",
        "other": "{count} files '''#''' '{'x'}'",
    }
    assert (entry.format_flags, warnings) == (("count:plural",), [])


def test_a_number_without_a_name_is_count_and_that_is_told():
    entry, warnings = converted("java-printf", "icu", {"one": "a", "other": "b"})

    assert entry.value == {"one": "a", "other": "b"}
    assert warnings == ["key: the variable of its plural is not known: it is count"]


def text_in(dialect: str, parts: list[str | int]) -> str:
    argument, literal = WRITERS[dialect]
    return "".join(
        literal(part) if isinstance(part, str) else argument(part) for part in parts
    )


@given(PARTS, st.sampled_from(sorted(WRITERS)), st.sampled_from(sorted(DIALECTS)))
def test_a_text_that_is_converted_and_back_is_the_same(parts, origin, target):
    if target == "icu-plural" or not any(isinstance(part, int) for part in parts):
        return
    text = text_in(origin, parts)
    # all names in their order, so that they have the same numbers in the end
    source = text_in(origin, [1, " ", 2, " ", 3])
    first, warnings = converted(origin, target, text, source)
    of_source, _ = converted(origin, target, source)

    if warnings or origin == target:
        assert first.value == text
        return
    back, warnings = converted(target, origin, first.value, of_source.value)
    if not warnings:  # names are lost
        assert back.value == text


@given(st.dictionaries(st.sampled_from(["one", "few", "other"]), LITERALS))
def test_an_icu_message_of_forms_is_read_as_these_or_as_none(forms):
    forms = {"other": "", **forms}

    found = icu_plural(icu_message("n", forms))

    assert found in (("n", forms), None) or any(
        c in "{}'" for f in forms.values() for c in f
    )
