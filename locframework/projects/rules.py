"""Decides what a project's languages may be."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import fields, replace

from locframework.access.rules import check_name
from locframework.errors import LanguageNotInProject, ValidationFailed, abbreviate
from locframework.fields import Timestamp, new_id
from locframework.languages import PLURAL_FORMS, language_info, require_tag
from locframework.pagination import PageRequest, SortedRequest

from .records import Direction, Language, LanguageChanges, NewLanguage

FOLLOWING = ("slug", "updated_at")  # fields that nobody sets


def check_plural_forms(forms: Sequence[str]) -> tuple[str, ...]:
    """Plural forms in CLDR order, each once; ``other`` is always among them."""
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
    """Refuse names of checks that nobody provides, save those that are ``kept``: a
    record can be sent back as it was read. Raises ValidationFailed."""
    for name in names:
        if name not in known and name not in kept:
            there = ", ".join(known)
            message = f"there is no check {abbreviate(name)!r}; available: {there}"
            raise ValidationFailed.at(f"{within}.{field}", "enum", message)


def check_fallback(
    language_code: str, fallback: str | None, fallbacks: Mapping[str, str | None]
) -> None:
    """Refuse a fallback that is not in the project or leads back to the language.

    ``fallbacks`` holds every language of the project with its own fallback.
    """
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
    """Return the canonical ``languageCodes`` of a body; None stands for all.

    ``kept`` are allowed although the project may no longer have them. Raises
    ValidationFailed, LanguageNotInProject.
    """
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
    """Where a missing text is looked for, in order: the fallbacks, then the source."""
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
    """A language as asked for, completed from CLDR."""
    known = language_info(tag)
    direction: Direction = "rtl" if known.direction == "rtl" else "ltr"
    fallback = new.fallback_language_code
    forms = known.plural_forms
    if new.plural_forms is not UNSET:
        forms = check_plural_forms(new.plural_forms)
    return Language(
        id=new_id(),
        project_id=project_id,
        language_code=tag,
        label=known.label if new.label is UNSET else check_name(new.label, "$.label"),
        icon=known.icon if new.icon is UNSET else new.icon,
        direction=direction if new.direction is UNSET else new.direction,
        is_source=is_source,
        fallback_language_code=_tag(fallback),
        plural_forms=forms,
        created_at=now,
    )


def check_changes(changes: LanguageChanges) -> None:
    """Refuse what no language may become. Raises ValidationFailed."""
    if changes.label is not UNSET:
        check_name(changes.label, "$.label")
    if changes.fallback_language_code is not UNSET:
        _tag(changes.fallback_language_code)
    if changes.plural_forms is not UNSET:
        check_plural_forms(changes.plural_forms)


def changed_language(old: Language, changes: LanguageChanges) -> Language:
    """A language with what ``changes`` names; its fallback is not judged here."""
    new = old
    if changes.label is not UNSET:
        new = replace(new, label=check_name(changes.label, "$.label"))
    if changes.icon is not UNSET:
        new = replace(new, icon=changes.icon)
    if changes.direction is not UNSET:
        new = replace(new, direction=changes.direction)
    if changes.fallback_language_code is not UNSET:
        tag = _tag(changes.fallback_language_code)
        new = replace(new, fallback_language_code=tag)
    if changes.plural_forms is not UNSET:
        forms = check_plural_forms(changes.plural_forms)
        new = replace(new, plural_forms=forms)
    return new


def changed_fields(old: Struct, new: Struct) -> list[str]:
    """The fields in which two records of one kind differ, as the API spells them;
    without those that follow from others."""
    return [
        field.encode_name
        for field in fields(old)
        if field.name not in FOLLOWING
        and getattr(old, field.name) != getattr(new, field.name)
    ]


def _tag(code: str | None) -> str | None:
    return None if code is None else require_tag(code, "$.fallbackLanguageCode")


def in_order(languages: list[Language], page: PageRequest) -> list[Language]:
    """Languages, given in the order of their project, as the page asks for them."""
    sort = page.sort if isinstance(page, SortedRequest) else ""
    if sort.endswith("languageCode"):
        languages = sorted(languages, key=lambda each: each.language_code)
    return languages[::-1] if sort.startswith("-") else languages
