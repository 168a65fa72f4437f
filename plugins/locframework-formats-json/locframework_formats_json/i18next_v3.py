"""The format json-i18next-v3: plurals by numbers in names, ``x_0``, or ``x_plural``."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from locframework.ports import (
    TREE_PATH,
    Detail,
    Entry,
    FileOptions,
    JsonDocument,
    fitted_forms,
    kept_in,
    quoted,
    whole_forms,
)

from .objects import NO_TREE, Leaf, Plurals
from .plain import RARE_FORMS, PlainJson, Writing, info_of

PLURAL = "_plural"
_SUFFIX = re.compile(rf"(.+?)({PLURAL}|_[0-5])", re.DOTALL)
_TWO = {"": "one", PLURAL: "other"}
_ORDERS = {
    "cy": ("one", "two", "other", "many"),
    "he": ("one", "two", "many", "other"),
    "kw": ("one", "two", "few", "other"),
    "lv": ("one", "other", "zero"),
    "mt": ("one", "few", "many", "other"),
    "sl": ("other", "one", "two", "few"),
    **dict.fromkeys(("cgg", "fa", "ht", "ka", "ky", "ug"), ("other",)),
    **dict.fromkeys(("br", "mai", "mi", "oc", "se", "tg", "yo"), ("one", "other")),
}
"""The forms by number where i18next v3 has others than CLDR, or in another order."""


def suffixes(language: str | None) -> dict[str, str]:
    """The form of each suffix in a language."""
    base = (language or "").partition("-")[0]
    forms = _ORDERS.get(base) or whole_forms(language)
    if len(forms) in (0, 2):
        return _TWO
    return {f"_{number}": form for number, form in enumerate(forms)}


class I18nextV3Json(PlainJson):
    """``{"items": "{{count}} item", "items_plural": "{{count}} items"}``.

    A language with one form, or more than two, has ``items_0``, ``items_1`` and so on.
    Source: i18next up to 20, and later ones with ``compatibilityJSON: "v3"``.
    """

    by_path = False
    info = info_of(
        "json-i18next-v3", "i18next v3", NO_TREE, RARE_FORMS, placeholders="i18next"
    )

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The texts of the tree, forms put together where the first of them stood."""
        found = super().leaves_of(document, options)
        by_key = {leaf.key: leaf for leaf in found}
        plurals, ends = Plurals(options), suffixes(options.language_code)
        groups: dict[str, dict[str, str]] = {}
        stems = {parts[1] for key in by_key if (parts := _SUFFIX.fullmatch(key))}
        for stem in sorted(stems):
            for each in (ends, _TWO):
                names = {stem + end: form for end, form in each.items()}
                there = {name: names[name] for name in names if name in by_key}
                others = there.keys() - {stem}
                known = plurals.known(stem, others, may_turn=plurals.is_source)
                is_whole = known is None and 1 < len(there) == len(names)
                if stem not in groups and (is_whole or (known and others)):
                    groups[stem] = there
        stem_of = {name: stem for stem, names in groups.items() for name in names}
        joined: dict[str, Leaf] = {}
        for leaf in found:
            stem = stem_of.get(leaf.key, leaf.key)
            names = groups.get(stem, {})
            if names and leaf.key not in names:
                told = f"{quoted(stem)} is left out: it is a plural, and its forms"
                document.warn(leaf.line, f"{told} are there too")
                continue
            name = str(leaf.path[-1]).removesuffix(leaf.key[len(stem) :])
            forms = {form: by_key[name].value for name, form in names.items()}
            plural = Leaf(stem, (*leaf.path[:-1], name), leaf.line, forms)
            joined.setdefault(stem, plural if names else leaf)
        return list(joined.values())

    def plain(self, to: Writing) -> Iterator[Entry]:
        """The texts, one for each form of a plural."""
        old = {e.key: e.value for e in super().leaves_of(to.template, to.options)}
        language = to.catalogue.language_code or to.options.source_language
        plurals = {entry.key for entry in to.catalogue.entries if entry.is_plural}
        for entry in to.catalogue.entries:
            key, value = entry.key, entry.value
            if not isinstance(value, Mapping):
                if key.endswith(PLURAL) and key.removesuffix(PLURAL) in plurals:
                    to.warnings.append(f"{quoted(key)} reads as a form of another key")
                yield replace(entry, is_plural=False)
            elif value:
                ends = suffixes(language)
                if key + PLURAL in old and value.keys() <= {"one", "other"}:
                    ends = _TWO
                elif key in old and "" not in ends:
                    yield _named(entry, "", old[key])
                is_new = not any(key + end in old for end in ends)
                empty = {} if is_new else dict.fromkeys(ends.values(), "")
                forms = {**empty, **value}
                texts = fitted_forms(key, forms, ends.values(), to.warnings)
                for end, text in zip(ends, texts, strict=True):
                    yield _named(entry, end, text or None)


def _named(entry: Entry, end: str, text: object) -> Entry:
    """A text of the entry, whose name has this suffix."""
    path = kept_in(entry.key_detail, "json").get(TREE_PATH)
    detail: Detail | None = None
    if isinstance(path, Sequence):
        detail = {"json": {TREE_PATH: [*path[:-1], f"{path[-1]}{end}"]}}
    value = text if isinstance(text, str) else None
    key = entry.key + end
    return replace(entry, key=key, value=value, is_plural=False, key_detail=detail)
