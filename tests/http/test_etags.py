"""Which ETags of a conditional header match (RFC 9110, sections 8.8.3 and 13.1)."""

from __future__ import annotations

import re

import pytest

from locframework.http.etags import any_match, etag_of, none_match

TAG = etag_of(b'{"key":{}}')
OTHER = etag_of(b"{}")


def test_an_etag_is_strong_and_of_the_bytes() -> None:
    assert re.fullmatch(r'"[0-9a-f]{32}"', TAG)
    assert etag_of(b'{"key":{}}') == TAG != OTHER


@pytest.mark.parametrize(
    "header", [TAG, "*", " * ", f"{OTHER}, {TAG}", f'"a,b" ,{TAG},', f'W/"x", {TAG}']
)
def test_a_list_that_names_the_tag_or_a_star_matches(header: str) -> None:
    assert none_match(header, TAG)
    assert any_match(header, TAG)


@pytest.mark.parametrize(
    "header",
    ["", OTHER, TAG.strip('"'), f"{OTHER}, {OTHER}", "**", '"*"', f"'{TAG}"[:9]],
)
def test_what_does_not_name_it_does_not_match(header: str) -> None:
    assert not none_match(header, TAG)
    assert not any_match(header, TAG)


def test_a_weak_tag_is_enough_to_spare_an_answer_and_never_to_write() -> None:
    assert none_match(f"W/{TAG}", TAG)
    assert not any_match(f"W/{TAG}", TAG)


def test_no_header_spares_no_answer() -> None:
    assert not none_match(None, TAG)
