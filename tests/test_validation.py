"""Messages of msgspec become problems with a path and a rule."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from locframework.validation import refusal


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
    direction: Literal["ltr", "rtl"] | None = None
    by_code: dict[Annotated[str, Meta(min_length=1)], str] = {}


@pytest.mark.parametrize(
    ("value", "path", "rule", "message"),
    [
        ({"name": 3}, "$.name", "type", "Expected `str`, got `int`"),
        ({"name": ""}, "$.name", "length", "Expected `str` of length >= 1"),
        ({"byCode": {"": ""}}, "$.byCode", "length", "Expected `str` of length >= 1"),
        ({"name": "x" * 6}, "$.name", "length", "Expected `str` of length <= 5"),
        ({"tags": ["a", 1]}, "$.tags[1]", "type", "Expected `str`, got `int`"),
        ({"tags": ["a"] * 3}, "$.tags", "length", "Expected `array` of length <= 2"),
        (
            {"text": 1.5}, "$.text", "type",
            "Expected `str | object | null`, got `float`",
        ),
        ({"code": "A"}, "$.code", "pattern", "Expected `str` matching regex '^[a-z]$'"),
        (
            {"inner": [{"kind": "three"}]}, "$.inner[0].kind", "enum",
            "Invalid enum value",
        ),
        (
            {"byName": {"a": {"kind": "x"}}}, "$.byName[...].kind", "enum",
            "Invalid enum value",
        ),
        (
            {"inner": [{"kind": "one", "size": 0}]}, "$.inner[0].size", "range",
            "Expected `int` >= 1",
        ),
        ({"inner": [{}]}, "$.inner[0].kind", "required", "is required"),
        ({"direction": "up"}, "$.direction", "enum", "must be one of ltr or rtl"),
        ([], "$", "type", "Expected `object`, got `array`"),
    ],
)  # fmt: skip
def test_a_message_is_split_into_path_and_rule(value, path, rule, message):
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(value, Outer)

    error = refusal(raised.value, value, Outer, "$")

    [problem] = error.details
    assert (problem.path, problem.rule, problem.message) == (path, rule, message)
    assert error.message == f"{path}: {message}"


def test_the_value_is_not_repeated():
    value = {"inner": [{"kind": "x" * 5000}]}
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(value, Outer)

    error = refusal(raised.value, value, Outer, "$")

    assert "xx" not in f"{error.message} {error.details}"
