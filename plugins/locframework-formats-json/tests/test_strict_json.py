"""JSON is read strictly, and every fault is told with its line."""

import pytest
from locframework_formats_json.strict_json import MOST_FAULTS, MOST_PROBLEMS, parse

from locframework.ports import UnreadableFile


def faults(content: str | bytes) -> list[tuple[str, str]]:
    """Where and which rule, for each Problem of a file."""
    data = content.encode() if isinstance(content, str) else content
    with pytest.raises(UnreadableFile) as caught:
        parse(data).refuse_faults()
    details = caught.value.details
    assert isinstance(details, list)
    return [(problem.path, problem.rule) for problem in details]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ('{"a": "b"', 1),
        ('{\n "a": "b",\n}', 3),
        ('{\n\n\n "a": "b"\n "c": "d"}', 5),
        ('{"a": "b"}\n\nx', 3),
        ("{'a': 'b'}", 1),
        ('{"a": "\n"}', 1),
        ('{\n"a": "\\x"}', 2),
        ("{\n// comment\n}", 2),
    ],
)
def test_a_syntax_error_is_told_with_its_line(content: str, line: int) -> None:
    assert faults(content) == [(f"line {line}", "syntax")]


@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_told_to_be_empty(content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="line 1: the file is empty"):
        parse(content)


def test_every_fault_in_a_member_is_told_with_its_line() -> None:
    content = """{
      "twice": "x",
      "inner": {
        "nul": "\\u0000",
        "nan": NaN, "large": [1, 1e999],
        "high": "\\ud800", "low\\udc00": "x",
        "pair": "\\ud83d\\ude00"
      },
      "twice": "y"
    }"""

    assert faults(content) == [
        ("line 4", "character"),
        ("line 5", "number"),
        ("line 5", "number"),
        ("line 6", "character"),
        ("line 6", "character"),
        ("line 9", "duplicate"),
    ]


@pytest.mark.parametrize("opening", ['{"a":\n', "[\n"])
def test_a_file_nested_too_deep_is_refused_where_it_gets_too_deep(opening: str) -> None:
    closing = "}" if "{" in opening else "]"
    value = opening * 100 + '"}{]["' + closing * 100

    assert faults('{"a":' + value + "}") == [("line 64", "nesting")]


def test_no_depth_of_nesting_is_too_much() -> None:
    assert faults('{"a":' * 500_000) == [("line 1", "nesting")]
    assert faults("[" * 500_000) == [("line 1", "nesting")]


def test_sixty_four_levels_are_read() -> None:
    parse(b'{"a":' * 64 + b'"b"' + b"}" * 64).refuse_faults()


def test_a_file_that_is_no_utf_8_is_refused_with_the_line() -> None:
    assert faults(b'{\n"a":\n"\xff"}') == [("line 3", "encoding")]
    assert faults('{"a": "b"}'.encode("utf-16")) == [("line 1", "encoding")]
    assert faults(b'{"a": "\xed\xa0\x80"}') == [("line 1", "encoding")]


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse(b'\xef\xbb\xbf{"a": "b"}').members == {"a": "b"}


def test_a_file_that_is_no_object_is_refused() -> None:
    for content in ("null", "[]", '"a"', "1"):
        assert faults(content) == [("line 1", "type")]


def test_escapes_that_only_look_forbidden_are_read() -> None:
    content = b'{"a": "\\\\u0000 \\\\ud800 \\\\\\\\\\" \\ud83d\\ude00 \\u0001"}'

    document = parse(content)

    document.refuse_faults()
    assert document.members == {"a": '\\u0000 \\ud800 \\\\" \U0001f600 \x01'}


def test_one_problem_is_told_for_a_member() -> None:
    assert faults('{"a\\u0000": "\\u0000"}') == [("line 1", "character")]


def test_a_hundred_problems_are_told_and_the_others_counted() -> None:
    content = '{"a": "\\u0000"' + ',"a": "x"' * 500 + "}"

    with pytest.raises(UnreadableFile) as caught:
        parse(content.encode()).refuse_faults()

    assert isinstance(caught.value.details, list)
    assert len(caught.value.details) == MOST_PROBLEMS
    assert "and 500 more" in caught.value.message


def test_a_file_that_is_nothing_but_faults_is_not_read_to_its_end() -> None:
    content = "{" + '"a": "b", ' * 5000 + '"c": "d"}'

    with pytest.raises(UnreadableFile, match=f"and {MOST_FAULTS - 1} more"):
        parse(content.encode())


def test_a_message_repeats_little_and_nothing_unprintable() -> None:
    name = "\\ud800\\u0000" * 500

    with pytest.raises(UnreadableFile) as caught:
        parse(f'{{"{name}": "a", "{name}": "b"}}'.encode()).refuse_faults()

    told = caught.value.message + repr(caught.value.details)
    assert told.isprintable()
    assert len(caught.value.message) < 300
