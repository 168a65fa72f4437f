"""The checks that come with the framework."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from html import unescape

from locframework.languages import base_language, rare_plural_forms, same_language
from locframework.projects.records import Severity
from locframework.terminology.words import Searched

from .check import Check, Finding, Subject, WantedTerm
from .scanning import (
    ARGUMENT,
    MAYBE_PLACEHOLDER,
    TAG,
    TOKENS_MOST,
    Mark,
    Placeholder,
    blanked,
    differences,
    first_tokens,
    flagged,
    has_branches,
    icu_plurals,
    placeholders,
    prose,
    styles_of,
)

# Glossary terms

_SHOWN_TERM = 60


class GlossaryTerms:
    """Looks for what glossaries want of a text, and for what they forbid.

    A term of the source text is missing when the text has none of its translations, in
    any case and with any ending, nor one as part of a longer word. Placeholders and
    tags are no words.
    """

    name = "glossary_terms"
    description = "A glossary term is missing, or a forbidden one is used."
    severity: Severity = "warning"
    needs = "terms"

    def find(self, subject: Subject) -> Iterator[Finding]:
        if subject.terms is None:
            return
        for form, text, source in subject.compared:
            if every := subject.terms.wanted.get(source):
                searched = Searched(prose(text), subject.language_code)
                for wanted in every:
                    if not _is_satisfied(searched, wanted):
                        yield Finding(_missing(wanted), 0, len(text), form)
        for form, avoided in subject.terms.avoided.items():
            for each in avoided:
                message = f"{_quoted(each.text)} is forbidden by the glossary"
                yield Finding(message, each.start, each.end, form)


def _is_satisfied(text: Searched, wanted: WantedTerm) -> bool:
    """Whether the text has one of the translations, or one has placeholders itself:
    other checks look for them."""
    return any(
        text.has(value, exactly=wanted.exactly) or prose(value) != value
        for value in wanted.values
    )


def _missing(wanted: WantedTerm) -> str:
    if wanted.values == (wanted.term,):
        return f"{_quoted(wanted.term)} is not to be translated, says the glossary"
    values = " or ".join(_quoted(value) for value in wanted.values[:3])
    return f"{_quoted(wanted.term)} is {values} in the glossary"


def _quoted(text: str) -> str:
    short = text if len(text) <= _SHOWN_TERM else text[: _SHOWN_TERM - 1] + "…"
    return f"“{' '.join(short.split())}”"


# Length


class Length:
    """Finds texts longer than ``maxLength`` of their key."""

    name = "length"
    description = "The text has more characters than maxLength of its key."
    severity: Severity = "error"
    needs = "max_length"

    def find(self, subject: Subject) -> Iterator[Finding]:
        limit = subject.max_length
        if limit is None:
            return
        for form, text in subject.texts.items():
            if len(text) > limit:
                message = f"has {len(text)} characters, {limit} are allowed"
                yield Finding(message, limit, len(text), form)


# Markup

_VOID = frozenset(("br", "hr", "img", "input", "wbr"))
_KNOWN = _VOID.union(
    (
        "a", "b", "big", "center", "div", "em", "font", "h1", "h2", "h3", "h4", "h5",
        "h6", "i", "li", "ol", "p", "pre", "small", "span", "strong", "sub", "sup",
        "table", "td", "th", "tr", "tt", "u", "ul",
    )
)  # fmt: skip  # elements of HTML that are no words, as <address> or <object> may be
# Not what ends with another sign of a name, nor an argument of an address: &lt=5
_ENTITY = r"(amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6})"
_BROKEN_ENTITY = re.compile(rf"&{_ENTITY}(?![\w;=])|&\s{{1,9}}{_ENTITY}\s?;")
_TYPOGRAPHIC = re.compile("=\\s*([„“”«»‚‘’″′])")


class Markup:
    """Compares the tags, in any order and without their attributes. A name in angle
    brackets that is neither closed nor known is a word: ``<options>``. What a browser
    shows as it stands is broken: ``&amp b``, ``<a href=„x“>``."""

    name = "markup"
    description = "The HTML or XML tags differ from those of the source text."
    severity: Severity = "error"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared:
            if "<" in text or "<" in source:
                there = first_tokens(TAG.finditer(source))
                here = first_tokens(TAG.finditer(text))
                if _are_too_many(there, here):
                    yield _uncompared("tags", text, form)
                    continue
                tags = _KNOWN.union(t[2].lower() for t in there + here if t[1] or t[3])
                wanted, found = _marks(there, tags), _marks(here, tags)
                if has_branches(source) or has_branches(text):
                    wanted, found = _each_once(wanted), _each_once(found)
                yield from _differ("tag", *differences(wanted, found), text, form)
                if not any(_TYPOGRAPHIC.search(tag[0]) for tag in there):
                    yield from _quoted_wrongly(here, form)
            if "&" in text and not _BROKEN_ENTITY.search(source):
                for entity in _BROKEN_ENTITY.finditer(text):
                    message = f"{entity[0]} is no entity, &{entity[1] or entity[2]}; is"
                    yield Finding(message, *entity.span(), form)


def _quoted_wrongly(
    tags: Iterable[re.Match[str]], form: str | None
) -> Iterator[Finding]:
    for tag in tags:
        if quote := _TYPOGRAPHIC.search(tag[0]):
            message = f'the tag <{tag[2][:100]}> has {quote[1]} for the quote "'
            yield Finding(message, *tag.span(), form)


def _differ(
    kind: str,
    missing: Iterable[str],
    extra: Iterable[Mark],
    text: str,
    form: str | None,
) -> Iterator[Finding]:
    """What the text lacks, by name, and what it has beside the source text."""
    for name in missing:
        yield Finding(f"the {kind} {name} is missing", 0, len(text), form)
    for mark in extra:
        message = f"the {kind} {mark.name} is not in the source text"
        yield Finding(message, mark.start, mark.end, form)


def _are_too_many(*tokens: Sized) -> bool:
    """Whether one of the texts has more tokens than are compared."""
    return max(map(len, tokens)) > TOKENS_MOST


def _uncompared(kind: str, text: str, form: str | None) -> Finding:
    what = f"{kind} are not compared: a text has more than {TOKENS_MOST:,}"
    return Finding(what, 0, len(text), form)


def _marks(found: Iterable[re.Match[str]], names: Collection[str]) -> list[Mark]:
    marks = []
    for tag in found:
        closing, name, empty = tag[1], tag[2].lower(), tag[3]
        if name in names:
            shown = f"<{closing}{name[:100]}{'' if name in _VOID else empty}>"
            marks.append(Mark(shown, *tag.span()))
    return marks


def _each_once(tags: list[Mark]) -> list[Mark]:
    """Languages differ in how many branches they have, so the number says nothing."""
    return list({tag.name: tag for tag in reversed(tags)}.values())


# Numbers

_RUN = re.compile(r"\d+")
# Digits with what groups them or parts the decimals: dot, comma, apostrophes, the
# Arabic signs, spaces of several widths. No letter or digit stands before it; that is
# asked behind its first digit, as a search for digits alone is twice as fast.
_NUMBER = re.compile(
    r"\d(?<![A-Za-z\d]\d)\d*(?:[.,'\u2019\u066b\u066c \u00a0\u2009\u202f]\d+)*"
)
_ASCII_NUMBER = re.compile(_NUMBER.pattern, re.ASCII)  # twice as fast
_HALF_DAYS = re.compile(r"\d\s?[ap]\.?\s?m\b", re.IGNORECASE)  # 5 pm is 17 o'clock
# 1万 is 10,000, 5천 is 5,000, 1 लाख is 100,000; करोड़ has two spellings in Unicode
_MYRIADS = re.compile(r"\d\s?(?:[万萬만億亿억천千]|लाख|करो[ड\u095c])")
_POINT = re.compile(r"(?<![^\s($€£])[.,\u066b]")  # .5 is 0.5, and one,5 is not
_POINT_FIRST = re.compile(_POINT.pattern + r"\d")
_PARTED_ONCE = re.compile(r"\d?[.,\u066b]\d+")
_HOUR = re.compile(r"(?<=\d)h(?=\d)", re.IGNORECASE)  # 10h30 is 10:30
_SPELLED_OUT = frozenset("012")  # often a word in one language and not in another
_GROUP = 3  # digits between two signs that group
_SHOWN_DIGITS = 40


class Numbers:
    """Compares the numbers, however a language writes and groups them."""

    name = "numbers"
    description = "The numbers differ from those of the source text."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared:
            if not _RUN.search(source):
                continue  # most texts; "May" may be "5月", and "ten" may be "10"
            here, there = blanked(text), blanked(source)
            found, wanted = _spelled(here), _spelled(there)
            if found == wanted or sorted(found) == sorted(wanted):
                continue  # as nearly always
            if _are_too_many(found, wanted):
                yield _uncompared("numbers", text, form)
                continue
            if _has_other_numbers(text) or _has_other_numbers(source):
                continue
            here, there = _HOUR.sub(":", here), _HOUR.sub(":", there)
            missing, extra = _differing_numbers(here, there)
            yield from _differ("number", missing, extra, text, form)


def _has_other_numbers(text: str) -> bool:
    """Return whether numbers depend on branches, or on the word behind their digits."""
    return bool(has_branches(text) or _HALF_DAYS.search(text) or _MYRIADS.search(text))


def _spelled(text: str) -> list[str]:
    """The numbers as they stand there, and each point that begins one."""
    found = (_ASCII_NUMBER if text.isascii() else _NUMBER).findall(text)
    return found and found + _POINT_FIRST.findall(text)


def _differing_numbers(text: str, source: str) -> tuple[list[str], list[Mark]]:
    wanted, found = _numbers_in(source), _numbers_in(text)
    # without any, the digits of the source belong to names; with the same digits, it
    # is a date in another order
    if not wanted or _runs(source, wanted) == _runs(text, found):
        return [], []
    missing, extra = differences(wanted, found)
    return (
        [name[:_SHOWN_DIGITS] for name in missing if name not in _SPELLED_OUT],
        [
            Mark(mark.name[:_SHOWN_DIGITS], mark.start, mark.end)
            for mark in extra
            if mark.name not in _SPELLED_OUT
        ],
    )


def _numbers_in(text: str) -> list[Mark]:
    marks: list[Mark] = []
    for number in _NUMBER.finditer(text):
        start, end = number.span()
        if _POINT.match(text, start - 1, start):
            start -= 1
        marks.append(Mark(_value(text[start:end]), start, end))
    return marks


def _runs(text: str, numbers: list[Mark]) -> Counter[str]:
    """The digits that stand together, each by its value; of .5 these are 0 and 5."""
    runs = Counter(
        _value(run)
        for number in numbers
        for run in _RUN.findall(text[number.start : number.end])
    )
    runs["0"] += sum(not text[number.start].isdigit() for number in numbers)
    return runs


def _value(number: str) -> str:
    """The number in ASCII, without zeros before it: the same in every script. One or
    two digits at the end are decimals, three or more a group of a large number, but for
    what follows a zero or nothing. Zeros at the end stay: 3.10 is not 3.1."""
    *groups, last = (_digits(run) for run in _RUN.findall(number))
    is_under_one = groups in ([], ["0"]) and _PARTED_ONCE.fullmatch(number)
    if is_under_one or (groups and len(last) < _GROUP):
        return f"{_whole(''.join(groups))}.{last}"
    return _whole("".join((*groups, last)))


def _digits(run: str) -> str:
    return run if run.isascii() else "".join(str(int(sign)) for sign in run)


def _whole(digits: str) -> str:
    return digits.lstrip("0") or "0"


# Placeholders

_PERCENT = re.compile("%%?")
_DATE = re.compile("%[-_^#0]?([A-Za-z])")
_DATE_PARTS = frozenset("aAbBcCdDeEFgGhHIjklmMnpPrRStTuUVwWxXyYzZ")
_PERCENT_FIRST = frozenset(("eu", "ku", "tr"))  # %5 is 5% there
_PLACED = re.compile(r"%[1-9]\d?\$.|\{\d{1,3}\}")
_EXACT = frozenset(("zero", "one", "two"))  # forms that may say their number in words


class Placeholders:
    """Compares the placeholders; they may come in any order, and be numbered. The
    plural forms zero, one and two may leave out the number: "One file"."""

    name = "placeholders"
    description = "The placeholders differ from those of the source text."
    severity: Severity = "error"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared:
            if MAYBE_PLACEHOLDER.search(text) or MAYBE_PLACEHOLDER.search(source):
                yield from _compare(form, text, source, subject)


def _compare(
    form: str | None, text: str, source: str, subject: Subject
) -> Iterator[Finding]:
    there = placeholders(source)
    styles = styles_of(source, there)
    if subject.format_flags:
        styles = flagged(subject.format_flags, styles)
        there = placeholders(source, styles)
    if there:
        if _is_date(source) and _is_date(text):
            styles -= {"%s", "%v"}
        there = [each for each in there if each.style in styles]
    here = placeholders(text, styles)
    if _are_too_many(there, here):
        yield _uncompared("placeholders", text, form)
        return
    if "%1" in styles and base_language(subject.language_code) in _PERCENT_FIRST:
        known = {each.name for each in there}
        here = [each for each in here if each.style != "%1" or each.name in known]
    wanted, found = _comparable(there, here), _comparable(here, there)
    missing, extra = differences(wanted, found)
    if missing:
        missing = [name for name in missing if not _is_told(name, text, found)]
    if form in _EXACT:
        missing = _but_the_number(missing, there)
    if form is not None and extra:
        named = {
            mark.name
            for each in subject.source_texts.values()
            for mark in _comparable(placeholders(each, styles), here)
        }
        extra = [mark for mark in extra if mark.name not in named]
    yield from _differ("placeholder", missing, extra, text, form)
    if "%%" in source and "%s" in styles and not _single_percents(source, there):
        for at in _single_percents(text, here):
            message = "a single %, which the source text writes %%"
            yield Finding(message, at, at + 1, form)


def _is_date(text: str) -> bool:
    """Whether the text says how a date is written: ``%d.%m.%Y``."""
    parts = set(_DATE.findall(text))
    return parts <= _DATE_PARTS and not parts.isdisjoint("YmHMy")


def _is_told(name: str, text: str, found: Iterable[Mark]) -> bool:
    """Whether a plural is missing whose number the text tells without branches."""
    argument, _, branch = name.partition(", ")
    if branch not in ("plural, other}", "selectordinal, other}"):
        return False
    return any(mark.name == argument + "}" for mark in found) and not any(
        each[1] == argument[1:] for each in ARGUMENT.finditer(text)
    )


def _single_percents(text: str, there: Sequence[Placeholder]) -> list[int]:
    """Where a text has a percent sign that printf would read on from."""
    within = {at for each in there for at in range(each.start, each.end)}
    found = (each.start() for each in _PERCENT.finditer(text) if each[0] == "%")
    return [at for at in found if at not in within]


def _comparable(one: Sequence[Placeholder], other: Sequence[Placeholder]) -> list[Mark]:
    """Return the placeholders to compare: those with a name once, ``%s`` and ``{}``
    each; numbered if those of the other text are."""
    numbers = any(_PLACED.fullmatch(each.name) for each in other)
    marks: dict[object, Mark] = {}
    taken = {"%": 0, "{": 0}  # arguments, of either style
    for each in one:
        name, style = each.name, each.name[0]
        if each.is_next and numbers:
            taken[style] += 1
            at = taken[style]
            name = f"%{at}${name[1:]}" if style == "%" else f"{{{at - 1}}}"
        is_each = each.is_next and not numbers
        marks.setdefault(
            each.start if is_each else name, Mark(name, each.start, each.end)
        )
    return list(marks.values())


def _but_the_number(missing: list[str], there: Sequence[Placeholder]) -> list[str]:
    """``missing`` without the number; of one that is alone, that is taken to be it."""
    numbers = {each.name for each in there if each.is_number}
    if not numbers and len(missing) == 1:
        return []
    return [name for name in missing if name not in numbers]


# Plural forms


class PluralForms:
    """Asks for every plural form that common whole numbers take. In an ICU message too,
    unless it has the branch ``other`` alone. That one stands for a form where no whole
    number takes it: for ``many`` in Russian."""

    name = "plural_forms"
    description = "A plural form that the language needs has no text."
    severity: Severity = "error"
    needs = "texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        texts = subject.texts
        if not subject.is_plural:
            for form, text in texts.items():
                if "{" in text:
                    yield from self._in_message(subject, text, form)
            return
        if not texts or texts.keys() >= set(subject.plural_forms):
            return
        missing = [form for form in self._wanted(subject) if form not in texts]
        if missing:
            # a form without a text has no place of its own to be shown at
            form = "other" if "other" in texts else list(texts)[-1]
            message = f"has no text for the plural form {', '.join(missing)}"
            yield Finding(message, 0, len(texts[form]), form)

    def _wanted(self, subject: Subject) -> list[str]:
        rare = rare_plural_forms(subject.language_code)
        return [form for form in subject.plural_forms if form not in rare]

    def _in_message(
        self, subject: Subject, text: str, form: str | None
    ) -> Iterator[Finding]:
        wanted = self._wanted(subject)
        for start, end, branches in icu_plurals(text):
            there = branches | {_OF_NUMBER.get(branch, "") for branch in branches}
            missing = [each for each in wanted if each not in {*there, "other"}]
            is_chosen = branches.isdisjoint(_KEYWORDS)
            if not is_chosen and len(missing) > ("other" not in wanted):
                message = f"has no branch for the plural form {', '.join(missing)}"
                yield Finding(message, start, end, form)


_OF_NUMBER = {"=0": "zero", "=1": "one", "=2": "two"}
_KEYWORDS = frozenset(("zero", "one", "two", "few", "many"))

# Punctuation

_SIGNS = {
    "full stop": ".。．｡।॥۔\u0589\u1362\u104b\u0f0d\u17d4"
    "\u166e\u1803\u1809\ua4ff\ua60e\ufe12\ufe52",
    "question mark": "?？؟፧՞⁇⁈⁉⸮\ua60f\ufe16\ufe56",
    "exclamation mark": "!！՜﹗‼⁈⁉\u07f9\ufe15",
    "colon": ":：፡፦∶\u1804\ufe13\ufe55",
    "ellipsis": "…⋯\u1801\ufe19",
    "comma": ",，،、﹐､፣\u07f8\u1802\ufe10\ufe11\ufe51",
    "semicolon": ";；؛፤⁏\ufe14\ufe54",
}
_KINDS = {
    sign: frozenset(kind for kind, signs in _SIGNS.items() if sign in signs)
    for sign in "".join(_SIGNS.values())
}
_GREEK = {
    ";": frozenset(("question mark",)),
    "\u037e": frozenset(("question mark",)),
    "·": frozenset(("semicolon",)),
}
# “ ‘ « ‹ open in English, and close in German, Czech, Bulgarian, Danish; at the end of
# a text nothing is opened, so they need not be told apart.
_CLOSING = "\"'”’»›“‘«‹)]}」』）】》〉］｝"
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_SPACES = " \t\r\n\u00a0\u202f\u2009\u3000\u200b" + _BIDI
_LAST_TAGS = re.compile(r"(?:</?[A-Za-z0-9][^<>]*>\s*)+$")
_LAST_ENTITIES = re.compile(r"(?:&(?:[A-Za-z]\w{1,30}|#\w{1,8});\s*)+$", re.ASCII)
_LAST_WORD = re.compile(r"\S+$")

# Thai, Lao, Khmer and Burmese end sentences with a space, or as the writer likes;
# Lojban has words for it.
_FREE = frozenset(("jbo", "km", "lo", "my", "th"))
_SHORT = 5  # "Min." is an abbreviation, "Done." a sentence of one word
_STOP, _COLON = frozenset(("full stop",)), frozenset(("colon",))
_HABITS = {("hy", _STOP, _COLON), *((each, _COLON, _STOP) for each in ("ja", "ko"))}
"""Language, the end of the source text, and what people write for it."""
_DANDA = frozenset(("as", "bn", "brx", "doi", "hi", "mai", "ne", "or", "pa", "sa"))
"""Languages whose writers type ``|`` for the danda, which ends a sentence."""


class Punctuation:
    """Compares the kind of punctuation at the end, in any script.

    A question stays a question: ``?``, ``？`` and ``؟`` are the same, and so are ``.``
    and ``。``. Quotes, brackets, tags and marks of direction after it do not count,
    nor does the space that French puts before it.
    """

    name = "punctuation"
    description = "The text ends with different punctuation than the source text."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared:
            if _end_alike(text, source):
                continue
            base = base_language(subject.language_code)
            if base in _FREE:
                return
            wanted, there = _end(source, subject.source_language)
            found, here = _end(text, subject.language_code)
            if wanted == found:
                continue
            if base == "hy" and wanted & {"question mark", "exclamation mark"}:
                continue  # Armenian puts them inside the word
            if (base, wanted, found) in _HABITS:
                continue
            if base in _DANDA and wanted == _STOP and text.rstrip().endswith("|"):
                continue
            if wanted ^ found == {"full stop"} and (
                _may_be_short(source[:there]) or _may_be_short(text[:here])
            ):
                continue
            message = (
                f"ends with {_kinds(found)}, the source text with {_kinds(wanted)}"
            )
            yield Finding(message, here, len(text), form)


def _end_alike(text: str, source: str) -> bool:
    """Whether both end with a letter, or with one same mark after a letter: most do."""
    if text[-1:].isalnum():
        return source[-1:].isalnum()
    is_same = text[-1:] == source[-1:] != ";"  # which may be that of an entity
    return is_same and text[-2:-1].isalnum() and source[-2:-1].isalnum()


def _end(text: str, language_code: str) -> tuple[frozenset[str], int]:
    """The kinds of punctuation at the end, and where they begin."""
    kinds = _KINDS
    if base_language(language_code) == "el":
        kinds = _KINDS | _GREEK
    text = text.rstrip(_SPACES)
    if text.endswith(">"):
        tags = _LAST_TAGS.search(text, max(0, len(text) - 1000))
        text = text[: tags.start()] if tags else text
    if text.endswith(";"):  # of "Next &raquo;", which ends with no semicolon
        entities = _LAST_ENTITIES.search(text, max(0, len(text) - 100))
        if entities:
            text = text[: entities.start()] + unescape(entities[0])
    text = text.rstrip(_CLOSING + _SPACES)
    at = len(text)
    found: set[str] = set()
    stops = 0
    while at and (text[at - 1] in kinds or text[at - 1] in _SPACES):
        at -= 1
        if text[at] in kinds:
            found |= kinds[text[at]]
            stops += "full stop" in kinds[text[at]]
    if stops > 1:
        found = found - {"full stop"} | {"ellipsis"}
    return frozenset(found), at


def _may_be_short(text: str) -> bool:
    """Whether the last word may be an abbreviation, which ends with a full stop."""
    word = _LAST_WORD.search(text, max(0, len(text) - 50))
    if word is None:
        return True
    is_alone = word.start() == 0
    return "." in word[0] or (is_alone and len(word[0]) < _SHORT)


def _kinds(kinds: frozenset[str]) -> str:
    return " and ".join(sorted(kinds)) or "no punctuation"


# Unchanged texts

_WORD = re.compile(r"[^\W\d_]{2,}")
_UNCASED = 4  # letters that say something, in scripts that know no small letters


class Unchanged:
    """Compares a text with its source text. One word may be the same in two languages,
    and so may names. So a text counts only with two words, one of them in small
    letters."""

    name = "unchanged"
    description = "The text is the same as the source text, which looks translatable."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        here, there = subject.language_code, subject.source_language
        if same_language(here, there):
            return
        for form, text, source in subject.compared:
            if text == source and _says_much(text):
                yield Finding("is the same as the source text", 0, len(text), form)


def _says_much(text: str) -> bool:
    # prose first: it knows ICU messages, of which only the branches are language
    words = _WORD.findall(blanked(prose(text)))
    uncased = sum(len(word) for word in words if word.upper() == word.lower())
    if uncased:
        return uncased >= _UNCASED
    return len(words) > 1 and any(word.islower() for word in words)


# White space

_UNSPACED = frozenset(("ja", "km", "lo", "my", "th", "yue", "zh"))


class WhiteSpace:
    """Compares the white space at both ends with that of the source text."""

    name = "white_space"
    description = "White space at the beginning or end differs from the source text."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared:
            # isspace() of one character is all that most texts are asked
            if text[:1].isspace() or source[:1].isspace():
                wanted = len(source) - len(source.lstrip())
                found = len(text) - len(text.lstrip())
                if text[:found] != source[:wanted]:
                    message = f"begins with {_spaces(text[:found], source[:wanted])}"
                    yield Finding(message, 0, found, form)
            if text[-1:].isspace() or source[-1:].isspace():
                there, here = len(source.rstrip()), len(text.rstrip())
                ending, wanted_ending = text[here:], source[there:]
                is_dropped = not ending and not wanted_ending.strip(" ")
                base = base_language(subject.language_code)
                if ending == wanted_ending or (is_dropped and base in _UNSPACED):
                    continue
                message = f"ends with {_spaces(ending, wanted_ending)}"
                yield Finding(message, here, len(text), form)


def _spaces(found: str, wanted: str) -> str:
    return f"{_space_name(found)}, the source text with {_space_name(wanted)}"


def _space_name(space: str) -> str:
    if not space:
        return "no white space"
    lines = space.count("\n")
    if lines:
        told = "a line break" if lines == 1 else f"{lines} line breaks"
        return told if lines == len(space) else f"{told} and spaces"
    if set(space) == {" "}:
        return "a space" if len(space) == 1 else f"{len(space)} spaces"
    return "other white space"


BUILT_IN: tuple[Check, ...] = (
    *(GlossaryTerms(), Length(), Markup(), Numbers(), Placeholders(), PluralForms()),
    *(Punctuation(), Unchanged(), WhiteSpace()),
)
