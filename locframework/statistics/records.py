"""What is counted of a line, and how it is told (decisions 2.6, 0010)."""

from msgspec import Struct

from locframework.fields import Timestamp


class LanguageCounts(Struct, frozen=True):
    """How many keys of a line are in which state in one language.

    A key counts once: with plurals, in the worst state of the texts that it has.
    Without a text it counts nowhere here.
    """

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
    """What is counted of a line, in all languages of its project, in their order."""

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
