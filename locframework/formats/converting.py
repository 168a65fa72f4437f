"""Converts entries for a format that fills in placeholders otherwise than theirs."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from .placeholders import (
    DIALECTS,
    Known,
    Unconvertible,
    convert_texts,
    icu_plural,
)
from .records import Entry, FormatInfo, Text

_DIALECT = "dialect:"
_OTHERS = ("c", "csharp", "chrome")  # with the signs of all but quotes
_ICU = ("icu", "arb", "fluent")  # have plurals in texts
DEFAULT_ARGUMENT = "count"


def with_dialect(entry: Entry, info: FormatInfo) -> tuple[str, ...]:
    """Return what a file of the format says of the placeholders of an entry; nothing
    more if it reads the same in all dialects."""
    texts = (*_forms(entry.value).values(), *_forms(entry.source).values())
    if info.placeholders and (
        entry.is_plural or any(map(_signs(info.placeholders, *_OTHERS).search, texts))
    ):
        return (*entry.format_flags, _DIALECT + info.placeholders)
    return entry.format_flags


@cache
def _signs(*dialects: str) -> re.Pattern[str]:
    """Finds what may have to be converted."""
    return re.compile("|".join(DIALECTS[each].signs.pattern for each in dialects))


@cache
def dialect_of(flags: tuple[str, ...]) -> str:
    """Return the dialect of a text, from a format or from gettext's flags; "" if it is
    not known."""
    for flag in flags:
        name = flag.removeprefix(_DIALECT).removesuffix("-format")
        if name in DIALECTS:
            return name
    return ""


def plural_argument(flags: Sequence[str]) -> str:
    """Return the name of the number that chooses a plural form, or ""."""
    return next((f.removesuffix(":plural") for f in flags if ":plural" in f), "")


def may_convert(entry: Entry, info: FormatInfo) -> bool:
    """Return whether ``convert_entry`` may change an entry or warn of it."""
    return info.placeholders != "" and (
        dialect_of(entry.format_flags) not in ("", info.placeholders)
        or (
            entry.is_plural
            and info.placeholders in _ICU
            and not plural_argument(entry.format_flags)
        )
    )


def convert_entry(
    entry: Entry, source: Text | None, info: FormatInfo, warnings: list[str]
) -> Entry:
    """Return the entry with its texts as the format has them.

    ``source`` is the source text of its key. What cannot be converted stays, with a
    warning.
    """
    if not may_convert(entry, info):
        return entry
    origin_name, target_name = dialect_of(entry.format_flags), info.placeholders
    key, value, flags = entry.name or entry.key, entry.value, entry.format_flags
    plural = plural_argument(flags)
    origin, is_plural = DIALECTS.get(origin_name), entry.is_plural
    if origin is not None and origin_name != target_name:
        search = _signs(origin_name, target_name).search
        if (
            isinstance(value, str)
            and isinstance(source, str)
            and not (search(value) or search(source))
        ):
            return entry
        if origin_name == "icu" and not is_plural and (of := _icu_plural(source)):
            plural, source = of
            is_plural, origin = True, DIALECTS["icu-plural"]
            if own := _icu_plural(value):
                value = own[1]
            elif isinstance(value, str):
                value = {"other": value}
        plural = plural or origin.plural
        texts, sources, known = _forms(value), _forms(source), _known(flags, plural)
        target = DIALECTS[target_name]
        if is_plural and target_name == "icu":
            target = DIALECTS["icu-plural"]
        try:
            made = convert_texts(
                [*texts.values()], _in_order(sources), known, origin, target
            )
        except Unconvertible as refusal:
            warnings.append(f"{key}: the placeholders are not converted: {refusal}")
        else:
            forms = dict(zip(texts, made, strict=True))
            value = forms if isinstance(value, Mapping) else forms.get("", value)
        plural = target.plural or plural
    if is_plural and target_name in _ICU and value and not plural:
        told = f"the variable of its plural is not known: it is {DEFAULT_ARGUMENT}"
        warnings.append(f"{key}: {told}")
    flags = (f"{plural}:plural",) if plural and is_plural else ()
    return replace(entry, value=value, is_plural=is_plural, format_flags=flags)


def _forms(value: Text | None) -> Mapping[str, str]:
    return {"": value} if isinstance(value, str) else value or {}


def _in_order(sources: Mapping[str, str]) -> list[str]:
    """The source texts, so that names are numbered as in ``other``."""
    return [sources[form] for form in sorted(sources, key="other".__ne__)]


def _icu_plural(value: Text | None) -> tuple[str, dict[str, str]] | None:
    return icu_plural(value) if isinstance(value, str) else None


def _known(flags: Sequence[str], plural: str) -> Known:
    """What the file said: ``NAME:POSITION`` and ``NAME:int``."""
    said = [flag.rpartition(":") for flag in flags if not flag.startswith(_DIALECT)]
    positions = {name: int(what) for name, _, what in said if what.isdecimal()}
    numbers = {name for name, _, what in said if what == "int"} | {plural}
    return Known(positions, {}, numbers - {""}, plural)
