"""Rules for terms, their translations, and changes of them."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.rules import check_name
from locframework.errors import TermNotTranslatable, ValidationFailed
from locframework.fields import Timestamp, slug
from locframework.languages import fold, require_tag
from locframework.proposals.records import TermTranslation
from locframework.terminology.words import exact
from locframework.validation import given_fields

from .records import Glossary, GlossaryChanges, Term, TermChanges


def spelling(term: str, *, case_sensitive: bool) -> str:
    """Return what terms with the same case rule share that are one term.

    Such terms are found in the same places of a text.
    """
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
    """Return the values that are not empty, by canonical language code.

    Raises ValidationFailed, also for two spellings of one language.
    """
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
    """Refuse translations that differ from a term with ``doNotTranslate``.

    Raises TermNotTranslatable. Source: decisions 2.4.2.
    """
    if not term.do_not_translate:
        return
    for each in term.translations:
        if {each.value, each.proposed_value} - {term.term, "", None}:
            raise TermNotTranslatable(each.language_code)


def translation_in(term: Term, language_code: str) -> TermTranslation | None:
    """Return the translation of the term in a language."""
    found = (t for t in term.translations if t.language_code == language_code)
    return next(found, None)


def with_translations(term: Term, new: Iterable[TermTranslation]) -> Term:
    """Return the term with these translations, which replace others in a language."""
    codes = {each.language_code: each for each in (*term.translations, *new)}
    return replace(term, translations=tuple(codes[code] for code in sorted(codes)))


def without_translation(term: Term, language_code: str) -> Term:
    """Return the term without its translation in a language."""
    kept = [each for each in term.translations if each.language_code != language_code]
    return replace(term, translations=tuple(kept))


def changed_term(old: Term, changes: TermChanges, at: Timestamp) -> Term:
    """Return the changed term, or ``old`` itself. Raises TermNotTranslatable."""
    new = replace(old, **given_fields(changes))
    if new == old:
        return old
    check_translatable(new)
    return replace(new, updated_at=at)


def changed_glossary(
    old: Glossary, changes: GlossaryChanges, at: Timestamp
) -> Glossary:
    """Return the changed glossary, or ``old`` itself. Raises ValidationFailed."""
    fields = given_fields(changes)
    if changes.name is not UNSET:
        name = check_name(changes.name)
        fields |= {"name": name, "slug": slug(name, old.id)}
    if changes.source_language is not UNSET:
        tag = require_tag(changes.source_language, "$.sourceLanguage")
        fields["source_language"] = tag
    new = replace(old, **fields)
    return old if new == old else replace(new, updated_at=at)


def outcome_of_write(old: TermTranslation | None, new: TermTranslation | None) -> str:
    """Return what a write did, as its event is named: ``proposed`` or ``updated``."""
    proposal = new.proposed_value if new else None
    is_new = proposal is not None and proposal != (old.proposed_value if old else None)
    return "proposed" if is_new else "updated"
