"""Counts words, and computes how complete languages are (decisions 2.6)."""

from unicode_segmentation_rs import unicode_words

from locframework.fields import Timestamp

from .records import LanguageCounts, LanguageStatistics, LineCounts, Statistics


def count_words(text: str) -> int:
    """How many words there are by the default boundaries of Unicode (UAX #29).

    A word is what stands between two boundaries and has a letter or a digit. Han and
    Hiragana count character by character, as translators are paid for them.
    """
    return len(unicode_words(text))


def percentage(part: int, whole: int) -> float:
    """Floored to one decimal, so that 100 means all; of nothing it is 100."""
    return part * 1000 // whole / 10 if whole else 100.0


def statistics_of(
    counts: LineCounts, source_language: str, since: Timestamp
) -> Statistics:
    """What is told of a line that has been there ``since`` then."""
    words = [
        each.words for each in counts.languages if each.language_code == source_language
    ]
    return Statistics(
        key_count=counts.key_count,
        word_count=sum(words),
        updated_at=max(counts.updated_at or since, since),
        languages=[_told(each, counts.key_count) for each in counts.languages],
    )


def complete_languages(counts: LineCounts) -> set[str]:
    """The languages in which no key lacks a text; without keys, all of them."""
    return {
        each.language_code
        for each in counts.languages
        if each.translated == counts.key_count
    }


def _told(counts: LanguageCounts, keys: int) -> LanguageStatistics:
    return LanguageStatistics(
        language_code=counts.language_code,
        approved=counts.approved,
        pending_review=counts.pending_review,
        draft=counts.draft,
        untranslated=keys - counts.translated,
        outdated=counts.outdated,
        words=counts.words,
        approved_words=counts.approved_words,
        translated_percentage=percentage(counts.translated, keys),
        approved_percentage=percentage(counts.approved, keys),
        last_changed_at=counts.changed_at,
    )
