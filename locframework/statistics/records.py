"""Counts of keys and words, and the statistics made of them (decisions 2.6, 0010)."""

from msgspec import Struct

from locframework.fields import Timestamp


class LanguageCounts(Struct, frozen=True):
    """How many keys of main or a branch are in which state in one language. A key
    counts once: with plurals, in the worst state of the texts that it has. Without a
    text it counts nowhere here."""

    language_code: str
    approved: int = 0
    pending_review: int = 0
    draft: int = 0
    outdated: int = 0  # whatever their state
    words: int = 0  # of the source texts of keys that have a text
    approved_words: int = 0  # of the source texts of approved keys
    changed_at: Timestamp | None = None

    @property
    def translated(self) -> int:
        """Keys that have a text, in whatever state."""
        return self.approved + self.pending_review + self.draft


class LineCounts(Struct, frozen=True):
    """The counts of main or a branch, by language in the project's order."""

    key_count: int
    updated_at: Timestamp | None  # when keys or texts last changed; None: never
    languages: tuple[LanguageCounts, ...]


class LanguageStatistics(Struct, frozen=True, rename="camel"):
    """How far one language is; the first four counts add up to ``keyCount``."""

    language_code: str
    approved: int
    pending_review: int
    draft: int
    untranslated: int
    outdated: int  # whatever their state
    words: int  # of the source texts of keys that have a text
    approved_words: int  # of the source texts of approved keys
    translated_percentage: float  # of keys that have a text
    approved_percentage: float  # of keys
    last_changed_at: Timestamp | None  # of a text of the language; null: never


class Statistics(Struct, frozen=True, rename="camel"):
    """How far a project, or a branch of it, is."""

    key_count: int
    word_count: int  # of all source texts
    updated_at: Timestamp  # when keys or texts last changed
    languages: list[LanguageStatistics]  # in project order


def percentage(part: int, whole: int) -> float:
    """Return a percentage, floored to one decimal so that 100 means all; of nothing,
    100."""
    return part * 1000 // whole / 10 if whole else 100.0


def statistics_of(
    counts: LineCounts, source_language: str, since: Timestamp
) -> Statistics:
    """Return the statistics of main, or of a branch; ``since``: its creation."""
    words = [
        each.words for each in counts.languages if each.language_code == source_language
    ]
    keys = counts.key_count
    return Statistics(
        key_count=keys,
        word_count=sum(words),
        updated_at=max(counts.updated_at or since, since),
        languages=[
            LanguageStatistics(
                language_code=each.language_code,
                approved=each.approved,
                pending_review=each.pending_review,
                draft=each.draft,
                untranslated=keys - each.translated,
                outdated=each.outdated,
                words=each.words,
                approved_words=each.approved_words,
                translated_percentage=percentage(each.translated, keys),
                approved_percentage=percentage(each.approved, keys),
                last_changed_at=each.changed_at,
            )
            for each in counts.languages
        ],
    )


def complete_languages(counts: LineCounts) -> set[str]:
    """Return the languages in which no key lacks a text; without keys, all."""
    return {
        each.language_code
        for each in counts.languages
        if each.translated == counts.key_count
    }
