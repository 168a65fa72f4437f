"""What words are, and how percentages are rounded."""

import pytest

from locframework.languages import count_words
from locframework.statistics.records import (
    LanguageCounts,
    LineCounts,
    complete_languages,
    percentage,
    statistics_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("Pay", 1),
        ("Pay now!", 2),
        ("  two\n\twords  ", 2),
        ("don't, can’t", 2),  # an apostrophe between letters parts nothing
        ("e-mail", 2),  # a hyphen does
        ("3.14 and 1,000", 3),
        ("snake_case", 1),
        ("{count} files", 2),
        ("— … !?", 0),
        ("👍 🇩🇪", 0),
        ("Straße", 1),
        ("нет данных", 2),
        ("لا شيء", 2),
        ("設定", 2),  # Han: each sign
        ("テキスト", 1),  # Katakana: what stands together
        ("설정 저장", 2),
        ("<b>bold</b>", 3),  # markup is text here
        ("o\u0308l", 1),
    ],
)
def test_words_are_what_unicode_parts(text, words):
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [
        (0, 0, 100.0),
        (0, 7, 0.0),
        (7, 7, 100.0),
        (2, 3, 66.6),
        (999_999, 1_000_000, 99.9),
        (1, 1000, 0.1),
        (1, 1001, 0.0),
        (29, 100, 29.0),
        (571, 1000, 57.1),
    ],
)
def test_percentages_are_floored_to_one_decimal(part, whole, percent):
    assert percentage(part, whole) == percent


def test_what_is_left_is_untranslated():
    german = LanguageCounts("de", 3, 2, 1, outdated=2, words=12, approved_words=5)
    counts = LineCounts(10, None, (LanguageCounts("en", 10, words=30), german))

    found = statistics_of(counts, "en", since="2026-11-21T08:00:00.000Z")

    assert found.word_count == 30
    assert found.updated_at == "2026-11-21T08:00:00.000Z"
    told = found.languages[1]
    assert (told.untranslated, told.outdated) == (4, 2)
    assert (told.translated_percentage, told.approved_percentage) == (60.0, 30.0)


def test_a_language_is_complete_when_every_key_has_a_text():
    counts = LineCounts(
        3,
        None,
        (
            LanguageCounts("en", approved=3),
            LanguageCounts("de", approved=1, pending_review=1, draft=1, outdated=3),
            LanguageCounts("fr", approved=2),
        ),
    )

    assert complete_languages(counts) == {"en", "de"}


def test_without_keys_every_language_is_complete():
    assert complete_languages(LineCounts(0, None, (LanguageCounts("en"),))) == {"en"}
