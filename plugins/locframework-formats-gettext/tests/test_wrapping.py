"""Texts are wrapped as msgcat wraps them."""

import subprocess
from random import Random
from time import process_time

import pytest
from locframework_formats_gettext.po_file import Message, render
from locframework_formats_gettext.wrapping import ONE_LINE, quoted

from locframework.ports import Entry

WORDS = (
    *("a", "word", "longer-word", "and/or", "http://a.example/b/c.html?d=e&f=100%"),
    *("(in", "brackets)", "“quoted”", "«zitiert»-", "it's", "…", "—", "–", "$5", "5 %"),
    *("%(name)s", "{count}", "<b>bold</b>", "<a href='x'>", "C:\\dir", "a\tb", '"q"'),
    *(
        "設定を保存しますか？",
        "「設定」を、",
        "キャッシュ",
        "ー",
        "保存。",
        "文件（共",
        "）",
    ),
    *(
        "파일을 저장",
        "저장했습니다.",
        "Größe",
        "Файл",
        "קובץ/שם",
        "ملف،",
        "हिन्दी।",
        "ไฟล์",
    ),
    *("e\u0301\u0301", "\u00a0", "1\u202f000", "x\ny", "1,5", "-5"),
)


@pytest.mark.usefixtures("gettext_tools")
@pytest.mark.parametrize("width", [79, 40])
def test_a_text_is_wrapped_as_msgcat_wraps_it(with_header, width):
    random = Random(width)
    texts = [
        random.choice(("", " ")).join(random.choices(WORDS, k=random.randrange(1, 30)))
        for _ in range(500)
    ]
    messages = [Message(f"m{at}", texts=[text]) for at, text in enumerate(texts)]

    rendered = "\n\n".join(render(message, width) for message in messages) + "\n"

    command = ["msgcat", f"--width={width}", "-"]
    done = subprocess.run(
        command, input=with_header(rendered).encode(), capture_output=True, check=True
    )
    assert done.stdout.decode().partition("\n\n")[2] == rendered


def test_a_text_is_as_wide_as_its_columns():
    text = "保" * 60

    lines = quoted("msgid", text, 79).split("\n")

    assert lines == ['msgid ""', f'"{"保" * 38}"', f'"{"保" * 22}"']
    assert quoted("msgid", "保" * 35, 79).count("\n") == 0


def test_a_message_with_no_wrap_is_broken_at_its_own_lines_only(read, write):
    text = (
        f'#, no-wrap\nmsgid "{"word " * 30}"\nmsgstr ""\n"{"Wort " * 30}\\n"\n"Ende"\n'
    )

    assert write(read(text)).endswith(text)


def test_a_text_may_stay_on_one_line():
    assert quoted("msgid", "a\nb" * 50, ONE_LINE).count("\n") == 0


def test_references_are_wrapped_at_the_same_column(write):
    places = " ".join(f"src/file{number}.c:10" for number in range(10))
    name = "\u2068with blanks.c\u2069:1 " * 8
    entry = Entry("a.b", "x", detail={"references": f"{places}\n{name.strip()}\nc:1"})

    written = write([entry])

    lines = [line for line in written.split("\n") if line.startswith("#:")]
    assert max(map(len, lines)) <= 79
    assert " ".join(line[3:] for line in lines) == f"{places} {name}c:1"
    assert lines[-1] == "#: c:1"
    assert all(line.count("\u2068") == line.count("\u2069") for line in lines)


@pytest.mark.usefixtures("gettext_tools")
def test_references_are_wrapped_as_msgcat_wraps_them(with_header):
    places = " ".join(f"src/file{number}.c:{number * 99}" for number in range(30))
    text = render(Message("a", references=places, texts=["b"]), 79) + "\n"

    done = subprocess.run(
        ["msgcat", "-"],
        input=with_header(f'#: {places}\nmsgid "a"\nmsgstr "b"\n').encode(),
        capture_output=True,
        check=True,
    )

    assert done.stdout.decode().endswith(text)


@pytest.mark.parametrize(
    "text", ["\u0301", " ", "a\u0301", "語", "(", "\\", "- ", "“ ", "\u2068"]
)
def test_no_text_takes_long_to_wrap(text):
    started = process_time()

    render(Message("a", references=text * 40_000, texts=[text * 40_000]), 79)

    assert process_time() - started < 2
