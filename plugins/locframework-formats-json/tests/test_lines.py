"""The lines of members are right however the file is laid out."""

import json
import tracemalloc

import pytest
from locframework_formats_json.strict_json import parse

MEMBERS = {"a": "1", "b": {"c": 'say ":', "d": {"e": "\n", "f": "{"}}, "g": "\\"}


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ('{"a": "1", "b": "2"}', [1, 1]),
        ('{"a": "1", "b": "2"}\n\n', [1, 1]),
        ('\n\n{"a": "1", "b": "2"}', [3, 3]),
        ('{\n"a": "1",\n"b": "2"\n}', [2, 3]),
        ('{\r\n\t"a": "1",\r\n\t"b": "2"\r\n}\r\n', [2, 3]),
        ('{\n"a":\n"1", "b": "2"\n}', [2, 3]),
        ('{\n"a"\n:\n"1",\n"b": "2"}', [2, 5]),
        ('{"a": "1", "b": "2",\n\n"c": "3"}', [1, 1, 3]),
        ('{\n"a": {"b": "1", "c": "2"},\n"d": "3"}', [2, 2, 2, 3]),
        ('{"a": "\\":\\n\\"b\\":",\n"c": "3"}', [1, 2]),
        ('{\n"a": [\n"b", {\n"c": "d"}],\n"e": "f"}', [2, 4, 5]),
        # as many lines begin with a string as there are members, but not with names
        ('{\n"a": [\n"b",\n"c"], "d": "e", "f": "g"}', [2, 4, 4]),
        ('{\n"a":\n"b",\n"c":\n"d", "e": "f", "g": "h"}', [2, 4, 5, 5]),
        ("{\n}", []),
    ],
)
def test_each_member_has_its_line(content: str, lines: list[int]) -> None:
    assert list(parse(content.encode()).lines) == lines


def test_a_file_that_is_indented_has_a_member_a_line() -> None:
    content = json.dumps(MEMBERS, indent=2).encode()

    assert list(parse(content).lines) == [2, 3, 4, 5, 6, 7, 10]


def test_a_text_of_nothing_but_escapes_takes_no_more_room_than_another() -> None:
    content = b'{\n"a": "%s",\n"b": "c", "d": "e"}' % (rb"\n" * 500_000)

    tracemalloc.start()
    lines = list(parse(content).lines)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert lines == [2, 3, 3]
    assert most < 12 * len(content)
