"""The format json-nextcloud: texts by source text, plurals by gettext's rule."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    JsonDocument,
    JsonObject,
    TreePath,
    fitted_forms,
    forms_of_rule,
    kept_in,
    quoted,
    rule_from_cldr,
    unreadable,
)

from .objects import Leaf
from .plain import PlainJson, Writing, info_of, plain_entry

TRANSLATIONS, RULE = "translations", "pluralForm"


class NextcloudJson(PlainJson):
    """``{"translations": {"Note": "Notiz"}, "pluralForm": "nplurals=2; …"}``.

    A plural has the name ``_%n note_::_%n notes_``, and an array of its forms.
    """

    info = info_of(
        "json-nextcloud",
        "Nextcloud",
        "plural forms that the rule of the file does not have",
    )

    def catalogue_of(self, document: JsonDocument, options: FileOptions) -> Catalogue:
        """The catalogue, with the rule."""
        detail = {"json": {RULE: document.members.get(RULE)}}
        return replace(super().catalogue_of(document, options), detail=detail)

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The translations. Raises UnreadableFile if there can be none."""
        empty = JsonObject() if RULE in document.members else None
        members = document.members.get(TRANSLATIONS, empty)
        if not isinstance(members, JsonObject):
            document.raise_any()
            raise unreadable(1, "kind", f"the file has no {TRANSLATIONS}")
        forms = _forms(document.members.get(RULE), options.language_code)
        found = []
        for line, name, value in members.numbered():
            if isinstance(value, list):
                texts = _by_form(forms, value)
                found.append(Leaf(name, (name,), line, texts))
                if len(texts) < len([text for text in value if text]):
                    told = "has more texts than its plural rule has forms"
                    document.warn(line, f"{quoted(name)} {told}")
            elif isinstance(value, str):
                found.append(Leaf(name, (name,), line, value))
        return found

    def has_to_keep(self, path: TreePath, separator: str) -> bool:
        """Whether the key does not tell where it stands: it does."""
        return False

    def plain(self, to: Writing) -> Iterator[Entry]:
        """The texts, those of plurals by number, and the rule at the end."""
        language = to.catalogue.language_code or to.options.source_language
        members = to.template.members
        own = kept_in(to.catalogue.detail, "json").get(RULE)
        rule, usual = members.get(RULE) or own, _forms(None, language)
        is_foreign = own is None and not {*usual} <= {*_forms(rule, language)}
        if is_foreign or not isinstance(rule, str):  # is that of another language
            rule, _ = rule_from_cldr(language, ())
        forms, old = _forms(rule, language), members.get(TRANSLATIONS)
        for entry in to.catalogue.entries:
            key, value = entry.key, entry.value
            if not isinstance(value, Mapping):
                yield plain_entry((TRANSLATIONS, key), value)
                continue
            was = old.get(key) if isinstance(old, JsonObject) else None
            texts: Sequence[object] = was if isinstance(was, list) and value else ()
            if value and _by_form(forms, texts) != value:
                names = [form or "other" for form in forms]
                texts = fitted_forms(key, value, names, to.warnings)
            for at, text in enumerate(texts):
                said = text if isinstance(text, str) else None
                yield plain_entry((TRANSLATIONS, key, at), said)
        others = {n: text for n, text in members.items() if isinstance(text, str)}
        if RULE in others or not members:
            others[RULE] = rule
        for name, text in others.items():
            yield plain_entry((name,), text)


def _by_form(forms: Sequence[str | None], texts: Sequence[object]) -> dict[str, str]:
    pairs = zip(forms, texts, strict=False)
    return {f: text for f, text in pairs if f and isinstance(text, str) and text}


def _forms(rule: object, language: str | None) -> Sequence[str | None]:
    """The form of each text of a plural; by CLDR's rule where the file's is wrong."""
    try:
        return forms_of_rule(rule if isinstance(rule, str) else None, language or "en")
    except ValueError:
        return forms_of_rule(None, language or "en")
