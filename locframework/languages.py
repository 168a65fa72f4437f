"""Languages: canonical tags, names and plural forms from CLDR; case folding of text."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from decimal import Decimal
from functools import cache, lru_cache

import langcodes
from babel import Locale, UnknownLocaleError, localedata
from msgspec import Struct
from unicode_segmentation_rs import unicode_words

from .errors import LanguageNotFound, ValidationFailed, abbreviate

PLURAL_FORMS = ("zero", "one", "two", "few", "many", "other")
"""The CLDR plural categories, in the order in which they are listed."""

_RTL_SCRIPTS = frozenset(
    (
        "Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg",
        "Samr", "Sogd", "Syrc", "Syre", "Syrj", "Syrn", "Thaa",
    )
)  # fmt: skip
_MODIFIERS = {
    "latin": "Latn",
    "cyrillic": "Cyrl",
    "arabic": "Arab",
    "devanagari": "Deva",
    "iqtelif": "Latn",
    "ijekavian": "ijekavsk",
    "ijekavianlatin": "Latn-ijekavsk",
}  # of POSIX locale names; others are scripts and variants themselves
_COMMON_COUNTS = (*range(201), 1000)  # they take every form that is not rare
EXAMPLES_MOST = 3  # numbers of a plural form
_A = 0x1F1E6  # regional indicator letter A


class LanguageInfo(Struct, frozen=True):
    """What CLDR has about a language, with defaults for unknown ones."""

    label: str  # in English; the tag itself when unknown
    icon: str | None  # the flag of the tag's region, else of its likely one
    direction: str  # ltr or rtl
    plural_forms: tuple[str, ...]  # cardinal categories, in PLURAL_FORMS order


@lru_cache(maxsize=4096)
def canonical_tag(text: str) -> str | None:
    """Return ``text`` as canonical BCP-47 (``pt_br``: ``pt-BR``), or None (decisions
    2.1.4)."""
    if not text or len(text) > 100 or not text.isascii():
        return None
    tag = text.replace("_", "-")
    if not langcodes.tag_is_valid(tag):
        return None
    return langcodes.standardize_tag(tag)


def locale_tag(name: str) -> str | None:
    """Return the canonical tag of a POSIX locale name, or None when it is none.
    ``pt_BR.UTF-8`` is ``pt-BR``, ``sr@latin`` is ``sr-Latn``, ``en@shaw`` is
    ``en-Shaw``. A modifier that names neither a script nor a variant, such as
    ``@euro``, says nothing."""
    base, _, modifier = name.partition("@")
    parts = base.partition(".")[0].replace("_", "-").split("-")
    subtags = _MODIFIERS.get(modifier.lower(), modifier).split("-")
    exact = [*parts]
    for subtag in subtags if len(modifier) > 3 else ():
        exact.insert(len(exact) if len(subtag) > 4 else 1, subtag)
    return canonical_tag("-".join(exact)) or canonical_tag("-".join(parts))


def require_tag(text: str, path: str) -> str:
    """Return the canonical tag. Raises ValidationFailed at ``path``."""
    tag = canonical_tag(text)
    if tag is None:
        raise ValidationFailed.at(path, "language", explain_invalid_tag(text))
    return tag


def explain_invalid_tag(text: str) -> str:
    """Return what is wrong with a text that has no canonical tag."""
    short, tag = repr(abbreviate(text)), text.replace("_", "-")
    if len(text) <= 100 and text.isascii() and text[:2].isalpha():
        with suppress(ValueError):
            langcodes.get(tag)
            return f"{short} is well formed, but BCP-47 has no such language tag"
    return f"{short} is not a BCP-47 language tag"


def looks_like_word(tag: str) -> bool:
    """Return whether a canonical tag is letters alone that CLDR does not know. BCP-47
    has 8,000 of three letters, ``key``, ``tag``, ``url`` and ``max`` among them."""
    is_known = tag in Locale("en").languages or localedata.exists(tag)
    return tag.isalpha() and not is_known


def base_language(tag: str) -> str:
    """Return a canonical tag without script and region."""
    return tag.partition("-")[0]


def same_language(one: str, other: str) -> bool:
    """Return whether two canonical tags differ by script or region at most."""
    return base_language(one) == base_language(other)


def match_languages(
    codes: Collection[str], available: Collection[str]
) -> dict[str, str]:
    """Return which of the available languages the codes of a file stand for.

    All are canonical tags. An available one stands for itself. Another code stands for
    one that has the same likely script and region (``de-DE``: ``de``; ``zh-TW``:
    ``zh-Hant``), else, if it has no region, for one with a region (``pt``: ``pt-PT``),
    where there is one candidate and no other code for it. It never stands for another
    region's or, as ``fr-CA`` is not ``fr``, for the one without. Other codes are left
    out.
    """
    found = {code: code for code in codes if code in available}
    steps = (
        (_likely, codes, available),
        (
            _language,
            [code for code in codes if not _region(code)],
            [tag for tag in available if _region(tag)],
        ),
    )
    for form_of, unmatched, candidates in steps:
        free = _unique(form_of, set(candidates).difference(found.values()))
        wanted = _unique(form_of, set(unmatched).difference(found))
        both = wanted.keys() & free.keys()
        found |= {wanted[form]: free[form] for form in both}
    return found


@lru_cache(maxsize=4096)
def match_language(tag: str, available: frozenset[str]) -> str | None:
    """Return which of the available languages one tag stands for, or None."""
    return match_languages([tag], available).get(tag)


def _unique(form_of: Callable[[str], str], tags: Iterable[str]) -> dict[str, str]:
    """Return the tags by form, without those that share a form."""
    forms = {tag: form_of(tag) for tag in tags}
    counts = Counter(forms.values())
    return {form: tag for tag, form in forms.items() if counts[form] == 1}


def _region(tag: str) -> str | None:
    return langcodes.get(tag).territory


@lru_cache(maxsize=4096)
def _likely(tag: str) -> str:
    return _maximized(tag).to_tag()


@lru_cache(maxsize=4096)
def _language(tag: str) -> str:
    """Return language and script; the tag itself if it has more than a region."""
    likely = _maximized(tag)
    parts = likely.language, likely.script, likely.territory
    if likely.to_tag() != "-".join(part for part in parts if part):
        return tag
    return f"{likely.language}-{likely.script}"


def _maximized(tag: str) -> langcodes.Language:
    """Add likely script and region; ``no`` is Bokmål, ``nb``, as in CLDR."""
    language = langcodes.get(tag)
    if language.language == "no":
        language = language.update_dict({"language": "nb"})
    return language.maximize()


def tag_from_path(segment: str) -> str:
    """Return the tag of a path segment, without what follows the first ``.``. Raises
    LanguageNotFound (decisions 2.1.4)."""
    tag = canonical_tag(segment.partition(".")[0])
    if tag is None:
        raise LanguageNotFound
    return tag


@lru_cache(maxsize=1024)
def language_info(tag: str) -> LanguageInfo:
    """Return what CLDR has about a canonical tag; never fails."""
    language = langcodes.Language.get(tag)
    likely = language.maximize()
    locale = _locale(tag)
    rtl = (likely.script or "") in _RTL_SCRIPTS
    return LanguageInfo(
        label=(locale and locale.get_display_name("en")) or tag,
        icon=_flag(language.territory or (likely.territory if locale else None)),
        direction="rtl" if rtl else "ltr",
        plural_forms=_plural_forms(locale),
    )


@lru_cache(maxsize=1024)
def common_plural_forms(tag: str) -> frozenset[str]:
    """Return forms that integers under a million take; none for an unknown language."""
    locale = _locale(tag)
    if locale is None:
        return frozenset()
    return frozenset(locale.plural_form(count) for count in _COMMON_COUNTS)


@lru_cache(maxsize=1024)
def rare_plural_forms(tag: str) -> frozenset[str]:
    """Return forms that only fractions or millions take, such as ``many`` in French;
    none for an unknown language."""
    common = common_plural_forms(tag)
    return frozenset(language_info(tag).plural_forms) - common if common else common


@lru_cache(maxsize=1024)
def plural_examples(tag: str) -> dict[str, list[str]]:
    """Return numbers of each plural form, small ones first: three whole ones at most,
    else a fraction or a million; none for an unknown language."""
    locale = _locale(tag)
    found: dict[str, list[str]] = {}
    if locale is None:
        return found
    numbers = [*map(str, _COMMON_COUNTS), "1.5", "1000000"]
    for number in numbers:
        some = found.setdefault(locale.plural_form(Decimal(number)), [])
        if len(some) < EXAMPLES_MOST and (number.isdigit() or not some):
            some.append(number)
    return found


def _locale(tag: str) -> Locale | None:
    plain = langcodes.Language.get(tag)
    parts = (plain.language, plain.script, plain.territory)
    for name in ("_".join(part for part in parts if part), plain.language or ""):
        with suppress(UnknownLocaleError, ValueError, TypeError):
            return Locale.parse(name)
    return None


def _flag(territory: str | None) -> str | None:
    if territory is None or len(territory) != 2 or not territory.isalpha():
        return None
    return "".join(chr(_A + ord(letter) - ord("A")) for letter in territory.upper())


def _plural_forms(locale: Locale | None) -> tuple[str, ...]:
    tags = locale.plural_form.tags if locale else frozenset()
    return tuple(form for form in PLURAL_FORMS if form in tags or form == "other")


MARKS_LIMIT = 64  # that are ordered together; no script has ten behind one letter
_SHORT = 1000  # characters, which take a millisecond at most
_STEP = 8
_DOTTED_I = re.compile("i\u0307+")


def nfc(text: str) -> str:
    """Return ``text`` in Unicode's form NFC, in linear time. Python orders the marks
    behind a letter in quadratic time: 64 KiB of them held all threads of a process for
    3 s. So each 64 of more are ordered by themselves."""
    marks = _marks()
    sample = text[::_STEP] if len(text) > _SHORT else ""
    seen = "".join("m" if each in marks else " " for each in sample)
    if "m" * (MARKS_LIMIT // _STEP) not in seen:
        return unicodedata.normalize("NFC", text)
    pieces, start, run = [], 0, 0
    for end, each in enumerate(text, 1):
        run = run + 1 if each in marks else 0
        if run == MARKS_LIMIT:
            pieces.append(text[start:end])
            start, run = end, 0
    pieces.append(text[start:])
    return "".join(unicodedata.normalize("NFC", piece) for piece in pieces)


@cache
def _marks() -> frozenset[str]:
    """Return the characters that normalization orders, or that consist of such."""

    def is_mark(character: str) -> bool:
        first = unicodedata.normalize("NFD", character)[0]
        return unicodedata.combining(first) > 0

    return frozenset(filter(is_mark, map(chr, range(0x300, 0x20000))))


def fold(text: str) -> str:
    """Return ``text`` as search compares it: NFC with Unicode's full case folding.

    ``STRASSE`` is ``straße``. The dot of ``\u0130`` is case and no accent, in any
    language: ``istanbul`` is ``İstanbul``.
    """
    if text.isascii():
        return text.lower()
    folded = nfc(text).casefold()
    if "\u0307" in folded:
        folded = _DOTTED_I.sub("i", folded)
    return nfc(folded)  # folding may leave parts to compose


def collapse_white_space(text: str) -> str:
    """Return the text with single spaces, and none at the ends."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return ``text`` as concordance and lists by name compare it, without case and the
    width of white space, with accents."""
    return collapse_white_space(fold(text))


def count_words(text: str) -> int:
    """Return the number of words by the default boundaries of Unicode (UAX #29). A word
    is a piece between two boundaries with a letter or a digit. Each character of Han
    and Hiragana is a word, as translators are paid for them."""
    return len(unicode_words(text))
