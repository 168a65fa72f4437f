"""What is wrong with a value, in the words of who sent it."""

from time import process_time
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from locframework.problems import refusal


class Inner(Struct):
    kind: Literal["one", "two"]
    size: Annotated[int, Meta(ge=1, le=9)] = 1


class Outer(Struct, rename="camel"):
    name: Annotated[str, Meta(min_length=1, max_length=5)] = "n"
    is_plural: bool = False
    share: float = 0.5
    tags: Annotated[list[str], Meta(max_length=2)] = []
    text: str | dict[str, str] | None = None
    email: Annotated[str, Meta(pattern="^.@.$", description="An address")] | None = None
    code: Annotated[str, Meta(pattern="^[a-z]$")] = "a"
    inner: list[Inner] = []
    by_name: dict[str, Inner] = {}
    by_code: dict[Annotated[str, Meta(min_length=1)], str] = {}


@pytest.mark.parametrize(
    ("value", "path", "rule", "message"),
    [
        ({"name": 3}, "$.name", "type", "must be text, not a number"),
        ({"name": None}, "$.name", "type", "must be text, not null"),
        ({"name": ""}, "$.name", "length", "must have at least 1 character"),
        ({"byCode": {"": ""}}, "$.byCode", "length", "must have at least 1 character"),
        ({"name": "x" * 6}, "$.name", "length", "must have at most 5 characters"),
        ({"isPlural": 1}, "$.isPlural", "type", "must be true or false, not a number"),
        ({"share": "1"}, "$.share", "type", "must be a number, not text"),
        ({"tags": None}, "$.tags", "type", "must be a list, not null"),
        ({"tags": ["a", 1]}, "$.tags[1]", "type", "must be text, not a number"),
        ({"tags": ["a"] * 3}, "$.tags", "length", "must have at most 2 items"),
        (
            {"text": 1.5}, "$.text", "type",
            "must be text, an object or null, not a number",
        ),
        ({"email": "x"}, "$.email", "pattern", "must be an address"),
        ({"code": "A"}, "$.code", "pattern", "is not written as it must be"),
        (
            {"inner": [{"kind": "three"}]}, "$.inner[0].kind", "enum",
            "must be one of one, two",
        ),
        (
            {"byName": {"a.b": {"kind": "x"}}}, '$.byName["a.b"].kind', "enum",
            "must be one of one, two",
        ),
        (
            {"byName": {"a": {"kind": "one"}, "b-c": {"kind": "x"}, "d": 3}},
            "$.byName.b-c.kind", "enum", "must be one of one, two",
        ),
        (
            {"byName": {"a": {"kind": "one"}, "b": {}}}, "$.byName.b.kind",
            "required", "is required",
        ),
        (
            {"inner": [{"kind": "one", "size": 0}]}, "$.inner[0].size", "range",
            "must be at least 1",
        ),
        (
            {"inner": [{"kind": "one", "size": 1.5}]}, "$.inner[0].size", "type",
            "must be a whole number",
        ),
        ({"inner": [{}]}, "$.inner[0].kind", "required", "is required"),
        ([], "$", "type", "must be an object, not a list"),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_plain_words(
    value: Any, path: str, rule: str, message: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(value, Outer)

    told = refusal(raised.value, value, Outer, "$")

    [problem] = told.details  # type: ignore[misc]
    assert (problem.path, problem.rule, problem.message) == (path, rule, message)
    assert told.message == f"{path}: {message}"


def test_what_was_sent_is_not_repeated() -> None:
    value = {"inner": [{"kind": "secret" * 50}], "code": "secret" * 50}
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(value, Outer)

    told = refusal(raised.value, value, Outer, "$")

    assert "secret" not in f"{told.message} {told.details}"


Texts = dict[str, str | dict[str, str]]


class Batch(Struct):
    items: list[dict[str, Texts]] = []


@pytest.mark.parametrize(
    ("items", "path"),
    [
        ([{"v": {"en": "a", "de": 3, "fr": 4}}], "v.de"),
        ([{"v": {"en": {"one": "a", "other": 3}, "de": {"one": 3}}}], "v.en.other"),
        ([{"v": {"en": "a", "de": 3}}, {"v": {"en": 3}}], "v.de"),
        ([{"u": {}, "v": {}, "w": {"x": 3}, "y": 3}], "w.x"),
        ([{"v": {str(n): "a" for n in range(9)} | {"z": None}}], "v.z"),
    ],
)
def test_of_many_members_the_first_at_fault_is_named(items: Any, path: str) -> None:
    assert _told({"items": items}) == f"$.items[0].{path}"


def test_a_long_or_odd_name_is_quoted_and_cut() -> None:
    assert _told({"items": [{"v": {'a"]': 3}}]}) == '$.items[0].v["a\\"]"]'
    assert len(_told({"items": [{"v": {"x" * 5000: 3}}]})) < 100


def test_a_name_is_found_quickly_among_as_many_as_a_body_can_hold() -> None:
    texts: Texts = {f"t{n}": "x" for n in range(20_000)}
    value = {"items": [{"v": texts}] * 2 + [{"v": texts | {"bad": 3}}]}

    begin = process_time()

    assert _told(value) == "$.items[2].v.bad"
    assert process_time() - begin < 2  # 0.3 s as a rule


def _told(value: Any) -> str:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(value, Batch)
    [problem] = refusal(raised.value, value, Batch, "$").details  # type: ignore[misc]
    return str(problem.path)
