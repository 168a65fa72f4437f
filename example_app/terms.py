"""Creates the demo's glossary, which requires approval, with a proposal."""

from __future__ import annotations

from contextlib import suppress

from locframework import OPERATOR, Framework
from locframework.access.records import Caller, Organization
from locframework.errors import TermExists
from locframework.glossaries.records import (
    GlossaryQuery,
    NewGlossary,
    NewTerm,
    NewTranslation,
    TermQuery,
)
from locframework.projects.records import Project

GLOSSARY = "Words of Skerry"
PROPOSED = ("passenger", "de", "Fahrgast")
TERMS = (
    NewTerm(
        "crossing",
        notes="One trip of a ferry, from port to port",
        translations={"de": "Überfahrt", "fr": "traversée"},
    ),
    NewTerm("timetable", translations={"de": "Fahrplan", "fr": "horaires"}),
    NewTerm("passenger", translations={"de": "Passagier", "fr": "passager"}),
    NewTerm("Skerry", do_not_translate=True, case_sensitive=True),
    NewTerm("cheap", usage_status="forbidden", notes="Say “lowest price”"),
)


class Terms:
    """Creates the glossary. Each step can be repeated."""

    def __init__(self, framework: Framework, project: Project) -> None:
        self._framework = framework
        self._project = project

    def collect(self, organization: Organization, translator: Caller) -> None:
        """Create a glossary of the project, with a proposal of the translator."""
        glossary_id = self._glossary(organization)
        terms = self._framework.terms
        for new in TERMS:
            with suppress(TermExists):
                terms.create_term(OPERATOR, glossary_id, new)
        self._framework.glossaries.attach(OPERATOR, self._project.id, glossary_id)
        word, lang, value = PROPOSED
        query = TermQuery(search=word)
        [term] = terms.list_terms(OPERATOR, glossary_id, query).items
        self._framework.term_translations.set_translation(
            translator, glossary_id, term.id, lang, NewTranslation(value)
        )

    def _glossary(self, organization: Organization) -> str:
        glossaries = self._framework.glossaries
        query = GlossaryQuery(search=GLOSSARY)
        for found in glossaries.list_glossaries(OPERATOR, query).items:
            return found.id
        new = NewGlossary(
            name=GLOSSARY,
            source_language=self._project.source_language,
            requires_approval=True,
            organization_id=organization.id,
        )
        return glossaries.create_glossary(OPERATOR, new).id
