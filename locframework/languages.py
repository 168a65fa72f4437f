"""Languages: canonical tags, names and plural forms from CLDR; case folding of text."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache

import langcodes
from babel import Locale, UnknownLocaleError, localedata
from msgspec import Struct

from .errors import LanguageNotFound, ValidationFailed, abbreviate

PLURAL_FORMS = ("zero", "one", "two", "few", "many", "other")
"""The CLDR plural categories, in the order in which they are listed."""

_RTL_SCRIPTS = frozenset(
    (
        "Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg",
        "Samr", "Sogd", "Syrc", "Syre", "Syrj", "Syrn", "Thaa",
    )
)  # fmt: skip
_A = 0x1F1E6  # regional indicator letter A


class LanguageInfo(Struct, frozen=True):
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
        raise ValidationFailed.at(path, "language", explain_invalid_tag(text))
    return tag


def explain_invalid_tag(text: str) -> str:
    """What is wrong with a text of which there is no canonical tag."""
    short, tag = repr(abbreviate(text)), text.replace("_", "-")
    if len(text) <= 100 and text.isascii() and text[:2].isalpha():
        with suppress(ValueError):
            langcodes.get(tag)
            return f"{short} is well formed, but BCP-47 has no such language tag"
    return f"{short} is not a BCP-47 language tag"


def looks_like_word(tag: str) -> bool:
    """Whether a canonical tag may well be a word: letters alone, and no language that
    CLDR has a name or data for. BCP-47 has 8,000 of three letters, ``key``, ``tag``,
    ``url`` and ``max`` among them.
    """
    is_known = tag in Locale("en").languages or localedata.exists(tag)
    return tag.isalpha() and not is_known


def same_language(one: str, other: str) -> bool:
    """Whether two canonical tags are of one language, whatever script or region."""
    return one.partition("-")[0] == other.partition("-")[0]


def match_languages(codes: Collection[str], there: Collection[str]) -> dict[str, str]:
    """Which of the languages that are there the codes of a file mean.

    All are canonical tags. What is there means itself. Another code means what differs
    by its likely script and region only (``de-DE``: ``de``; ``zh-TW``: ``zh-Hant``),
    else the language at large (``de-AT``: ``de``), where nothing else can be meant and
    no other code means the same. Codes that mean nothing are not in the answer.
    """
    meant = {code: code for code in codes if code in there}
    for spelt, of in (
        (_likely, there),
        (_at_large, [tag for tag in there if langcodes.get(tag).territory is None]),
    ):
        free = _told_apart(spelt, set(of).difference(meant.values()))
        asked = _told_apart(spelt, set(codes).difference(meant))
        meant |= {asked[form]: free[form] for form in asked.keys() & free.keys()}
    return meant


def _told_apart(spelt: Callable[[str], str], tags: Iterable[str]) -> dict[str, str]:
    """By how they are spelt, those that no other is spelt like."""
    forms = {tag: spelt(tag) for tag in tags}
    counts = Counter(forms.values())
    return {form: tag for tag, form in forms.items() if counts[form] == 1}


def _likely(tag: str) -> str:
    return _maximized(tag).to_tag()


def _at_large(tag: str) -> str:
    """Language and script; the tag itself where it tells more than a region."""
    likely = _maximized(tag)
    parts = likely.language, likely.script, likely.territory
    if likely.to_tag() != "-".join(part for part in parts if part):
        return tag
    return f"{likely.language}-{likely.script}"


def _maximized(tag: str) -> langcodes.Language:
    """With likely script and region; ``no`` is Bokmål, ``nb``, as in CLDR."""
    language = langcodes.get(tag)
    if language.language == "no":
        language = language.update_dict({"language": "nb"})
    return language.maximize()


def tag_from_path(segment: str) -> str:
    """The tag a path segment names: all from the first ``.`` on is dropped.

    Raises LanguageNotFound when it is no tag at all (decisions 2.1.4).
    """
    is_text = isinstance(segment, str)  # Python may give anything
    tag = canonical_tag(segment.partition(".")[0]) if is_text else None
    if tag is None:
        raise LanguageNotFound
    return tag


@lru_cache(maxsize=1024)
def language_info(tag: str) -> LanguageInfo:
    """What CLDR says of a canonical tag; never fails."""
    language = langcodes.Language.get(tag)
    likely = language.maximize()
    locale = _locale(tag)
    rtl = (likely.script or "") in _RTL_SCRIPTS
    return LanguageInfo(
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


# Python puts the marks behind a letter in order in quadratic time: 64 KiB of them held
# all threads of a process for 3 s.
MARKS_MOST = 64  # that are put in order together; no script has ten behind one letter
_SHORT = 1000  # characters, which take a millisecond at most
_STEP = 8

_DOTTED_I = re.compile("i\u0307+")


def nfc(text: str) -> str:
    """``text`` in Unicode's form NFC, in linear time.

    Of more than 64 marks behind one letter, each 64 are put in order by themselves.
    """
    if len(text) <= _SHORT or not _may_have_run(text):
        return unicodedata.normalize("NFC", text)
    return "".join(unicodedata.normalize("NFC", piece) for piece in _pieces(text))


def fold(text: str) -> str:
    """``text`` as search compares it: NFC and Unicode's full case folding.

    ``\u0130`` is ``i``: what it has more than ``I`` is no accent, but case. So
    ``STRASSE`` is ``straße``, and ``istanbul`` is ``İstanbul``, in any language.
    """
    if text.isascii():
        return text.lower()
    folded = nfc(text).casefold()
    if "\u0307" in folded:
        folded = _DOTTED_I.sub("i", folded)
    return nfc(folded)  # folding may leave parts to compose


def collapse_white_space(text: str) -> str:
    """Runs of white space to one space, none at the ends."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """As concordance and lists by name compare it (decisions 2.5.1): accents count,
    case and how wide white space is do not."""
    return collapse_white_space(fold(text))


def _may_have_run(text: str) -> bool:
    """Whether 64 marks may follow each other; looks at every eighth character."""
    marks = _marks()
    seen = "".join("m" if each in marks else " " for each in text[::_STEP])
    return "m" * (MARKS_MOST // _STEP) in seen


def _pieces(text: str) -> Iterator[str]:
    """The text, cut behind each 64 marks that follow each other."""
    marks, start, run = _marks(), 0, 0
    for end, each in enumerate(text, 1):
        run = run + 1 if each in marks else 0
        if run == MARKS_MOST:
            yield text[start:end]
            start, run = end, 0
    yield text[start:]


@cache
def _marks() -> frozenset[str]:
    """What has a class by which it is put in order, or is made of such marks."""
    return frozenset(filter(_is_mark, map(chr, range(0x300, 0x20000))))


def _is_mark(character: str) -> bool:
    first = unicodedata.normalize("NFD", character)[0]
    return unicodedata.combining(first) > 0
