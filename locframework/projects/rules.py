"""Rules of projects and their languages."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import fields, replace

from locframework.access.rules import check_name
from locframework.errors import (
    LanguageNotInProject,
    UnknownProvider,
    ValidationFailed,
    abbreviate,
)
from locframework.fields import Timestamp, new_id
from locframework.languages import PLURAL_FORMS, language_info, require_tag
from locframework.validation import given_fields

from .records import AiChanges, AiSettings, Language, LanguageChanges, NewLanguage

FOLLOWING = ("slug", "updated_at")  # fields that nobody sets


def check_plural_forms(forms: Sequence[str]) -> tuple[str, ...]:
    """Return plural forms in CLDR order, each once; ``other`` is always among them."""
    for at, form in enumerate(forms):
        if form not in PLURAL_FORMS:
            message = f"{abbreviate(form)!r} is not one of {', '.join(PLURAL_FORMS)}"
            raise ValidationFailed.at(f"$.pluralForms[{at}]", "enum", message)
    return tuple(form for form in PLURAL_FORMS if form in forms or form == "other")


def require_checks(
    names: Iterable[str],
    known: Collection[str],
    field: str,
    within: str = "$",
    *,
    kept: Collection[str] = (),
) -> None:
    """Raise ValidationFailed for unknown names of checks, unless they are ``kept``."""
    for name in names:
        if name not in known and name not in kept:
            there = ", ".join(known)
            message = f"there is no check {abbreviate(name)!r}; available: {there}"
            raise ValidationFailed.at(f"{within}.{field}", "enum", message)


def require_provider(name: str, known: Collection[str]) -> None:
    """Raise UnknownProvider unless an engine of machine translation has the name."""
    if name not in known:
        there = ", ".join(sorted(known)) or "none is installed"
        message = f"no plugin provides {abbreviate(name)!r}; there are: {there}"
        raise UnknownProvider(message)


def changed_ai(
    old: AiSettings,
    changes: AiChanges,
    languages: Collection[str],
    known: Collection[str],
) -> AiSettings:
    """Return the settings with the changes. ``languages``: of the project; ``known``:
    the engines. What ``old`` names already is allowed. Raises ValidationFailed,
    LanguageNotInProject, UnknownProvider."""
    fields: dict[str, Any] = given_fields(changes)
    for name in {"providers", "language_instructions"} & fields.keys():
        tags = {require_tag(code, "$.ai"): each for code, each in fields[name].items()}
        for tag in tags:
            if tag not in languages and tag not in getattr(old, name):
                raise LanguageNotInProject(f"the project has no language {tag!r}")
        fields[name] = tags
    new = replace(old, **fields)
    kept = {old.provider, *old.providers.values()}
    for provider in (new.provider, *new.providers.values()):
        if provider is not None and provider not in kept:
            require_provider(provider, known)
    return new


def check_fallback(
    language_code: str, fallback: str | None, fallbacks: Mapping[str, str | None]
) -> None:
    """Raise LanguageNotInProject, or ValidationFailed for a circle. ``fallbacks``: of
    every language of the project."""
    if fallback is None:
        return
    if fallback not in fallbacks:
        raise LanguageNotInProject(f"the project has no language {fallback!r}")
    step: str | None = fallback
    while step is not None:
        if step == language_code:
            message = f"{fallback} itself falls back to {language_code}"
            raise ValidationFailed.at("$.fallbackLanguageCode", "cycle", message)
        step = fallbacks.get(step)


def require_languages(
    codes: list[str] | None, languages: Sequence[Language], kept: Collection[str] = ()
) -> tuple[str, ...] | None:
    """Return the canonical ``languageCodes`` of a body; None stands for all. ``kept``
    are allowed although the project may no longer have them. Raises ValidationFailed,
    LanguageNotInProject."""
    if codes is None:
        return None
    present = {*kept, *(language.language_code for language in languages)}
    tags = [
        require_tag(code, f"$.languageCodes[{at}]") for at, code in enumerate(codes)
    ]
    for tag in tags:
        if tag not in present:
            raise LanguageNotInProject(f"the project has no language {tag!r}")
    return tuple(dict.fromkeys(tags))


def fallback_chain(
    language_code: str, fallbacks: Mapping[str, str | None], source_language: str
) -> list[str]:
    """Return where a missing text is looked up: in the fallbacks, then the source."""
    chain: list[str] = []
    step = fallbacks.get(language_code)
    while step is not None and step not in chain:
        chain.append(step)
        step = fallbacks.get(step)
    if source_language not in (*chain, language_code):
        chain.append(source_language)
    return chain


def new_language(
    project_id: str,
    tag: str,
    new: NewLanguage,
    now: Timestamp,
    *,
    is_source: bool = False,
) -> Language:
    """Return a language as asked for, completed from CLDR. Raises ValidationFailed."""
    known = language_info(tag)
    language = Language(
        id=new_id(),
        project_id=project_id,
        language_code=tag,
        label=known.label,
        icon=known.icon,
        direction="rtl" if known.direction == "rtl" else "ltr",
        is_source=is_source,
        fallback_language_code=None,
        plural_forms=known.plural_forms,
        created_at=now,
    )
    return replace(language, **language_fields(new))


def language_fields(given: NewLanguage | LanguageChanges) -> dict[str, object]:
    """Return the fields of a language that a request sets. Raises ValidationFailed."""
    values = given_fields(given)
    values.pop("language_code", None)
    if given.label is not UNSET:
        values["label"] = check_name(given.label, "$.label")
    if isinstance(given.fallback_language_code, str):
        tag = require_tag(given.fallback_language_code, "$.fallbackLanguageCode")
        values["fallback_language_code"] = tag
    if given.plural_forms is not UNSET:
        values["plural_forms"] = check_plural_forms(given.plural_forms)
    return values


def changed_fields(old: Struct, new: Struct) -> list[str]:
    """Return the fields that differ, as the API spells them, but not FOLLOWING."""
    return [
        field.encode_name
        for field in fields(old)
        if field.name not in FOLLOWING
        and getattr(old, field.name) != getattr(new, field.name)
    ]
