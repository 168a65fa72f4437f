"""Reads what a body says of a key into the write that it asks for."""

from collections.abc import Container

from msgspec import UNSET

from locframework.errors import ValidationFailed, abbreviate

from .records import BulkKey, KeyWrite, NewKey
from .rules import check_key, clean_tags, tag_in_project, texts_by_form


def new_key_write(new: NewKey, codes: Container[str], separator: str) -> KeyWrite:
    """The write that makes a key. Raises all that is wrong with the body itself:

    InvalidKey, PluralMismatch, InvalidPluralForm, and what ``key_write`` raises.
    """
    check_key(new.key, separator)
    write = key_write(new, codes)
    for tag, text in write.values.items():
        texts_by_form(text, is_plural=new.is_plural, path=write.places[tag])
    return write


def key_write(
    new: NewKey | BulkKey,
    codes: Container[str],
    key_id: str | None = None,
    path: str = "$",
) -> KeyWrite:
    """The write that a body asks for, or a part of it at ``path``.

    ``codes``: the project's languages. Raises LanguageNotInProject, ValidationFailed.
    """
    places = {code: f"{path}.values.{abbreviate(code)}" for code in new.values}
    tags = {code: tag_in_project(code, codes, at) for code, at in places.items()}
    values = {tags[code]: text for code, text in new.values.items()}
    if len(values) < len(new.values):
        message = "names a language twice, in two spellings"
        raise ValidationFailed.at(f"{path}.values", "unique", message)
    return KeyWrite(
        name=new.key,
        key_id=key_id,
        description=new.description,
        tags=UNSET if new.tags is UNSET else clean_tags(new.tags, f"{path}.tags"),
        is_plural=new.is_plural,
        max_length=new.max_length,
        values=values,
        places={tag: places[code] for code, tag in tags.items()},
    )
