"""The format arb: Flutter's Application Resource Bundle, ICU messages by name."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import PLURAL_FORMS, Catalogue, Detail, Entry, FormatInfo, Text

from .objects import (
    FORMS,
    JsonFormat,
    in_order,
    is_plural,
    note_duplicates,
    whole_texts,
)
from .strict_json import Document, Json, quoted

_RESERVED = (
    "assert|break|case|catch|class|const|continue|default|do|else|enum|extends|false|"
    "final|finally|for|if|in|is|new|null|rethrow|return|super|switch|this|throw|true|"
    "try|var|void|while|with"
)
_NAME = re.compile(rf"(?!(?:{_RESERVED})\Z)[a-z][A-Za-z0-9_]*")
_PLAIN_WORD = re.compile(r"[a-z][A-Za-z0-9_]*")
_PARTS = re.compile(r"[A-Za-z0-9_]+")


def dart_name(key: str) -> str:
    """The name for a key: itself when that is one, else its parts in camel case.

    ``cart.pay-now`` is ``cartPayNow``, ``Save`` is ``save``, ``404.title`` is
    ``k404Title``, ``continue`` is ``continue_``.
    """
    if _NAME.fullmatch(key):
        return key
    name = "".join([part[0].upper() + part[1:] for part in _PARTS.findall(key)])
    name = name[:1].lower() + name[1:]
    if _NAME.fullmatch(name):
        return name
    return name + "_" if _PLAIN_WORD.fullmatch(name) else "k" + name


def dart_names(keys: Iterable[str], warnings: list[str]) -> dict[str, str]:
    """A name for every key, no two alike, whatever the order of the keys.

    Where keys would meet in one name, the key that is this name keeps it, and the
    others get a suffix that is made from the key alone, with a warning: so no name
    comes to mean another key in another language's file.
    """
    names = {key: dart_name(key) for key in keys}
    uses = Counter(names.values())
    if len(uses) == len(names):
        return names
    for key, name in sorted(names.items()):
        if uses[name] > 1 and name != key:
            digest = sha256(key.encode()).hexdigest()
            longer = f"{name}_{digest[:8]}"
            while longer in uses:
                longer += "_"
            uses[longer] = 1
            names[key] = longer
            warnings.append(f"{quoted(key)} is named {longer!r}: {name!r} clashes")
    return names


ARGUMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
FORM_OF = {"=0": "zero", "=1": "one", "=2": "two"}
"""What Flutter's gen-l10n takes these for, in every language."""

_HEAD = re.compile(rf"\{{\s*({ARGUMENT_NAME.pattern})\s*,\s*plural\s*,")
_SELECTOR = re.compile(r"\s*(=[0-9]+|[a-z]+)\s*\{")
_BRACE = re.compile(r"[{}]")
_END = re.compile(r"\s*\}")


class PluralMessage(NamedTuple):
    """A message that is one plural argument and nothing else."""

    argument: str  # "count"
    forms: dict[str, str]  # by CLDR form, in their order; ``other`` is among them
    exact: dict[str, str]  # the forms that were spelled as numbers: {"one": "=1"}


def parse_plural(message: str) -> PluralMessage | None:
    """The parts of the message, or None when it says more than forms can.

    None: text around the argument, an offset, a number over 2, ``=1`` beside
    ``one``, no ``other``. Apostrophes are ordinary characters, as in Flutter by
    default. ``write_plural`` gives a message that differs in white space at most.
    """
    head = _HEAD.match(message)
    if head is None:
        return None
    forms: dict[str, str] = {}
    exact: dict[str, str] = {}
    at = head.end()
    while selector := _SELECTOR.match(message, at):
        spelled = selector[1]
        form = FORM_OF.get(spelled, spelled)
        end = _end_of_form(message, selector.end())
        if form not in FORMS or form in forms or end is None:
            return None
        forms[form] = message[selector.end() : end]
        if spelled != form:
            exact[form] = spelled
        at = end + 1
    if not _END.fullmatch(message, at) or "other" not in forms:
        return None
    return PluralMessage(head[1], in_order(forms), exact)


def is_torn(message: str) -> bool:
    """Whether a plural message has a brace too many or too few."""
    return _HEAD.match(message) is not None and not _is_balanced(message)


def _is_balanced(text: str) -> bool:
    return _end_of_form(text + "}", 0) == len(text)


def write_plural(
    argument: str, forms: Mapping[str, str], exact: Mapping[str, object]
) -> str | None:
    """The message, or None when the braces of a form would tear it apart."""
    parts = []
    for form in PLURAL_FORMS:
        if form not in forms:
            continue
        text = forms[form]
        if not _is_balanced(text):
            return None
        spelled = exact.get(form)
        selector = spelled if FORM_OF.get(str(spelled)) == form else form
        parts.append(f"{selector}{{{text}}}")
    return f"{{{argument}, plural, {' '.join(parts)}}}"


def _end_of_form(message: str, start: int) -> int | None:
    """Where the brace stands that closes a form whose text begins at ``start``."""
    depth = 0
    for brace in _BRACE.finditer(message, start):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return brace.start()
    return None


Kept = dict[str, object]

# members of the detail
ATTRIBUTES = "attributes"  # Entry.key_detail: all of ``@name`` that is not ours
ARGUMENT = "argument"  # Entry.key_detail: of the plural, when it is not ``count``
EXACT = "exact"  # Entry.detail: forms spelled as numbers, {"one": "=1"}
EMPTY = "empty"  # Entry.detail: forms that show nothing, ["zero"] of ``=0{}``

# members of ``@name`` that we write
X_KEY = "x-key"  # the key, where the name is another
X_PLURAL = "x-plural"  # false: the message is one text; or the plural's forms

DEFAULT_ARGUMENT = "count"


def detail_with(kept: Kept) -> Detail | None:
    """The detail that keeps these members, empty ones left out."""
    filled = {name: value for name, value in kept.items() if value}
    return {"arb": filled} if filled else None


def kept_in(detail: Detail | None) -> Mapping[str, object]:
    """What ``detail_with`` was given; empty for the details of other formats."""
    return as_object((detail or {}).get("arb"))


def as_object(value: object) -> Mapping[str, object]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


LOCALE = "@@locale"


class _Reading:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._attributes: dict[str, tuple[int, Json]] = {}

    def catalogue(self) -> Catalogue:
        document = self._document
        locale: str | None = None
        messages: list[tuple[int, str, str | None]] = []
        for line, name, value in document.members.numbered():
            is_text = value is None or isinstance(value, str)
            if name == LOCALE and isinstance(value, str):
                locale = value.replace("_", "-")
            elif name.startswith("@") and name != LOCALE:
                self._attributes[name] = line, value
            elif not is_text or name == LOCALE:
                document.fault_type(line, name, value)
            elif value is None or isinstance(value, str):
                messages.append((line, name, value))
        entries = [self._entry(*message) for message in messages]
        note_duplicates(document, entries)
        rest: Kept = {name: value for name, (_, value) in self._attributes.items()}
        detail = {"arb": rest} if rest else None
        return Catalogue(locale, entries, detail=detail, warnings=document.warnings)

    def _entry(self, line: int, name: str, text: str | None) -> Entry:
        document = self._document
        if text is None:
            document.tell_of_null(line, name)
        attributes = self._attributes_of("@" + name)
        if not attributes and not (text or "").startswith("{"):
            return Entry(name, text, line=line)
        key = self._text_in(attributes, X_KEY, name, line)
        description = self._text_in(attributes, "description", "", line)
        value, kept, spelled = self._value(text, attributes, line)
        if isinstance(value, str) and is_torn(value):
            told = "its braces do not match; it is kept as it is, without plurals"
            document.warnings.append(f"line {line}: {quoted(name)}: {told}")
        return Entry(
            key,
            value,
            is_plural=isinstance(value, Mapping),
            description=description,
            line=line,
            key_detail=detail_with({**kept, ATTRIBUTES: attributes}),
            detail=detail_with(spelled),
        )

    def _attributes_of(self, name: str) -> Kept:
        line, value = self._attributes.pop(name, (0, {}))
        if isinstance(value, dict):
            return dict(value)
        self._document.fault(line, "type", f"{quoted(name)} has to be an object")
        return {}

    def _text_in(self, attributes: Kept, name: str, default: str, line: int) -> str:
        value = attributes.pop(name, default)
        if isinstance(value, str):
            return value
        message = f"the {name} of a message has to be a text"
        self._document.fault(line, "type", message)
        return default

    def _value(
        self, text: str | None, attributes: Kept, line: int
    ) -> tuple[Text | None, Kept, Kept]:
        """The text or its forms, and what else of a plural message is to be kept: with
        the key, and with the language."""
        mark = attributes.pop(X_PLURAL, None)
        if mark is not None:
            forms = as_forms(mark)
            if forms and text is not None:
                return in_order({**forms, "other": text}), {}, {}
            if mark is not False and not forms:
                message = f"{X_PLURAL} has to be false, or texts by plural form"
                self._document.fault(line, "type", message)
            return text, {}, {}
        plural = parse_plural(text) if text else None
        if plural is None or not any(plural.forms.values()):
            return text, {}, {}
        named = plural.argument != DEFAULT_ARGUMENT
        kept: Kept = {ARGUMENT: plural.argument} if named else {}
        empty = [form for form, shown in plural.forms.items() if not shown]
        return plural.forms, kept, {EXACT: plural.exact, EMPTY: empty}


def as_forms(value: object) -> dict[str, str]:
    """The value when it is an object of texts by plural form, else an empty one."""
    if not is_plural(value) or None in value.values():
        return {}
    return {form: text for form, text in value.items() if text is not None}


def _with_empty_forms(entry: Entry) -> Entry:
    """The entry with the forms that the file had to show nothing, and that still have
    no text: else those of ``other`` would be shown."""
    value, kept = entry.value, entry.detail and kept_in(entry.detail).get(EMPTY)
    if not kept or not isinstance(kept, Sequence) or not isinstance(value, Mapping):
        return entry
    empty = {form: "" for form in PLURAL_FORMS if form in kept}
    return replace(entry, value={**empty, **value} if value else value)


def _attributes(entry: Entry) -> Kept:
    described: Kept = {"description": entry.description} if entry.description else {}
    return described | dict(as_object(kept_in(entry.key_detail).get(ATTRIBUTES)))


def _message(entry: Entry, value: Text, warnings: list[str]) -> tuple[str, Kept]:
    if isinstance(value, str):
        plural = value.startswith("{") and parse_plural(value)
        return value, {X_PLURAL: False} if plural else {}
    if not any(value.values()):  # a message of empty forms would be read as a text
        return "", {X_PLURAL: dict(value)}
    argument = str(kept_in(entry.key_detail).get(ARGUMENT, DEFAULT_ARGUMENT))
    if not ARGUMENT_NAME.fullmatch(argument):
        argument = DEFAULT_ARGUMENT
    exact = as_object(kept_in(entry.detail).get(EXACT))
    message = write_plural(argument, value, exact)
    if message is not None:
        return message, {}
    warnings.append(
        f"{quoted(entry.key)} has unmatched braces: the message is only its form "
        f"other, all forms are in {X_PLURAL}"
    )
    return value["other"], {X_PLURAL: dict(value)}


class Arb(JsonFormat):
    """``{"@@locale": "de", "save": "Sichern", "@save": {"description": "…"}}``.

    Plurals are ICU messages, ``{count, plural, one{…} other{…}}``. A key that is no
    Dart method name is written under one, ``cart.pay-now`` as ``cartPayNow``, and
    stands itself in the member ``x-key`` of its attributes. Attributes other than the
    description, among them placeholders, type and context, come back as they were.
    """

    info = FormatInfo(
        id="arb",
        name="ARB (Flutter)",
        extension=".arb",
        content_type="application/json",
        comments=True,
    )

    def catalogue_of(self, document: Document, separator: str) -> Catalogue:
        """One catalogue; its language is ``@@locale``, None without.

        ``@@…`` other than the locale, and attributes of messages that are not there
        (used as headings), are kept in the catalogue's detail.
        """
        return _Reading(document).catalogue()

    def document_of(
        self, catalogue: Catalogue, separator: str, warnings: list[str]
    ) -> Mapping[str, object]:
        """Locale, what the file had besides, then each message with its attributes."""
        document: Kept = {}
        if catalogue.language_code:
            document[LOCALE] = catalogue.language_code.replace("-", "_")
        document.update(kept_in(catalogue.detail))
        names = dart_names([entry.key for entry in catalogue.entries], warnings)
        entries = [_with_empty_forms(entry) for entry in catalogue.entries]
        texts = whole_texts(entries, warnings)
        for entry in entries:
            value = texts.get(entry.key)
            if value is None:
                continue
            name = names[entry.key]
            message, attributes = _message(entry, value, warnings)
            if name != entry.key:
                attributes[X_KEY] = entry.key
            if entry.description or entry.key_detail:
                attributes = _attributes(entry) | attributes
            document[name] = message
            if attributes:
                document[f"@{name}"] = attributes
            elif document.get(f"@{name}"):
                del document[f"@{name}"]  # a heading of the file had this name
        return document
