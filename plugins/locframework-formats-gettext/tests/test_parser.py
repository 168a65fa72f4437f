"""What the parser understands as msgfmt does, and what it refuses, with the line."""

import tracemalloc

import pytest
from locframework_formats_gettext.po_file import Message, parse, render, unquote
from msgspec.structs import replace

from locframework.ports import UnreadableFile


def one(text):
    [message] = parse(text, "utf-8")
    return message


def problems(text):
    with pytest.raises(UnreadableFile) as caught:
        parse(text, "utf-8")
    return [(problem.path, problem.message) for problem in caught.value.details]


FULL = """\
#  a translator's note
#
# in three lines
#. for translators
#: src/a.c:1 src/b.c:2
#: src/c.c
#, fuzzy, c-format, no-wrap
#| msgctxt "old menu"
#| msgid ""
#| "an old "
#| "text"
msgctxt "menu"
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] ""
"%d "
"Dateien"
"""


def test_every_part_of_a_message_is_kept():
    message = one(FULL)

    assert message == Message(
        msgid="%d file",
        msgctxt="menu",
        msgid_plural="%d files",
        texts=("%d Datei", "%d Dateien"),
        comment=" a translator's note\n\nin three lines",
        extracted="for translators",
        references="src/a.c:1 src/b.c:2\nsrc/c.c",
        fuzzy=True,
        flags="c-format, no-wrap",
        previous='msgctxt "old menu"\nmsgid ""\n"an old "\n"text"',
        line=12,
        end=len(FULL),
    )


def test_what_is_rendered_is_read_as_the_same():
    message = one(FULL)

    again = one(render(message, 79))

    assert replace(again, line=message.line, end=message.end) == message


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r'"a\n\t\r\a\b\f\v\\\""', 'a\n\t\r\a\b\f\v\\"'),
        (r'"\303\244\x41"', "äA"),
        ('"a" "b"', "ab"),
        ('"a"  \t', "a"),
        ('""', ""),
        ('"a\u2028b\x85c\x0bd"', "a\u2028b\x85c\x0bd"),
        (r'"C:\\new"', "C:\\new"),
    ],
)
def test_escapes_and_odd_characters_in_a_text(written, text):
    assert one(f'msgid "x"\nmsgstr {written}').texts == (text,)


def test_notes_need_no_blank_after_the_sign():
    message = one('#.extracted\n#:a.c:1\n#,fuzzy\n#note\nmsgid "a"\nmsgstr "b"')

    assert message.fuzzy
    assert (message.extracted, message.references) == ("extracted", "a.c:1")
    assert message.comment == "note"


def test_blank_lines_and_indents_do_not_matter():
    text = '\n  msgid "a"\n\n\t"b"\n   \nmsgstr"c"\n\n\n'

    assert (one(text).msgid, one(text).texts) == ("ab", ("c",))


def test_obsolete_messages_keep_their_lines():
    block = '# gone\n#, fuzzy\n#~| msgid "older"\n#~ msgid "old"\n#~ msgstr "alt"'

    text = f'msgid "a"\nmsgstr "b"\n\n{block}\n\n# the end\n'

    messages = parse(text, "utf-8")

    assert [message.obsolete for message in messages] == [False, True]
    assert text[messages[1].start : messages[1].end] == f"{block}\n\n"
    assert messages[1].msgid == "old"


def test_messages_need_no_blank_line_between_them():
    text = 'msgid "a"\nmsgstr "1"\nmsgid "b"\nmsgstr "2"\n#~ msgid "c"\n#~ msgstr "3"'

    assert [message.msgid for message in parse(text, "utf-8")] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "line", "about"),
    [
        ('msgid "a\nmsgstr "b"', 1, "quotes"),
        ('msgid "a"\nmsgstr "b', 2, "quotes"),
        ('msgid "a"b"\nmsgstr "b"', 1, "quotes"),
        ('msgid "a"\nmsgstr "\\q"', 2, "escape"),
        ('msgid "a"\n\nmsgid "b"\nmsgstr "c"', 3, "msgstr belongs"),
        ('msgid "a"', 1, "no msgstr"),
        ('msgctxt "a"\nmsgstr "b"', 2, "msgid belongs"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr "c"', 3, "msgstr[0] belongs"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[1] "c"', 3, "msgstr[0] belongs"),
        ('msgid "a"\nmsgstr[0] "c"', 2, "msgid_plural or msgstr belongs"),
        ('"a"\n', 1, "without a keyword"),
        ('msgid "a"\n#~ msgstr "b"', 2, "partly marked"),
        ('#| msgid "a"\n"b"\nmsgid "c"\nmsgstr "d"', 2, "without a keyword"),
        ('domain "x"\n', 1, "cannot read"),
        ("msgid a\n", 1, "cannot read"),
    ],
)
def test_a_fault_is_told_with_its_line(text, line, about):
    [(path, message), *_] = problems(text)

    assert path == f"line {line}"
    assert about in message


def test_every_faulty_message_is_told_once():
    good = 'msgid "g"\nmsgstr "g"\n'
    bad = 'msgid "b\n"more"\nmsgstr "b"\n'

    assert [path for path, _ in problems(good + bad + good + bad)] == [
        "line 3",
        "line 8",
    ]


def test_no_more_than_fifty_faults_are_told():
    assert len(problems('msgid "a\n' * 1000)) == 50


def test_a_fault_repeats_little_of_what_was_sent():
    [(_, message)] = problems("x" * 100_000)

    assert len(message) < 300


def test_ten_thousand_lines_of_remarks_are_read_and_more_are_refused():
    message = 'msgid "a"\nmsgstr "b"\n'

    assert one("# x\n" * 10_000 + message).comment == "\n".join(["x"] * 10_000)
    assert problems("# x\n" * 10_001 + message) == [
        ("line 10001", "more than 10,000 lines of remarks")
    ]


@pytest.mark.parametrize(
    ("escape", "said"),
    [
        (r"\n", "\n"),
        (r"\\", "\\"),
        (r"\1", "\1"),
        (r"\303\274", "ü"),
        (r"\n\101x", "\nAx"),
    ],
)
def test_a_text_of_nothing_but_escapes_takes_little_room(escape, said):
    text = f'"{escape * 40_000}"'

    tracemalloc.start()
    found = unquote(text, "utf-8")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found == said * 40_000
    assert most < 8 * len(text)
