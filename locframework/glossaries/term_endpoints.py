"""Terms of glossaries, and their translations, over HTTP (decisions 2.4)."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import (
    GlossaryNotFound,
    LanguageNotAssigned,
    LanguageNotFound,
    NothingPending,
    TermExists,
    TermNotFound,
    TermNotTranslatable,
)
from locframework.http.operation import operation
from locframework.http.records import Deleted
from locframework.pagination import Page

from .records import (
    NewTerm,
    NewTranslation,
    Rejection,
    Term,
    TermChanges,
    TermQuery,
)
from .terms import Terms
from .translations import TermTranslations

TAG = "Glossaries"
_TERM = "/glossaries/{glossaryId}/terms/{termId}"
_TRANSLATION = f"{_TERM}/translations/{{lang}}"
_ABSENT = (GlossaryNotFound, TermNotFound)


class TermAnswer(Struct, frozen=True):
    """One term."""

    term: Term


class TermEndpoints:
    """``/glossaries/{glossaryId}/terms``."""

    def __init__(self, terms: Terms, translations: TermTranslations) -> None:
        self._terms = terms
        self._translations = translations

    @operation(
        "GET",
        "/glossaries/{glossaryId}/terms",
        permission="glossary_read",
        errors=(GlossaryNotFound,),
        tag=TAG,
    )
    def list_terms(
        self, caller: Caller, glossary_id: str, query: TermQuery
    ) -> Page[Term]:
        """List the terms of a glossary.

        By term. `search` looks in terms, notes and translations, ignoring letter case.
        With `languageCode` only terms with a translation in that language are listed,
        and of their translations `search`, `status` and `hasProposal` look at that one.
        `status=untranslated` lists those without, and `hasProposal=false` them too.
        """
        return self._terms.list_terms(caller, glossary_id, query)

    @operation(
        "POST",
        "/glossaries/{glossaryId}/terms",
        permission="glossary_write",
        status=201,
        errors=(
            GlossaryNotFound,
            LanguageNotAssigned,
            TermExists,
            TermNotTranslatable,
        ),
        tag=TAG,
    )
    def create_term(
        self, caller: Caller, glossary_id: str, body: NewTerm
    ) -> TermAnswer:
        """Create a term.

        Its translations are applied, or proposed if the glossary requires approval and
        the caller cannot approve.
        """
        return TermAnswer(self._terms.create_term(caller, glossary_id, body))

    @operation("GET", _TERM, permission="glossary_read", errors=_ABSENT, tag=TAG)
    def get_term(self, caller: Caller, glossary_id: str, term_id: str) -> TermAnswer:
        """Get a term."""
        return TermAnswer(self._terms.get_term(caller, glossary_id, term_id))

    @operation(
        "PATCH",
        _TERM,
        permission="glossary_write",
        errors=(*_ABSENT, LanguageNotAssigned, TermExists, TermNotTranslatable),
        etag=True,
        tag=TAG,
    )
    def update_term(
        self, caller: Caller, glossary_id: str, term_id: str, body: TermChanges
    ) -> TermAnswer:
        """Change a term.

        What the body leaves out stays as it is. If approval is required and a
        translation is approved, changing `term` needs `glossary_approve`; its
        translations must be in languages assigned to the caller.
        """
        changed = self._terms.update_term(caller, glossary_id, term_id, body)
        return TermAnswer(changed)

    @operation(
        "DELETE",
        _TERM,
        permission="glossary_write",
        errors=(*_ABSENT, LanguageNotAssigned),
        tag=TAG,
    )
    def delete_term(self, caller: Caller, glossary_id: str, term_id: str) -> Deleted:
        """Delete a term with its translations.

        Needs what changing `term` would need.
        """
        return Deleted(self._terms.delete_term(caller, glossary_id, term_id).id)

    @operation(
        "PUT",
        _TRANSLATION,
        permission="glossary_write",
        errors=(*_ABSENT, LanguageNotFound, LanguageNotAssigned, TermNotTranslatable),
        etag=_TERM,
        tag=TAG,
    )
    def set_term_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        body: NewTranslation,
    ) -> TermAnswer:
        """Set a term translation.

        The value is applied; if the glossary requires approval and the caller cannot
        approve, it waits as `proposedValue`. "" clears the translation.
        """
        term = self._translations.set_translation(
            caller, glossary_id, term_id, lang, body
        )
        return TermAnswer(term)

    @operation(
        "DELETE",
        _TRANSLATION,
        permission="glossary_write",
        errors=(*_ABSENT, LanguageNotFound, LanguageNotAssigned),
        etag=_TERM,
        tag=TAG,
    )
    def clear_term_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> TermAnswer:
        """Clear a term translation.

        Like setting it to "": if that needs approval, clearing it becomes a proposal.
        """
        term = self._translations.clear_translation(caller, glossary_id, term_id, lang)
        return TermAnswer(term)

    @operation(
        "POST",
        f"{_TRANSLATION}/approve",
        permission="glossary_approve",
        errors=(*_ABSENT, LanguageNotFound, LanguageNotAssigned, NothingPending),
        tag=TAG,
    )
    def approve_term_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> TermAnswer:
        """Approve a term translation.

        The proposal, or the draft, becomes the value.
        """
        term = self._translations.approve_translation(
            caller, glossary_id, term_id, lang
        )
        return TermAnswer(term)

    @operation(
        "POST",
        f"{_TRANSLATION}/reject",
        permission="glossary_approve",
        errors=(*_ABSENT, LanguageNotFound, LanguageNotAssigned, NothingPending),
        tag=TAG,
    )
    def reject_term_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        body: Rejection,
    ) -> TermAnswer:
        """Reject a proposed term translation.

        The proposal is dropped, and what was approved stays. `reason` is sent with the
        event.
        """
        term = self._translations.reject_translation(
            caller, glossary_id, term_id, lang, body
        )
        return TermAnswer(term)
