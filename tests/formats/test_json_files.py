"""JSON is read strictly, and every fault is told with its line."""

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json import JsonPlugin, JsonSettings

from locframework.ports import JsonObject, SourceFile, UnreadableFile, parse_json


def faults(content: str | bytes) -> list[tuple[str, str]]:
    """Where and which rule, for each Problem of a file."""
    data = content.encode() if isinstance(content, str) else content
    with pytest.raises(UnreadableFile) as caught:
        parse_json(data).raise_any()
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
        parse_json(content)


def test_every_fault_and_warning_is_told_with_its_line() -> None:
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

    assert faults(content) == [("line 5", "number"), ("line 9", "duplicate")]
    told = parse_json(content.encode()).warnings
    assert [warning.split()[:3] for warning in told] == [
        ["line", "4:", "'nul'"],
        ["line", "5:", "'large'"],
        ["line", "6:", "'high'"],
        ["line", "6:", r"'low\udc00'"],
    ]


def test_no_depth_of_nesting_is_too_much() -> None:
    assert faults('{"a":' * 500_000) == [("line 1", "nesting")]
    assert faults("[" * 500_000) == [("line 1", "nesting")]


def test_sixty_four_levels_are_read_and_one_more_is_not() -> None:
    parse_json(b'{"a":' * 64 + b'"b"' + b"}" * 64).raise_any()
    assert faults('{"a":' * 65 + '"b"' + "}" * 65) == [("line 1", "nesting")]


def test_a_file_that_is_no_utf_8_is_refused_with_the_line() -> None:
    assert faults(b'{\n"a":\n"\xff"}') == [("line 3", "encoding")]
    assert faults('{"a": "b"}'.encode("utf-16")) == [("line 1", "encoding")]
    assert faults(b'{"a": "\xed\xa0\x80"}') == [("line 1", "encoding")]


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": "b"}').members == {"a": "b"}


def test_a_file_that_is_no_object_is_refused() -> None:
    for content in ("null", "[]", '"a"', "1"):
        assert faults(content) == [("line 1", "type")]


def test_escapes_that_only_look_forbidden_are_read() -> None:
    content = b'{"a": "\\\\u0000 \\\\ud800 \\\\\\\\\\" \\ud83d\\ude00 \\u0001"}'

    document = parse_json(content)

    document.raise_any()
    assert document.members == {"a": '\\u0000 \\ud800 \\\\" \U0001f600 \x01'}


def test_a_hundred_problems_are_told_and_the_others_counted() -> None:
    content = '{"a": "y"' + ',"a": "x"' * 501 + "}"

    with pytest.raises(UnreadableFile) as caught:
        parse_json(content.encode()).raise_any()

    assert isinstance(caught.value.details, list)
    assert len(caught.value.details) == 100
    assert "and 500 more" in caught.value.message


def test_a_file_that_is_nothing_but_faults_is_not_read_to_its_end() -> None:
    content = "{" + '"a": "b", ' + '"a": "c", ' * 5000 + '"c": "d"}'

    with pytest.raises(UnreadableFile, match=f"and {999} more"):
        parse_json(content.encode())


def test_a_thousand_warnings_are_given_and_then_the_last() -> None:
    content = '{"a": "\\u0000"' + ', "a": "\\u0000"' * 5000 + "}"

    assert len(parse_json(content.encode()).warnings) == 1000 + 1


def test_a_message_repeats_little_and_nothing_unprintable() -> None:
    name = "\\u0001" * 500 + "\\n" * 500
    document = parse_json(f'{{"{name}": "\\u0000", "\\ud800": "b"}}'.encode())

    with pytest.raises(UnreadableFile) as caught:
        parse_json(f'{{"{name}": "a", "{name}": "b"}}'.encode()).raise_any()

    told = caught.value.message + repr(caught.value.details)
    assert all(each.isprintable() for each in [told, *document.warnings])
    assert len(caught.value.message) < 300


def lines_of(value: object) -> list[int]:
    """The lines of all members in file order."""
    if isinstance(value, list):
        return [line for inner in value for line in lines_of(inner)]
    if not isinstance(value, JsonObject):
        return []
    found: list[int] = []
    for line, _, inner in value.numbered():
        found += [line, *lines_of(inner)]
    return found


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
    assert lines_of(parse_json(content.encode()).members) == lines


def test_a_file_that_is_indented_has_a_member_a_line() -> None:
    content = json.dumps(MEMBERS, indent=2).encode()

    assert lines_of(parse_json(content).members) == [2, 3, 4, 5, 6, 7, 10]


def test_a_text_of_nothing_but_escapes_takes_no_more_room_than_another() -> None:
    content = b'{\n"a": "%s",\n"b": "c", "d": "e"}' % (rb"\n" * 500_000)

    tracemalloc.start()
    lines = lines_of(parse_json(content).members)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert lines == [2, 3, 3]
    assert most < 12 * len(content)


FORMATS = JsonPlugin(JsonSettings()).loc_provide_formats()

_any_text = st.text(max_size=4) | st.sampled_from(["\0", "\ud800", "a", "b", "@a", "é"])
_leaves = (
    _any_text
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([float("nan"), float("inf"), 10**30])
)


class Doubled(dict[str, object]):
    """A dict that is written with its first member twice."""

    def items(self) -> list[tuple[str, object]]:  # type: ignore[override]
        members = list(super().items())
        return [*members, *members[:1]]


def _objects(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    members = st.dictionaries(_any_text, inner, max_size=4)
    return st.lists(inner, max_size=3) | members | st.builds(Doubled, members)


def _layout(value: object, *, indent: int | None, escape: bool) -> bytes:
    text = json.dumps(value, indent=indent, ensure_ascii=escape)
    return text.encode("utf-8", "surrogatepass")


json_files: st.SearchStrategy[bytes] = st.builds(
    _layout,
    st.recursive(_leaves, _objects, max_leaves=12),
    indent=st.sampled_from([None, 0, 2]),
    escape=st.booleans(),
)
"""JSON of all sorts, with what strict reading refuses and in several layouts."""


@settings(deadline=None)
@given(st.binary(max_size=60) | json_files)
def test_one_format_at_most_recognizes_a_file(content: bytes) -> None:
    for name in ("", "x", "x.json", "x.arb"):
        file = SourceFile(name, content)
        assert sum(format.recognizes(file) for format in FORMATS) <= 1
