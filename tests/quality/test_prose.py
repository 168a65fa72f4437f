"""What of a text is for people is told from what is for a program."""

import pytest

from locframework.quality.scanning import prose


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Delete {file}?", "Delete ?"),
        ("Delete %(file)s now", "Delete  now"),
        ("%file% :file (@file) __file__ [[file]] @:a.file", "  ()   "),
        ("{{ file }} and $t(file)", " and "),
        ('Open <a href="file.html">the file</a>', "Open the file"),
        ("file&nbsp;name &#169; &copy", "filename  &copy"),
        ("100% of files, a < b > c, R&D; x", "100% of files, a < b > c, R&D; x"),
        ("{n, plural, one {# file} other {# files}}!", " file files}}!"),
        ("{n, plural, other {file #}} # {#}", "file }} # {#}"),
        ("{g, select, other {His {file}}}", "His }}"),
    ],
)
def test_placeholders_tags_and_entities_are_no_words(text, words):
    found = prose(text)

    assert found.replace("\ufffc", "") == words
    assert len(found) == len(text)


def test_what_is_covered_is_a_boundary_and_no_space():
    assert prose("pay {what} now") == "pay \ufffc\ufffc\ufffc\ufffc\ufffc\ufffc now"
