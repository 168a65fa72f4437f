"""The format json-go-i18n: an object for each message, or an array of them."""

from collections.abc import Iterator, Mapping

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    Json,
    JsonDocument,
    JsonObject,
    TreePath,
    kept_in,
    tree_key,
    with_other,
)

from .objects import NO_OTHER, without_duplicates
from .plain import PlainJson, Writing, info_of, plain_entry
from .trees import FORMS

TRANSLATION, DESCRIPTION, ARRAY = "translation", "description", "array"
_MEMBERS = FORMS | {TRANSLATION, DESCRIPTION, "id", "hash", "leftdelim", "rightdelim"}


class GoI18nJson(PlainJson):
    """``{"items": {"description": "In the cart", "one": "…", "other": "…"}}``.

    A message without plural forms may be a text. In files of version 1 of go-i18n,
    which Mattermost has, all is an array: ``[{"id": "items", "translation": "…"}]``.
    """

    id_ = "id"
    info = info_of(
        "json-go-i18n", "go-i18n", NO_OTHER, "delimiters, in new files", comments=True
    )

    def catalogue_of(self, document: JsonDocument, options: FileOptions) -> Catalogue:
        """The messages of a document. No language: files do not tell."""
        detail = {"json": {ARRAY: True}} if document.is_array else None
        entries = []
        for path, line, value in _messages(document.members):
            key, forms = tree_key(path, options.key_separator), _forms_in(value)
            is_plural = bool(options.plurals.get(key) or forms.keys() - {"other"})
            texts = {form: text for form, text in forms.items() if text} or None
            entry = Entry(
                key,
                texts if is_plural else forms.get("other"),
                is_plural,
                description=_rest_of(value).get(DESCRIPTION, ""),
                line=line,
                key_detail=detail,
            )
            entries.append(entry)
        found = without_duplicates(document, entries)
        return Catalogue(None, found, warnings=document.warnings)

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object] | list[object]:
        """A new file: an array if its messages have ids."""
        found = super().document_of(catalogue, options, warnings)
        values = found.values() if isinstance(found, Mapping) else found
        return [v for v in values if isinstance(v, dict) and "id" in v] or found

    def plain(self, to: Writing) -> Iterator[Entry]:
        """The texts of all members of messages; descriptions of the source language."""
        is_source = to.catalogue.language_code in (None, to.options.source_language)
        old = {
            tree_key(path, to.options.key_separator): (path, value)
            for path, _, value in _messages(to.template.members)
        }
        keys = {entry.key for entry in to.catalogue.entries}
        kept = (kept_in(entry.key_detail, "json") for entry in to.catalogue.entries)
        in_array = to.template.is_array or (
            not to.template.members and any(ARRAY in each for each in kept)
        )
        empty = [
            Entry(key)
            for key, (_, value) in old.items()
            if key not in keys and {*_forms_in(value).values()} == {""}
        ]
        for entry in (*to.catalogue.entries, *empty):  # these stay
            key, value = entry.key, entry.value
            path, was = old.get(key, ((key,), None))
            texts, rest = _forms_in(was), _rest_of(was)
            forms = {"other": value} if isinstance(value, str) else {**(value or {})}
            if not forms and (key not in old or any(texts.values())):
                continue
            if forms and {form for form, text in texts.items() if text} <= {"other"}:
                forms = with_other(key, forms, to.warnings)
            if in_array and key not in old:
                rest.setdefault("id", key)
            if is_source and entry.description:
                rest[DESCRIPTION] = entry.description
            for name, text in rest.items():
                yield plain_entry((*path, name), text)
            is_object = isinstance(was, JsonObject) or bool(rest)
            if "id" in rest or (isinstance(was, JsonObject) and TRANSLATION in was):
                path = (*path, TRANSLATION)
                inner = was.get(TRANSLATION) if isinstance(was, JsonObject) else None
                is_object = isinstance(inner, JsonObject)
            if is_object or len(forms) > 1:
                for form, text in forms.items():
                    yield plain_entry((*path, form), text)
            elif forms:
                yield plain_entry(path, forms["other"])


def _messages(
    value: Json, path: TreePath = (), line: int = 1
) -> Iterator[tuple[TreePath, int, Json]]:
    """The path, line and value of each message; elements of arrays are some too."""
    if path and (isinstance(value, str) or _is_one(value)):
        yield path, line, value
    elif isinstance(value, JsonObject):
        for place, name, inner in value.numbered():
            yield from _messages(inner, (*path, name), place)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _messages(inner, (*path, at), line)


def _is_one(value: Json) -> bool:
    return (
        isinstance(value, JsonObject)
        and value != {}
        and all(
            name == TRANSLATION
            or (name.lower() in _MEMBERS and not isinstance(each, (JsonObject, list)))
            for name, each in value.items()
        )
    )


def _forms_in(value: Json) -> dict[str, str]:
    """The texts of a message by plural form."""
    found = value.get(TRANSLATION, value) if isinstance(value, JsonObject) else value
    if isinstance(found, str):
        return {"other": found}
    forms = found if isinstance(found, JsonObject) else {}
    return {f: text for f in PLURAL_FORMS if isinstance(text := forms.get(f), str)}


def _rest_of(value: Json) -> dict[str, str]:
    """The texts of a message that are no forms."""
    found = value if isinstance(value, JsonObject) else {}
    names = FORMS | {TRANSLATION}
    return {n: t for n, t in found.items() if isinstance(t, str) and n not in names}
