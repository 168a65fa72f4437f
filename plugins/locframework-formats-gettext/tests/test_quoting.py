"""Quoted texts are read in room for what they say."""

import tracemalloc

import pytest
from locframework_formats_gettext.po_file import unquote


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
def test_a_text_of_nothing_but_escapes_takes_little_room(
    escape: str, said: str
) -> None:
    text = f'"{escape * 200_000}"'

    tracemalloc.start()
    found = unquote(text, "utf-8")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found == said * 200_000
    assert most < 8 * len(text)


@pytest.mark.parametrize(
    "text", [r'"a\n', r'"\n\"', r'"a" "\n', r'"a\q"', r'"\n\0"', r'"\400"']
)
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"quotes|escape"):
        unquote(text, "utf-8")
