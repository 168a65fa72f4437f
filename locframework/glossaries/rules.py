"""Decides what terms may be, and what becomes of them and of their translations."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.rules import check_name
from locframework.errors import TermNotTranslatable, ValidationFailed
from locframework.fields import Timestamp, slug
from locframework.languages import fold, require_tag
from locframework.proposals.records import TermTranslation
from locframework.terminology.words import exact

from .records import Glossary, GlossaryChanges, Term, TermChanges


def spelling(term: str, *, case_sensitive: bool) -> str:
    """What tells a term from the others with the same case rule in its glossary.

    Terms with one spelling are found in the same places.
    """
    text = exact(" ".join(term.split()))
    return text if case_sensitive else fold(text)


def check_text(text: str, path: str) -> None:
    """Refuse a text of nothing but white space: it is found nowhere.

    Raises ValidationFailed. The empty text is the schema's to judge.
    """
    if text and not text.strip():
        raise ValidationFailed.at(path, "length", "must not be blank")


def check_target(tag: str, source_language: str, path: str) -> None:
    """Refuse a translation into the source language. Raises ValidationFailed."""
    if tag == source_language:
        message = f"the terms of the glossary are in {tag}: it needs no translation"
        raise ValidationFailed.at(path, "language", message)


def by_tag(values: Mapping[str, str], source_language: str) -> dict[str, str]:
    """The values by canonical language code. Raises ValidationFailed.

    Two spellings of one language are a fault; empty values are left out.
    """
    found: dict[str, str] = {}
    for code, value in values.items():
        path = "$.translations"
        tag = require_tag(code, path)
        if tag in found:
            message = f"{tag} is named twice, in two spellings"
            raise ValidationFailed.at(f"{path}.{tag}", "unique", message)
        check_target(tag, source_language, f"{path}.{tag}")
        check_text(value, f"{path}.{tag}")
        found[tag] = value
    return {tag: value for tag, value in found.items() if value}


def check_translatable(term: Term) -> None:
    """Where a term stays untranslated, refuse values and proposals that differ from it.

    Raises TermNotTranslatable. Source: decisions 2.4.2.
    """
    if not term.do_not_translate:
        return
    for each in term.translations:
        if {each.value, each.proposed_value} - {term.term, "", None}:
            raise TermNotTranslatable(each.language_code)


def translation_in(term: Term, language_code: str) -> TermTranslation | None:
    """What the term is in that language, or None."""
    for each in term.translations:
        if each.language_code == language_code:
            return each
    return None


def with_translations(term: Term, new: Iterable[TermTranslation]) -> Term:
    """The term with these instead of those in the same languages."""
    codes = {each.language_code: each for each in term.translations}
    codes |= {each.language_code: each for each in new}
    return replace(term, translations=tuple(codes[code] for code in sorted(codes)))


def without_translation(term: Term, language_code: str) -> Term:
    """The term without the translation in that language."""
    kept = [each for each in term.translations if each.language_code != language_code]
    return replace(term, translations=tuple(kept))


def changed_term(old: Term, changes: TermChanges, at: Timestamp) -> Term:
    """The term with what ``changes`` names; ``old`` itself when that is nothing new.

    Raises TermNotTranslatable.
    """
    new = old
    if changes.term is not UNSET:
        new = replace(new, term=changes.term)
    if changes.do_not_translate is not UNSET:
        new = replace(new, do_not_translate=changes.do_not_translate)
    if changes.case_sensitive is not UNSET:
        new = replace(new, case_sensitive=changes.case_sensitive)
    if changes.usage_status is not UNSET:
        new = replace(new, usage_status=changes.usage_status)
    if changes.notes is not UNSET:
        new = replace(new, notes=changes.notes)
    if new == old:
        return old
    check_translatable(new)
    return replace(new, updated_at=at)


def changed_glossary(
    old: Glossary, changes: GlossaryChanges, at: Timestamp
) -> Glossary:
    """The glossary with what ``changes`` names; ``old`` itself when that is nothing
    new. Raises ValidationFailed."""
    new = old
    if changes.name is not UNSET:
        name = check_name(changes.name)
        new = replace(new, name=name, slug=slug(name, old.id))
    if changes.source_language is not UNSET:
        tag = require_tag(changes.source_language, "$.sourceLanguage")
        new = replace(new, source_language=tag)
    if changes.requires_approval is not UNSET:
        new = replace(new, requires_approval=changes.requires_approval)
    return old if new == old else replace(new, updated_at=at)


def outcome_of_write(old: TermTranslation | None, new: TermTranslation | None) -> str:
    """Return what a write did, as its event is named: ``proposed`` or ``updated``."""
    proposal = new.proposed_value if new else None
    is_new = proposal is not None and proposal != (old.proposed_value if old else None)
    return "proposed" if is_new else "updated"
