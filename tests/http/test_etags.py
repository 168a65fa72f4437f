"""Which ETags of a conditional header match (RFC 9110, sections 8.8.3 and 13.1)."""

import re
from time import process_time

import pytest

from locframework.http.responses import etag_of, if_match_matches, if_none_match_matches

TAG = etag_of(b'{"key":{}}')
OTHER = etag_of(b"{}")


def test_an_etag_is_strong_and_of_the_bytes():
    assert re.fullmatch(r'"[0-9a-f]{32}"', TAG)
    assert etag_of(b'{"key":{}}') == TAG != OTHER


@pytest.mark.parametrize(
    "header",
    [
        TAG,
        "*",
        " * ",
        f"{OTHER}, {TAG}",
        f'"a,b" ,{TAG},',
        f'W/"x", {TAG}',
        f",\t{TAG}",
        f"{OTHER},, {TAG} ,",
    ],
)
def test_a_list_that_names_the_tag_or_a_star_matches(header):
    assert if_none_match_matches(header, TAG)
    assert if_match_matches(header, TAG)


@pytest.mark.parametrize(
    "header",
    ["", OTHER, TAG.strip('"'), f"{OTHER}, {OTHER}", "**", '"*"', f"'{TAG}"[:9]],
)
def test_what_does_not_name_it_does_not_match(header):
    assert not if_none_match_matches(header, TAG)
    assert not if_match_matches(header, TAG)


def test_a_weak_tag_is_enough_to_spare_an_answer_and_never_to_write():
    assert if_none_match_matches(f"W/{TAG}", TAG)
    assert not if_none_match_matches(None, TAG)
    assert not if_match_matches(f"W/{TAG}", TAG)


@pytest.mark.parametrize(
    "shape",
    ["w/{}", "W/ {}", "x{}", "{}x", "{} {}", "x, {}", "{}, *", '{}, "a', "\n{}"],
)
def test_what_is_no_list_of_tags_names_none(shape):
    header = shape.format(TAG, TAG)

    assert not if_none_match_matches(header, TAG)
    assert not if_match_matches(header, TAG)


def test_a_long_header_is_read_in_no_time():
    begun = process_time()

    for junk in (" " * 50_000 + "x", "," * 50_000 + "x", '"' * 50_000):
        assert not if_match_matches(junk, TAG)
    assert process_time() - begun < 2
