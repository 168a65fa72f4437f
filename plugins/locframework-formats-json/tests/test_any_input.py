"""Whatever the bytes are, they are read or refused, and always by the same rules."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json import JsonPlugin, JsonSettings, strict_json

from locframework.ports import (
    Catalogue,
    FileOptions,
    Format,
    SourceFile,
    UnreadableFile,
)

unhurried = settings(deadline=None)  # the machine may be busy

OPTIONS = FileOptions(key_separator=".", source_language="en")
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


def read(format: Format, content: bytes) -> Catalogue:
    (catalogue,) = format.read(SourceFile("x", content), OPTIONS)
    return catalogue


@unhurried
@given(st.binary(max_size=60) | json_files)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for format in FORMATS:
        try:
            catalogue = read(format, content)
        except UnreadableFile:
            continue
        # what was read is a catalogue like any other
        written = format.write([catalogue], OPTIONS)
        read(format, written.content)


@unhurried
@given(st.binary(max_size=60) | json_files)
def test_one_format_at_most_recognizes_a_file(content: bytes) -> None:
    for name in ("", "x", "x.json", "x.arb"):
        file = SourceFile(name, content)
        assert sum(format.recognizes(file) for format in FORMATS) <= 1


@unhurried
@given(json_files)
def test_the_fast_way_gives_what_the_thorough_way_gives(content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    fast = strict_json._parse_sound(text)
    if fast is None:
        return

    thorough = strict_json._parse_any(text)

    thorough.refuse_faults()
    assert thorough.members == fast.members
    assert list(thorough.lines) == list(fast.lines)


@unhurried
@given(json_files)
def test_a_file_without_faults_is_read_the_fast_way(content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    try:
        thorough = strict_json._parse_any(text)
        thorough.refuse_faults()
    except UnreadableFile:
        return

    assert strict_json._parse_sound(text) is not None or "\\u0000" in text
