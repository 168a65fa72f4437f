"""What one can do with the terms of a glossary and with their translations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import LinkedAccess
from locframework.errors import (
    LanguageNotFound,
    TermExists,
    TermNotFound,
    TermNotTranslatable,
    ValidationFailed,
    truncate,
)
from locframework.fields import Clock, Timestamp, is_id, new_id, timestamp
from locframework.languages import fold, require_tag, tag_from_path
from locframework.pagination import Page
from locframework.proposals.records import ProposalRejection, TermTranslation
from locframework.proposals.rules import approved, rejected, written
from locframework.terminology.words import exact
from locframework.validation import check_record, given_fields

from .records import (
    NewTerm,
    NewTermTranslation,
    StoredGlossary,
    Term,
    TermChanges,
    TermQuery,
    TermWrite,
)
from .service import Glossaries
from .store import GlossaryStorage

WRITE, APPROVE = "glossary_write", "glossary_approve"

Changed = TermTranslation | None
"""A translation before or after a change; None: there is none."""
Transition = Callable[[StoredGlossary, Changed, Timestamp], Changed]
"""Returns what becomes of a translation, given its locked glossary."""


@dataclass(eq=False, repr=False)
class Terms:
    """Terms and their translations. ``lang`` may end in a file extension."""

    _transactions: GlossaryStorage
    _glossaries: Glossaries
    _linked: LinkedAccess
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._transactions.terms

    def find(self, stored: StoredGlossary, term_id: str) -> Term:
        """Return a term with its translations. Raises TermNotFound."""
        ids = [term_id] if is_id(term_id) else []
        for found in self._store.find_terms(stored.id, ids):
            return found
        raise TermNotFound

    def list_terms(
        self, caller: Caller, glossary_id: str, query: TermQuery = TermQuery()
    ) -> Page[Term]:
        """List terms. Raises GlossaryNotFound, PermissionDenied, ValidationFailed."""
        stored = self._glossaries.require(caller, "glossary_read", glossary_id)
        check_record(query, "query")
        code = query.language_code
        query = replace(
            query,
            search=fold((query.search or "").strip()) or None,
            language_code=code and require_tag(code, "query.languageCode"),
        )
        return self._store.list_terms(stored.id, query)

    def get_term(self, caller: Caller, glossary_id: str, term_id: str) -> Term:
        """Raises GlossaryNotFound, PermissionDenied, TermNotFound."""
        stored = self._glossaries.require(caller, "glossary_read", glossary_id)
        return self.find(stored, term_id)

    def create_term(self, caller: Caller, glossary_id: str, new: NewTerm) -> Term:
        """Create a term; its translations are applied, or proposed where that needs
        approval and the caller cannot approve.

        Raises GlossaryNotFound, PermissionDenied, ValidationFailed,
        LanguageNotAssigned, TermExists, TermNotTranslatable.
        """
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        check_record(new)
        check_text(new.term, "$.term")
        values = values_by_tag(new.translations, stored.glossary.source_language)
        for tag in values:
            self._linked.require_language(caller, WRITE, stored.reach, tag)
        with self._transactions.transaction():
            stored = self._glossaries.lock(stored)
            now = timestamp(self._clock())
            applies = self.applies(caller, stored)
            made = (
                written(None, tag, values[tag], applies=applies, at=now)
                for tag in sorted(values)
            )
            term = Term(
                id=new_id(),
                glossary_id=stored.id,
                term=new.term,
                do_not_translate=new.do_not_translate,
                case_sensitive=new.case_sensitive,
                usage_status=new.usage_status,
                notes=new.notes,
                created_at=now,
                updated_at=now,
                translations=tuple(each for each in made if each is not None),
            )
            check_translatable(term)
            self._require_free(stored, term)
            write = TermWrite(term, is_new=True, changed=term.translations)
            self._store.write_terms(stored.id, [write], now)
            self._glossaries.emit(caller, stored, "term.created", [{"termId": term.id}])
            outcome = "updated" if applies else "proposed"
            items = [
                {"termId": term.id, "languageCode": each.language_code}
                for each in term.translations
            ]
            self._glossaries.emit(caller, stored, f"translation.{outcome}", items)
        return term

    def update_term(
        self, caller: Caller, glossary_id: str, term_id: str, changes: TermChanges
    ) -> Term:
        """Change a term; a new text needs the right to write all its translations.
        Raises GlossaryNotFound, PermissionDenied, ValidationFailed, TermNotFound,
        LanguageNotAssigned, TermExists, TermNotTranslatable."""
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        check_record(changes)
        if changes.term is not UNSET:
            check_text(changes.term, "$.term")
        with self._transactions.transaction():
            stored = self._glossaries.lock(stored)
            old, now = self.find(stored, term_id), timestamp(self._clock())
            if changes.term not in (UNSET, old.term):
                self.require_source(caller, stored, old)
            new = replace(old, **given_fields(changes))
            if new == old:
                return old
            check_translatable(new)
            self._require_free(stored, new)
            new = replace(new, updated_at=now)
            self._store.write_terms(stored.id, [TermWrite(new)], now)
            self._glossaries.emit(caller, stored, "term.updated", [{"termId": new.id}])
        return new

    def delete_term(self, caller: Caller, glossary_id: str, term_id: str) -> Term:
        """Delete a term; needs the right to write all its translations. Raises
        GlossaryNotFound, PermissionDenied, TermNotFound, LanguageNotAssigned."""
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        with self._transactions.transaction():
            stored = self._glossaries.lock(stored)
            term = self.find(stored, term_id)
            self.require_source(caller, stored, term)
            now = timestamp(self._clock())
            self._store.write_terms(stored.id, [], now, deleted=[term.id])
            self._glossaries.emit(caller, stored, "term.deleted", [{"termId": term.id}])
        return term

    def require_source(
        self, caller: Caller, stored: StoredGlossary, term: Term
    ) -> None:
        """Require the right to change the text of a term, or to delete it; see
        LinkedAccess.require_source. Raises PermissionDenied, LanguageNotAssigned."""
        approve = APPROVE if stored.glossary.requires_approval else None
        self._linked.require_source(
            caller, WRITE, approve, stored.reach, term.translations
        )

    def applies(self, caller: Caller, stored: StoredGlossary) -> bool:
        """Return whether the caller's translations are approved at once (service.md,
        States)."""
        return not stored.glossary.requires_approval or self._linked.may(
            caller, APPROVE, stored.reach
        )

    def _require_free(self, stored: StoredGlossary, term: Term) -> None:
        text = spelling(term.term, case_sensitive=term.case_sensitive)
        wanted = [(term.case_sensitive, text)]
        for other in self._store.find_terms(stored.id, spellings=wanted):
            if other.id != term.id:
                message = f"the glossary already has the term {truncate(other.term)!r}"
                raise TermExists(message)

    def set_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        new: NewTermTranslation,
    ) -> Term:
        """Apply the value, or propose it where that needs approval and the caller
        cannot approve (service.md, States). "" clears.

        Raises GlossaryNotFound, PermissionDenied, ValidationFailed, TermNotFound,
        LanguageNotFound, LanguageNotAssigned, TermNotTranslatable.
        """
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        check_record(new)
        check_text(new.value, "$.value")
        tag = tag_from_path(lang)

        def set_(stored: StoredGlossary, old: Changed, at: Timestamp) -> Changed:
            if new.value:
                check_target(tag, stored.source_language, "path.lang")
            applies = self.applies(caller, stored)
            return written(old, tag, new.value, applies=applies, at=at)

        return self._write(caller, WRITE, stored, term_id, tag, set_)

    def clear_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> Term:
        """Set "" as ``set_translation``, but raise LanguageNotFound if there is no
        translation."""
        stored = self._glossaries.require(caller, WRITE, glossary_id)
        tag = tag_from_path(lang)

        def clear(stored: StoredGlossary, old: Changed, at: Timestamp) -> Changed:
            if old is None:
                raise LanguageNotFound("translation")
            return written(old, tag, "", applies=self.applies(caller, stored), at=at)

        return self._write(caller, WRITE, stored, term_id, tag, clear)

    def approve_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> Term:
        """Make the proposal, or the draft, the value. Raises GlossaryNotFound,
        PermissionDenied, TermNotFound, LanguageNotFound, LanguageNotAssigned,
        NothingPending."""
        stored = self._glossaries.require(caller, APPROVE, glossary_id)
        tag = tag_from_path(lang)

        def approve(_: StoredGlossary, old: Changed, at: Timestamp) -> Changed:
            return approved(old, at=at)

        return self._write(caller, APPROVE, stored, term_id, tag, approve, "approved")

    def reject_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        rejection: ProposalRejection = ProposalRejection(),
    ) -> Term:
        """Drop the proposal; an approved value stays. Raises as above."""
        stored = self._glossaries.require(caller, APPROVE, glossary_id)
        check_record(rejection)
        tag, reason = tag_from_path(lang), rejection.reason

        def reject(_: StoredGlossary, old: Changed, __: Timestamp) -> Changed:
            return rejected(old)

        return self._write(
            caller, APPROVE, stored, term_id, tag, reject, "rejected", reason=reason
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
            term = self.find(stored, term_id)
            self._linked.require_language(caller, permission, stored.reach, tag)
            old, now = translation_in(term, tag), timestamp(self._clock())
            new = transition(stored, old, now)
            if new == old:
                return term
            term = replace(with_translation(term, tag, new), updated_at=now)
            if new is None:
                write = TermWrite(term, dropped=[tag])
            else:
                check_translatable(term)
                write = TermWrite(term, changed=[new])
            self._store.write_terms(stored.id, [write], now)
            item = {"termId": term.id, "languageCode": tag}
            if reason is not None:
                item["reason"] = reason
            type_ = f"translation.{outcome or outcome_of_write(old, new)}"
            self._glossaries.emit(caller, stored, type_, [item])
        return term


def spelling(term: str, *, case_sensitive: bool) -> str:
    """Return what terms of one case rule share that are found in the same places."""
    text = exact(" ".join(term.split()))
    return text if case_sensitive else fold(text)


def check_text(text: str, path: str) -> None:
    """Refuse a text of white space, which is never found. Raises ValidationFailed."""
    if text and not text.strip():
        raise ValidationFailed.at(path, "length", "must not be blank")


def check_target(tag: str, source_language: str, path: str) -> None:
    """Refuse a translation into the source language. Raises ValidationFailed."""
    if tag == source_language:
        message = f"the terms of the glossary are in {tag}: it needs no translation"
        raise ValidationFailed.at(path, "language", message)


def values_by_tag(values: Mapping[str, str], source_language: str) -> dict[str, str]:
    """Return values by canonical language code, without empty ones. Raises
    ValidationFailed."""
    found: dict[str, str] = {}
    for code, value in values.items():
        tag = require_tag(code, "$.translations")
        path = f"$.translations.{tag}"
        if tag in found:
            message = f"{tag} is named twice, in two spellings"
            raise ValidationFailed.at(path, "unique", message)
        check_target(tag, source_language, path)
        check_text(value, path)
        found[tag] = value
    return {tag: value for tag, value in found.items() if value}


def check_translatable(term: Term) -> None:
    """Raise TermNotTranslatable for a translation that differs from a term with
    ``doNotTranslate`` (decisions 2.4.2)."""
    if not term.do_not_translate:
        return
    for each in term.translations:
        if {each.value, each.proposed_value} - {term.term, "", None}:
            raise TermNotTranslatable(each.language_code)


def translation_in(term: Term, language_code: str) -> Changed:
    """Return the translation of the term in a language."""
    found = (t for t in term.translations if t.language_code == language_code)
    return next(found, None)


def with_translation(term: Term, tag: str, new: Changed) -> Term:
    """Return the term with this translation in a language; None: without any."""
    codes = {each.language_code: each for each in term.translations}
    codes.pop(tag, None)
    if new is not None:
        codes[tag] = new
    return replace(term, translations=tuple(codes[code] for code in sorted(codes)))


def outcome_of_write(old: Changed, new: Changed) -> str:
    """Return what a write did, as its event is named: ``proposed`` or ``updated``."""
    proposal = new.proposed_value if new else None
    is_new = proposal is not None and proposal != (old.proposed_value if old else None)
    return "proposed" if is_new else "updated"
