"""Decides what a memory and its entries may hold."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.rules import check_name
from locframework.errors import (
    LanguageExists,
    LanguageNotInProject,
    Problem,
    ValidationFailed,
    abbreviate,
)
from locframework.fields import new_id, slug
from locframework.languages import canonical_tag, language_info, require_tag
from locframework.validation import given_fields

from .records import (
    VALUE_BYTES,
    MemoryChanges,
    MemoryLanguage,
    NewMemory,
    NewMemoryLanguage,
    NewValues,
    TranslationMemory,
)


def new_memory(new: NewMemory, at: str) -> TranslationMemory:
    """Return the memory that a body describes. Raise ValidationFailed."""
    id_, name = new_id(), check_name(new.name)
    return TranslationMemory(
        id=id_,
        slug=slug(name, id_),
        name=name,
        source_language=require_tag(new.source_language, "$.sourceLanguage"),
        min_match_percentage=new.min_match_percentage,
        penalties=new.penalties,
        requires_approval=new.requires_approval,
        entry_count=0,
        created_at=at,
        updated_at=at,
    )


def changed_memory(
    old: TranslationMemory, changes: MemoryChanges, at: str
) -> TranslationMemory:
    """Return the memory with the changes; ``old`` itself if nothing differs.

    Raise ValidationFailed.
    """
    fields = given_fields(changes)
    if changes.name is not UNSET:
        name = check_name(changes.name)
        fields |= {"name": name, "slug": slug(name, old.id)}
    if changes.penalties is not UNSET:
        penalties = given_fields(changes.penalties)
        fields["penalties"] = replace(old.penalties, **penalties)
    new = replace(old, **fields)
    return old if new == old else replace(new, updated_at=at)


def new_language(memory: TranslationMemory, new: NewMemoryLanguage) -> MemoryLanguage:
    """Return the target language of a body. Raise ValidationFailed."""
    tag = require_tag(new.language_code, "$.languageCode")
    label = (
        language_info(tag).label
        if new.label is UNSET
        else check_name(new.label, "$.label")
    )
    return MemoryLanguage(new_id(), memory.id, tag, label)


def new_languages(
    memory: TranslationMemory, codes: Sequence[str], path: str
) -> list[MemoryLanguage]:
    """Return the first target languages of a memory, each once.

    Raise ValidationFailed; LanguageExists for its source language.
    """
    tags = [require_tag(code, f"{path}[{at}]") for at, code in enumerate(codes)]
    if memory.source_language in tags:
        message = f"{memory.source_language} is the memory's source language"
        raise LanguageExists(message)
    return [
        MemoryLanguage(new_id(), memory.id, tag, language_info(tag).label)
        for tag in dict.fromkeys(tags)
    ]


def check_targets(
    memory: TranslationMemory, there: Collection[str], paths: Mapping[str, str]
) -> None:
    """Raise LanguageNotInProject for what is no target language of the memory.

    ``there`` are its target languages; ``paths``: by code, where the request names it.
    """
    problems = []
    for tag in sorted(set(paths) - set(there)):
        message = f"the memory has no language {tag}"
        if tag == memory.source_language:
            message = (
                f"the source texts of the memory are in {tag}: it cannot be a target"
            )
        problems.append(Problem(paths[tag], "language", message))
    if problems:
        messages = "; ".join(each.message for each in problems)
        raise LanguageNotInProject(messages, problems)


def check_source(text: str, path: str = "$.sourceText") -> str:
    """Return the source text. Raise ValidationFailed if it is blank."""
    if not text.strip():
        raise ValidationFailed.at(path, "length", "must not be blank")
    return text


def check_value(text: str, path: str = "$.value") -> str:
    """Return a value of at most 64 KiB; "" clears. Raise ValidationFailed."""
    if text and not text.strip():
        raise ValidationFailed.at(path, "length", "must not be blank")
    if len(text) * 4 > VALUE_BYTES and len(text.encode()) > VALUE_BYTES:
        message = f"must have at most {VALUE_BYTES} bytes in UTF-8"
        raise ValidationFailed.at(path, "length", message)
    return text


def values_by_tag(values: Mapping[str, str]) -> NewValues:
    """Return the values of a body that are not empty, by canonical language code.

    Raise LanguageNotInProject for what is no language, and ValidationFailed for one
    that is spelled in two ways and for an invalid value.
    """
    found: dict[str, str] = {}
    for code, value in values.items():
        tag = canonical_tag(code)
        if tag is None:
            message = f"the memory has no language {abbreviate(code)!r}"
            problem = Problem("$.translations", "language", message)
            raise LanguageNotInProject(message, [problem])
        if tag in found:
            message = f"{tag} is named twice, in two spellings"
            raise ValidationFailed.at(f"$.translations.{tag}", "unique", message)
        found[tag] = check_value(value, f"$.translations.{abbreviate(code)}")
    return {tag: value for tag, value in found.items() if value}
