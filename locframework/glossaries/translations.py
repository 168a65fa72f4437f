"""What one can do with a term's translations: set, clear, approve, reject."""

from collections.abc import Callable

from msgspec.structs import replace

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.errors import LanguageNotFound
from locframework.events import EventLog
from locframework.fields import Clock, Timestamp, timestamp
from locframework.languages import tag_from_path
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import approved, rejected, written
from locframework.validation import check_record

from .events import GlossaryEvents
from .records import NewTranslation, Rejection, StoredGlossary, Term, TermWrite
from .rules import (
    check_target,
    check_text,
    check_translatable,
    told,
    translation_in,
    with_translations,
    without_translation,
)
from .service import Glossaries
from .store import GlossaryStorage
from .terms import APPROVE, WRITE, Terms

Transition = Callable[
    [StoredGlossary, TermTranslation | None, Timestamp], TermTranslation | None
]
"""What becomes of a translation, of its glossary as it is by now."""


class TermTranslations:
    """Translations of terms, one a language. ``lang`` may end in a file extension."""

    def __init__(
        self,
        storage: GlossaryStorage,
        glossaries: Glossaries,
        terms: Terms,
        linked: LinkedAccess,
        events: EventLog,
        clock: Clock,
    ) -> None:
        self._store = storage.terms
        self._transactions = storage
        self._glossaries = glossaries
        self._terms = terms
        self._linked = linked
        self._events = GlossaryEvents(events)
        self._clock = clock

    def set_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        new: NewTranslation,
    ) -> Term:
        """Apply the value, or propose it where that needs approval and the caller
        cannot give it (service.md, States). "" clears.

        Raises GlossaryNotFound, PermissionDenied, ValidationFailed, TermNotFound,
        LanguageNotFound, LanguageNotAssigned, TermNotTranslatable.
        """
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        check_record(new)
        check_text(new.value, "$.value")
        tag = tag_from_path(lang)

        def write(
            stored: StoredGlossary, old: TermTranslation | None, at: Timestamp
        ) -> TermTranslation | None:
            if new.value:
                check_target(tag, stored.glossary.source_language, "path.lang")
            applies = self._terms.applies(caller, stored)
            return written(old, tag, new.value, applies=applies, at=at)

        return self._write(caller, WRITE, stored, term_id, tag, write)

    def clear_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> Term:
        """As the value ""; but LanguageNotFound where there is none."""
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        tag = tag_from_path(lang)

        def clear(
            stored: StoredGlossary, old: TermTranslation | None, at: Timestamp
        ) -> TermTranslation | None:
            if old is None:
                raise LanguageNotFound("translation")
            applies = self._terms.applies(caller, stored)
            return written(old, tag, "", applies=applies, at=at)

        return self._write(caller, WRITE, stored, term_id, tag, clear)

    def approve_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> Term:
        """The proposal, or the draft, becomes the value.

        Raises GlossaryNotFound, PermissionDenied, TermNotFound, LanguageNotFound,
        LanguageNotAssigned, NothingPending.
        """
        stored = self._glossaries.require(caller, APPROVE, glossary_id)

        def approve(
            _: StoredGlossary, old: TermTranslation | None, at: Timestamp
        ) -> TermTranslation | None:
            return approved(old, at=at)

        tag = tag_from_path(lang)
        return self._write(caller, APPROVE, stored, term_id, tag, approve, "approved")

    def reject_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        rejection: Rejection,
    ) -> Term:
        """The proposal is dropped; what was approved stays. As above."""
        stored = self._glossaries.require(caller, APPROVE, glossary_id)
        check_record(rejection)

        def reject(
            _: StoredGlossary, old: TermTranslation | None, __: Timestamp
        ) -> TermTranslation | None:
            return rejected(old)

        tag = tag_from_path(lang)
        return self._write(
            caller,
            APPROVE,
            stored,
            term_id,
            tag,
            reject,
            "rejected",
            reason=rejection.reason,
        )

    def _write(
        self,
        caller: Caller,
        permission: str,
        stored: StoredGlossary,
        term_id: str,
        tag: str,
        transition: Transition,
        outcome: str | None = None,
        *,
        reason: str | None = None,
    ) -> Term:
        with self._transactions.transaction():
            stored = self._glossaries.lock(stored)
            term = self._terms.find(stored, term_id)
            self._linked.require_language(caller, permission, stored.reach, tag)
            old, now = translation_in(term, tag), timestamp(self._clock())
            new = transition(stored, old, now)
            if new == old:
                return term
            term = without_translation(replace(term, updated_at=now), tag)
            if new is None:
                write = TermWrite(term, dropped=[tag])
            else:
                term = with_translations(term, [new])
                check_translatable(term)
                write = TermWrite(term, changed=[new])
            self._store.write_terms(stored.id, [write], now)
            item = {"termId": term.id, "languageCode": tag}
            if reason is not None:
                item["reason"] = reason
            type_ = f"translation.{outcome or told(old, new)}"
            self._events.append(caller, stored, type_, [item])
        return term
