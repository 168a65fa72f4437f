"""Finds the plurals that i18next keeps as suffixes of names."""

from collections.abc import Collection

from locframework.ports import PLURAL_FORMS


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
