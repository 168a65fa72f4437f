"""What is wrong with a value, in the words of who sent it."""

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


@pytest.mark.parametrize(
    ("value", "path", "rule", "message"),
    [
        ({"name": 3}, "$.name", "type", "must be text, not a number"),
        ({"name": None}, "$.name", "type", "must be text, not null"),
        ({"name": ""}, "$.name", "length", "must have at least 1 character"),
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
        ({"code": "A"}, "$.code", "pattern", "is not spelled as it must be"),
        (
            {"inner": [{"kind": "three"}]}, "$.inner[0].kind", "enum",
            "must be one of one, two",
        ),
        (
            {"byName": {"a.b": {"kind": "x"}}}, "$.byName[...].kind", "enum",
            "must be one of one, two",
        ),
        (
            {"inner": [{"kind": "one", "size": 0}]}, "$.inner[0].size", "range",
            "must be at least 1",
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
