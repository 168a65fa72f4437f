"""GNU gettext says of each of many files what it says of that one alone."""

import pytest

from tests.gettext_tools import normalised, refusals, require_gettext

HEADER = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
)
GOOD = HEADER + 'msgid "Zug"\nmsgstr "ปราสาท"\n'
THREE_FORMS = HEADER + (
    'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "x"\nmsgstr[1] "y"\nmsgstr[2] "z"\n'
)
TWICE = GOOD + '\nmsgid "Zug"\nmsgstr "x"\n'
BROKEN = HEADER + 'msgid "a"\nmsgxx "b"\n'


@pytest.fixture(autouse=True)
def _tools() -> None:
    require_gettext()


def test_each_file_is_told_of_by_its_place() -> None:
    told = refusals([GOOD, THREE_FORMS, GOOD, TWICE, GOOD])

    assert sorted(told) == [1, 3]
    assert "some messages have 3 plural forms" in told[1]
    assert "duplicate message definition" in told[3]


def test_a_file_that_cannot_be_parsed_hides_no_other() -> None:
    assert sorted(refusals([THREE_FORMS, BROKEN, GOOD, THREE_FORMS])) == [0, 1, 3]


def test_what_is_only_warned_of_is_accepted() -> None:
    assert refusals([GOOD]) == {}  # most fields of the header are missing
    assert refusals([]) == {}


def test_each_file_is_normalised_for_itself() -> None:
    before = "\n\n# of these two\n" + GOOD.replace('"Zug"', '"Z"\n"ug"')

    first, second = normalised([before, THREE_FORMS])

    assert first == f"# of these two\n{GOOD}\n"
    assert second == f"{THREE_FORMS}"
    with pytest.raises(AssertionError, match="msgxx"):
        normalised([GOOD, BROKEN])
