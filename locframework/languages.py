"""What is known of languages: canonical tags, and names and plurals from CLDR."""

from functools import lru_cache

import langcodes
from babel import Locale, UnknownLocaleError
from msgspec import Struct

from .errors import LanguageNotFound, ValidationFailed, mentioned

PLURAL_FORMS = ("zero", "one", "two", "few", "many", "other")
"""The CLDR plural categories, in the order in which they are listed."""

_RTL_SCRIPTS = frozenset(
    (
        "Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg",
        "Samr", "Sogd", "Syrc", "Syre", "Syrj", "Syrn", "Thaa",
    )
)  # fmt: skip
_A = 0x1F1E6  # regional indicator letter A


class LanguageFacts(Struct, frozen=True):
    """What CLDR says of a language, with answers for those it does not know."""

    label: str  # in English; the tag itself when unknown
    icon: str | None  # the flag of the tag's region, else of its likely one
    direction: str  # ltr or rtl
    plural_forms: tuple[str, ...]  # cardinal categories, in PLURAL_FORMS order


@lru_cache(maxsize=4096)
def canonical_tag(text: str) -> str | None:
    """``text`` as canonical BCP-47 (``pt_br`` is ``pt-BR``), or None if it is none.

    Source: decisions 2.1.4. Nothing is replaced by another language.
    """
    if not text or len(text) > 100 or not text.isascii():
        return None
    tag = text.replace("_", "-")
    if not langcodes.tag_is_valid(tag):
        return None
    return langcodes.standardize_tag(tag)


def require_tag(text: str, path: str) -> str:
    """The canonical tag. ValidationFailed, at ``path``, when it is none."""
    tag = canonical_tag(text)
    if tag is None:
        message = f"{mentioned(text)!r} is not a BCP-47 language tag"
        raise ValidationFailed.at(path, "language", message)
    return tag


def same_language(one: str, other: str) -> bool:
    """Whether two canonical tags are of one language, whatever script or region."""
    return one.partition("-")[0] == other.partition("-")[0]


def tag_in_path(segment: str) -> str:
    """The tag a path segment names: all from the first ``.`` on is dropped.

    Raises LanguageNotFound when it is no tag at all (decisions 2.1.4).
    """
    tag = canonical_tag(segment.partition(".")[0])
    if tag is None:
        raise LanguageNotFound
    return tag


@lru_cache(maxsize=1024)
def facts(tag: str) -> LanguageFacts:
    """What CLDR says of a canonical tag; never fails."""
    language = langcodes.Language.get(tag)
    likely = language.maximize()
    locale = _locale(tag)
    rtl = (likely.script or "") in _RTL_SCRIPTS
    return LanguageFacts(
        label=_label(locale, tag),
        icon=_flag(language.territory or (likely.territory if locale else None)),
        direction="rtl" if rtl else "ltr",
        plural_forms=_plural_forms(locale),
    )


@lru_cache(maxsize=1024)
def rare_plural_forms(tag: str) -> frozenset[str]:
    """Forms that only fractions or millions take: ``many`` in French, in Czech.

    Texts mostly do without. Empty for a language that CLDR does not know.
    """
    locale = _locale(tag)
    if locale is None:
        return frozenset()
    common = {locale.plural_form(count) for count in (*range(201), 1000)}
    return frozenset(_plural_forms(locale)) - common


def _locale(tag: str) -> Locale | None:
    plain = langcodes.Language.get(tag)
    parts = (plain.language, plain.script, plain.territory)
    try:
        return Locale.parse("_".join(part for part in parts if part))
    except (UnknownLocaleError, ValueError, TypeError):
        pass
    try:
        return Locale.parse(plain.language or "")
    except (UnknownLocaleError, ValueError, TypeError):
        return None


def _label(locale: Locale | None, tag: str) -> str:
    name = locale.get_display_name("en") if locale else None
    return name or tag


def _flag(territory: str | None) -> str | None:
    if territory is None or len(territory) != 2 or not territory.isalpha():
        return None
    return "".join(chr(_A + ord(letter) - ord("A")) for letter in territory.upper())


def _plural_forms(locale: Locale | None) -> tuple[str, ...]:
    tags = locale.plural_form.tags if locale else frozenset()
    return tuple(form for form in PLURAL_FORMS if form in tags or form == "other")
