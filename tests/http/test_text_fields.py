"""A query becomes a struct, strictly."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.errors import ValidationFailed
from locframework.http.body import Query

Limit = Annotated[int, Meta(ge=1, le=200, description="Items")]


class Asked(Struct, frozen=True, rename="camel"):
    limit: Limit = 50
    some_name: Annotated[str, Meta(max_length=5)] | None = None
    is_open: bool | None = None
    changed: bool | UnsetType = UNSET
    tag: Annotated[list[Annotated[str, Meta(max_length=5)]], Meta(max_length=2)] = []
    ids: tuple[Annotated[int, Meta(ge=-5, le=5)], ...] = ()
    sort: Literal["a", "b"] | Literal["c"] = "a"


class Wanted(Struct, frozen=True):
    format: str


def read(text):
    return Query(Asked).read({"QUERY_STRING": text})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Asked()),
        ("limit=7", Asked(limit=7)),
        ("limit=1.0", Asked(limit=1)),
        ("someName=a+b", Asked(some_name="a b")),
        ("someName=%C3%96l", Asked(some_name="Öl")),
        ("someName=", Asked(some_name="")),
        ("isOpen=true&changed=false", Asked(is_open=True, changed=False)),
        ("isOpen=1&changed=False", Asked(is_open=True, changed=False)),
        ("tag=a&tag=b", Asked(tag=["a", "b"])),
        ("ids=1&ids=-2", Asked(ids=(1, -2))),
        ("sort=c", Asked(sort="c")),
    ],
)
def test_a_query_is_read(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "path", "rule"),
    [
        ("limit=0", "query.limit", "range"),
        ("limit=201", "query.limit", "range"),
        ("limit=", "query.limit", "type"),
        ("limit=+7", "query.limit", "type"),
        ("limit=007", "query.limit", "type"),
        ("limit=%201", "query.limit", "type"),
        ("limit=1%0A", "query.limit", "type"),
        ("limit=0x1", "query.limit", "type"),
        ("limit=1_0", "query.limit", "type"),
        ("limit=%D9%A1", "query.limit", "type"),
        ("limit=true", "query.limit", "type"),
        ("limit=" + "9" * 19, "query.limit", "range"),
        ("limit=" + "9" * 99, "query.limit", "range"),
        ("limit=" + "9" * 5000, "query.limit", "range"),
        ("limit=1&limit=1", "query.limit", "repeated"),
        ("isOpen=", "query.isOpen", "type"),
        ("changed=null", "query.changed", "type"),
        ("someName=abcdef", "query.someName", "length"),
        ("someName=a%00", "query.someName", "character"),
        ("tag=a&tag=b&tag=c", "query.tag", "length"),
        ("tag=abcdef", "query.tag[0]", "length"),
        ("ids=1&ids=x", "query.ids[1]", "type"),
        ("sort=d", "query.sort", "enum"),
        ("someName=%ff", "query", "syntax"),
        ("someName=%ed%a0%80", "query", "syntax"),
        ("someName=\xff", "query", "syntax"),
        ("a=1&" * 1001, "query", "syntax"),
    ],
)
def test_a_wrong_member_is_refused_by_its_name(text, path, rule):
    with pytest.raises(ValidationFailed) as raised:
        read(text)

    (problem,) = raised.value.details
    assert (problem.path, problem.rule) == (path, rule)


def test_all_wrong_members_are_told_at_once():
    with pytest.raises(ValidationFailed) as raised:
        read("limit=x&isOpen=x")

    assert [each.path for each in raised.value.details] == [
        "query.limit",
        "query.isOpen",
    ]


def test_a_member_that_must_be_there_is_asked_for():
    with pytest.raises(ValidationFailed) as raised:
        Query(Wanted).read({})

    (problem,) = raised.value.details
    assert (problem.path, problem.rule) == ("query.format", "required")


def test_a_long_wrong_value_is_not_repeated_at_length():
    with pytest.raises(ValidationFailed) as raised:
        read("sort=" + "x" * 10_000)

    assert len(raised.value.message) <= 200
    assert len(raised.value.details[0].message) <= 200


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_no_query_breaks_the_server(text):
    with suppress(ValidationFailed):
        assert 1 <= read("limit=" + text).limit <= 200
