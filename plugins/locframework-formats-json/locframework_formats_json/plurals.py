"""Plural forms in JSON: as objects by CLDR form, and as i18next's suffixes."""

from collections.abc import Collection, Iterable, Mapping
from typing import TypeGuard

from locframework.ports import PLURAL_FORMS, Entry, Text

from .strict_json import Json, quoted

Forms = dict[str, str | None]  # as a file has them; null: no text

FORMS = frozenset(PLURAL_FORMS)
_TEXTS = frozenset({str, type(None)})


def is_forms(value: Json) -> TypeGuard[dict[str, str]]:
    """Whether it is an object of texts by plural form, one at least."""
    return is_plural(value) and None not in value.values()


def is_plural(value: Json) -> TypeGuard[Forms]:
    """The same where a form may be null, which is to have no text."""
    return (
        isinstance(value, dict)
        and value != {}
        and FORMS.issuperset(value)
        and _TEXTS.issuperset(map(type, value.values()))
    )


def is_whole_plural(value: Json) -> TypeGuard[Forms]:
    """``is_plural`` with ``other`` among the forms, which every language has."""
    return isinstance(value, dict) and "other" in value and is_plural(value)


def is_never_plural(value: Json) -> TypeGuard[Forms]:
    """For formats that have no objects of forms."""
    return False


def in_order(forms: Mapping[str, str]) -> dict[str, str]:
    """The same forms in the order zero, one, two, few, many, other."""
    return {form: forms[form] for form in PLURAL_FORMS if form in forms}


def whole_texts(entries: Iterable[Entry], warnings: list[str]) -> dict[str, Text]:
    """The text of each key that has one, plural forms in order.

    For the formats in which only ``other`` makes a plural. One without it (gettext's
    Polish has none) says there what its last form says, with a warning: clients find a
    message, and nothing is lost.
    """
    texts: dict[str, Text] = {}
    for entry in entries:
        value = entry.value
        if type(value) is str:
            texts[entry.key] = value
        elif isinstance(value, Mapping) and value:
            forms = in_order(value)
            last = next(reversed(forms))
            if last != "other":
                forms["other"] = forms[last]
                told = f"has no text for 'other', so that for '{last}' stands there too"
                warnings.append(f"{quoted(entry.key)} {told}")
            texts[entry.key] = forms
    return texts


def plural_groups(names: Collection[str], separator: str) -> dict[str, dict[str, str]]:
    """Which names are the forms of one plural key: key to form to name.

    ``x_zero`` to ``x_other``, when ``x_other`` is there and ``x`` itself is not.
    """
    groups = {}
    for name in [name for name in names if name.endswith("_other")]:
        key = name.removesuffix("_other")
        if key not in names and _can_be_plural(key, separator):
            groups[key] = {
                form: f"{key}_{form}"
                for form in PLURAL_FORMS
                if f"{key}_{form}" in names
            }
    return groups


def _can_be_plural(key: str, separator: str) -> bool:
    """Ordinals, ``x_ordinal_other``, are left as they are; so is a bare ``_other``."""
    return key != "" and not key.endswith((separator, "_ordinal"))
