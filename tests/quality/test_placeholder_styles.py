"""Placeholders of each style are compared, and what only looks like one is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.quality.check import Subject
from locframework.quality.checks import Markup, Numbers, Placeholders

STYLES = (
    *(":name", "%1", "%L1", "%n", "%name%", "%user%", "@name", "%author", "%count"),
    *("!link", "[[name]]", "__name__", "__MSG_a_b__", "%v", "%+v", "%q", "%w"),
    *("@:common.name", "@.upper:name", "@:(name)", "%s", "%1$d", "%(name)s", "{name}"),
    *("{{name}}", "{0}", "${name}", "%{name}", "#{name}", "$t(name)", "$NAME$"),
)
_SURE = ("%s", "%1$d", "%(name)s", "%user%", "%count")  # of printf at least
_RENAMED = str.maketrans("1nrkbd0vqws", "2mtwps3qwvd")
_WORDS = (
    *(
        "the",
        "file",
        "was",
        "saved",
        "in",
        "10",
        "of",
        "20",
        "cases.",
        "Done!",
        "Note:",
    ),
    *("100%", "(really)", "Größe", "保存", "файл", "10:30", "a@b.example", ":smile:"),
    *("Note:", "#tag", "R&D", "x-y", "“quoted”", "it's"),
)
_SENTENCES = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)
_AROUND = st.sampled_from(
    ("{} is {} {}", "{} ({}) {}", "{} “{}” {}", "{} '{}' {}", "{} is {}, {}")
)


def found(source, text, language="de", *, flags=()):
    both = Subject(
        "a", language, {None: text}, "en", {None: source}, format_flags=flags
    )
    return [each.message for each in Placeholders().find(both)]


@given(st.sampled_from(STYLES), _AROUND, _SENTENCES, _SENTENCES, _SENTENCES, _SENTENCES)
def test_a_placeholder_of_any_style_is_kept_or_missed(
    style, around, before, after, start, end
):
    source = around.format(before, style, after)

    assert found(source, source) == []
    assert found(source, around.format(start, style, end)) == []
    assert found(source, f"{start} {end}")
    assert found(source, around.format(start, style.translate(_RENAMED), end))
    if "{" not in style:  # { name } is {name}
        spaced = f"{style[0]} {style[1:]}"
        assert found(source, around.format(start, spaced, end))


@given(_SENTENCES, st.sampled_from(STYLES), _SENTENCES, _AROUND)
def test_a_style_that_the_source_text_does_not_have_is_language(
    source, style, text, around
):
    is_sure = "{" in style or style in (*_SURE, "$t(name)")

    assert bool(found(source, around.format(text, style, text))) == is_sure


@pytest.mark.parametrize(
    ("source", "text", "language"),
    [
        ("found (:messages)", "gefunden (:Nachrichten)", "de"),
        ("The :attribute must be :min.", "Das :attribute muss :max sein.", "de"),
        ("Page %1 of %2", "Seite %1 von", "de"),
        ("Page %1", "Seite 1%", "de"),
        ("takes %1s", "dauert s", "de"),
        ("%1x%2", "%1x", "de"),
        ("%n file(s)", "n Datei(en)", "de"),
        ("Hi %user%!", "Hallo % user %!", "de"),
        ("by %user", "von %benutzer", "de"),
        ("%title", "%titel", "de"),
        ("see !link", "siehe ! link", "de"),
        ("@count of @total", "@count von", "de"),
        ("see @:common.name.", "siehe @:gemein.name.", "de"),
        ("名前は:nameです", "the name", "en"),
        ("Hi $NAME$", "Hallo $NAME", "de"),
        ("$n_1$ of $n_2$", "$n_1$ von", "de"),
    ],
)
def test_a_fault_in_a_placeholder_is_found(source, text, language):
    assert found(source, text, language)


@pytest.mark.parametrize(
    ("source", "text", "language"),
    [
        (":smile: Hi", "Hallo :lächeln:", "de"),
        ("at 10:30, 16:9", "um 10.30 Uhr, 16 zu 9", "de"),
        ("100% of it", "100% des", "de"),
        ("100 % of it", "100 %des", "de"),
        ("write to a@example.com", "an b@example.com", "de"),
        ("%Y-%m-%d", "%d.%m.%Y", "de"),
        ("%d %b %Y", "%e. %B %Y", "de"),
        ("/wiki/%E5%BD", "/wiki/%C3%A9t%C3%A9", "fr"),
        ("https://a.example/my%20x", "https://a.example/d%C3%A9%20x", "fr"),
        ("a:hover::before {color:red}", "a::after {color:blue}", "de"),
        ('{"a":true}', '{"a":false}', "de"),
        ("ssh user@host, std::string", "ssh nutzer@rechner", "de"),
        ("#news", "#neues", "de"),
        ("Note:important", "Hinweis:wichtig", "de"),
        ("Note: important", "Note :important", "fr"),
        ("Yes!no", "Oui !non", "fr"),
        ("50% off", "%50 indirim", "tr"),
        ("%1 of 5%", "%5 / %1", "tr"),
        ("%dx%d, %ds, %luMB, %ld%", "%d x %d, %d s, %lu MB, %ld %", "de"),
        ("Press __Save__", "__Sichern__ drücken", "de"),
        ("**a** __not__ b", "**a** __nicht__ b", "de"),
        ("[[Help]] [[Main page]]", "[[Hilfe]]", "de"),
        (":count files", ":Count Dateien", "de"),
        ("%L1 MB", "%1 MB", "de"),
        ("@.lower:a.b", "@:a.b", "de"),
        ("$5 and $6, US$ and CA$", "5 $ und 6 $", "de"),
        ("$name$ costs $$1", "$NAME$ kostet $$1", "de"),
        ("%1 of %2 in :path", "%2中の%1、パス:pathです", "ja"),
        ("%name% @at !link __a__ [[b]]", "前%name%前@at前!link前__a__[[b]]前", "ja"),
    ],
)
def test_what_is_no_placeholder_or_the_same_is_left_alone(source, text, language):
    assert found(source, text, language) == []


def test_a_number_that_a_placeholder_prints_may_be_in_words_in_one():
    sources = {"one": "%n file", "other": "%n files"}
    texts = {"one": "Eine Datei", "other": "%n Dateien"}
    both = Subject("a", "de", texts, "en", sources, is_plural=True)

    assert list(Placeholders().find(both)) == []


@pytest.mark.parametrize(
    ("flag", "source", "text"),
    [
        ("qt-format", "10 %2", "10 2"),
        ("qt-format", "10", "%1"),
        ("kde-format", "%1s", "%1 s %2"),
        ("qt-plural-format", "%n", "n"),
        ("c-format", "%user", "%benutzer"),
        ("c-format", ":name %d", ":nom"),
        ("python-brace-format", "{a} %s", "{b}"),
        ("go-format", "a", "a %v"),
        ("no-c-format", "%s :name", ":nom"),
        ("elisp-format", "%s :name", ":nom %s"),
    ],
)
def test_the_flag_of_a_file_says_which_placeholders_a_text_has(flag, source, text):
    assert found(source, text, flags=("x", flag))


@pytest.mark.parametrize(
    ("flag", "source", "text"),
    [
        ("qt-format", "%s :name %1", "%1"),
        ("c-format", ":name @count [[a]] {a}", "nichts"),
        ("c-format", "%1", "%2"),
        ("python-brace-format", "50 %s {a}", "{a}"),
        ("no-c-format", "%s %d and 100%% {a}", "{a} 100%"),
        ("no-qt-format", "%1", "%2"),
    ],
)
def test_what_the_flag_of_a_file_does_not_name_is_language(flag, source, text):
    assert found(source, text, flags=(flag,)) == []


@pytest.mark.parametrize(
    ("check", "token", "kind"),
    [
        (Placeholders(), "{}", "placeholders"),
        (Placeholders(), "%s", "placeholders"),
        (Markup(), "<b>", "tags"),
        (Numbers(), "1; ", "numbers"),
    ],
)
def test_ten_thousand_tokens_are_compared_and_no_more(check, token, kind):
    def messages(text, source):
        subject = Subject("a", "de", {None: text}, "en", {None: source})
        return [each.message for each in check.find(subject)][:2]

    most, more = token * 10_000, token * 10_001
    uncompared = [f"{kind} are not compared: a text has more than 10,000"]

    assert messages(most, most) == []
    assert messages(most, most.replace(token, "7", 1)) != uncompared
    assert messages(more, most) == messages(most, more) == uncompared
