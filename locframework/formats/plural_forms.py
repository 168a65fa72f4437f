"""Maps plural forms by gettext's rules, ``msgstr[i]``, to those of CLDR and back."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from gettext import c2py
from itertools import permutations

from babel import Locale, UnknownLocaleError
from babel.plural import PluralRule
from msgspec import Struct

from locframework.errors import truncate

from .records import PLURAL_FORMS

MOST_FORMS = 20  # no language has more than six; bounds what a header can ask for
SAMPLES = (
    *range(201),
    *(1000, 1001, 1002, 10_000, 100_000, 1_000_000, 1_000_001, 2_000_000),
)
"""The counts by which rules are compared; enough to tell all CLDR rules apart."""

NO_PLURAL_RULE = "nplurals=1; plural=0;"
_RULE = re.compile(  # what is before and behind, gettext does not read
    r"(?:.*?\W)?nplurals\s*=\s*([0-9]{1,9})\s*;\s*plural\s*=([^;]*)(?:;.*)?"
)


class Rule(Struct, frozen=True):
    """How many plural forms there are, and which one each sample takes."""

    count: int
    indices: tuple[int, ...]  # by position in SAMPLES


@lru_cache(maxsize=512)
def parse_plural_rule(text: str) -> Rule:
    """The rule that ``Plural-Forms: <text>`` states.

    Raises ValueError, with a sentence, for what is no rule, divides by zero, or
    gives an index that ``nplurals`` does not allow.
    """
    match = _RULE.fullmatch(text)
    if match is None:
        raise ValueError("Plural-Forms is not nplurals=…; plural=…;")
    count = int(match[1])
    if not 1 <= count <= MOST_FORMS:
        raise ValueError(f"nplurals is not between 1 and {MOST_FORMS}")
    try:
        index_of = c2py(match[2].strip())
        indices = tuple(map(index_of, SAMPLES))
    except ZeroDivisionError:
        raise ValueError("the plural expression divides by zero") from None
    except ValueError as error:
        raise ValueError(truncate(str(error))) from None
    if min(indices) < 0 or max(indices) >= count:
        raise ValueError("the plural expression gives a number beyond nplurals")
    return Rule(count, indices)


_SPARE = ("many", "few", "two", "zero", "one", "other")
"""In which order forms are given to indices that no sample tells apart."""

_FORMER = {"he": ("many",), "iw": ("many",)}  # of CLDR before 42, and in many headers
_UNKNOWN = PluralRule({"one": "n in 1"})  # what gettext assumes without a rule
_COMMON = 1000  # a form that no count below takes is left out until it is used
_RELATION = re.compile(r"([a-z])(?: mod (\d+))? (not )?in ([\d.,]+)")


@lru_cache(maxsize=512)
def forms_of_rule(rule: str | None, language: str) -> tuple[str | None, ...]:
    """The CLDR form of each ``msgstr[i]`` under a Plural-Forms text.

    Each form stands once. An index gets the form that CLDR gives to most of its
    counts; one that no count reaches gets a form of the language that is left. None:
    the index is one more than CLDR has, as KDE's for exactly 1 in Russian. A ``rule``
    of None is no rule: CLDR's forms of the common whole numbers. Raises ValueError for
    a rule that is none.
    """
    if rule is None:
        return gettext_forms(language)
    counts = weights_of_rule(rule, language)
    weights = [dict(count) for count in counts[: len(PLURAL_FORMS)]]
    for form in PLURAL_FORMS:
        preference = len(_SPARE) - _SPARE.index(form)
        preference += 10 if form in _in_language(language) else 0
        for weight in weights:
            weight[form] += preference
    best = max(
        permutations(PLURAL_FORMS, len(weights)),
        key=lambda forms: sum(
            weight[form] for weight, form in zip(weights, forms, strict=True)
        ),
    )
    forms = [*best, *[None] * (len(counts) - len(best))]
    return tuple(
        form if form and _may_be(form, count, language) else None
        for form, count in zip(forms, counts, strict=True)
    )


def _may_be(form: str, counts: Mapping[str, int], language: str) -> bool:
    """Whether an index with these counts by CLDR form can be the form."""
    if _cldr(language) is _UNKNOWN or form in _FORMER.get(language, ()):
        return True
    return counts[form] > 0 if any(counts.values()) else form in _in_language(language)


@lru_cache(maxsize=512)
def weights_of_rule(rule: str, language: str) -> list[dict[str, int]]:
    """How many hundred samples of each CLDR form each ``msgstr[i]`` of a rule takes."""
    parsed = parse_plural_rule(rule)
    cldr = _cldr(language)
    weights = [dict.fromkeys(PLURAL_FORMS, 0) for _ in range(parsed.count)]
    for sample, index in zip(SAMPLES, parsed.indices, strict=True):
        weights[index][cldr(sample)] += 100
    return weights


def main_forms(rule: str, language: str) -> tuple[str, ...]:
    """The CLDR form of most numbers of each ``msgstr[i]``; one may stand twice."""
    return tuple(
        max(PLURAL_FORMS, key=lambda form: (weight[form], form == "other"))
        for weight in weights_of_rule(rule, language)
    )


def with_spares(forms: tuple[str | None, ...], language: str) -> tuple[str | None, ...]:
    """``forms``, then those of the language that are left, for the ``msgstr[i]`` beyond
    a rule; of a language that CLDR does not know, any that are left."""
    wanted = _in_language(language)
    if _cldr(language) is _UNKNOWN:
        wanted = frozenset(PLURAL_FORMS)
    return (*forms, *(f for f in _SPARE if f not in forms and f in wanted))


def rule_instead(
    rule: str | None, language: str, counts: set[int]
) -> tuple[str, tuple[str, ...]] | None:
    """CLDR's rule and forms where the messages follow it and not the file's ``rule``.

    ``counts`` is how many texts the translated plural messages have. When they all
    have as many as CLDR has forms for the language, and ``rule`` asks for another
    number, the header is a left-over: services that hand out CLDR's forms leave it
    behind (3 % of Django's catalogues). ``rule`` None stands for one of the common
    forms. None when the rule can be right.
    """
    count = (
        len(gettext_forms(language)) if rule is None else parse_plural_rule(rule).count
    )
    if counts == {count} or len(counts) != 1 or _cldr(language) is _UNKNOWN:
        return None
    for used in ((), PLURAL_FORMS):
        text, forms = rule_from_cldr(language, used)
        if counts == {len(forms)}:
            return text, forms
    return None


@lru_cache(maxsize=512)
def gettext_forms(language: str) -> tuple[str, ...]:
    """The forms that CLDR gives to whole numbers below a thousand, in its order.

    French without its ``many`` for millions, Czech without its ``many`` for
    fractions: the two and three forms that gettext catalogues have.
    """
    cldr = _cldr(language)
    taken = {cldr(count) for count in range(_COMMON)}
    return tuple(form for form in PLURAL_FORMS if form in taken)


def rule_from_cldr(language: str, used: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """A Plural-Forms text and its forms: the common ones, and what is ``used``.

    A used form that the language does not have is left out.
    """
    wanted = {*gettext_forms(language), *(_in_language(language) & set(used))}
    forms = tuple(form for form in PLURAL_FORMS if form in wanted)
    conditions = _cldr(language).rules
    choices = ""
    for index, form in enumerate(forms[:-1]):
        condition = _in_c(conditions[form])
        if condition:
            choices += f"{condition} ? {index} : "
    last = len(forms) - 1
    plural = f"({choices}{last})" if choices else f"{last}"
    return f"nplurals={len(forms)}; plural={plural};", forms


def _in_language(language: str) -> frozenset[str]:
    return _cldr(language).tags | {"other"}


@lru_cache(maxsize=512)
def _cldr(language: str) -> PluralRule:
    parts = language.split("-")
    for length in range(len(parts), 0, -1):
        try:
            return Locale.parse("-".join(parts[:length]), sep="-").plural_form
        except (UnknownLocaleError, ValueError):
            continue
    return _UNKNOWN


def _in_c(condition: str) -> str:
    """A CLDR condition in C for whole numbers; empty when none ever fulfils it."""
    groups = []
    for group in condition.split(" or "):
        relations = [_relation(relation) for relation in group.split(" and ")]
        if "0" not in relations:
            groups.append(" && ".join(part for part in relations if part != "1"))
    return " || ".join(groups)


def _relation(relation: str) -> str:
    match = _RELATION.fullmatch(relation)
    if match is None:
        raise ValueError(f"no CLDR relation: {relation!r}")
    operand, modulus, negated, ranges = match.groups()
    bounds = [part.split("..") for part in ranges.split(",")]
    if operand not in "ni":  # fraction digits and exponents: 0 of a whole number
        within = any(int(part[0]) == 0 for part in bounds)
        return str(int(within != bool(negated)))
    left = f"n%{modulus}" if modulus else "n"
    tests = [_test(left, part, bool(negated)) for part in bounds]
    if len(tests) == 1:
        return tests[0]
    return " && ".join(tests) if negated else f"({' || '.join(tests)})"


def _test(left: str, bounds: list[str], negated: bool) -> str:
    low, high = bounds[0], bounds[-1]
    if low == high:
        return f"{left}!={low}" if negated else f"{left}=={low}"
    if negated:
        return f"({left}<{low} || {left}>{high})"
    return f"{left}>={low} && {left}<={high}"
