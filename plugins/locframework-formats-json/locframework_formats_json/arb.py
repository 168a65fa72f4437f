"""The format arb: Flutter's Application Resource Bundle, ICU messages by name."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Detail,
    Entry,
    FileOptions,
    FormatInfo,
    Json,
    JsonDocument,
    JsonLayout,
    JsonUnreadable,
    Text,
    TreeContainer,
    TreeItem,
    TreeValue,
    is_forbidden,
    plural_argument,
    quoted,
)

from .objects import (
    NO_OTHER,
    JsonFormat,
    is_plural,
    texts_in,
    whole_texts,
    without_duplicates,
)
from .trees import FORMS, PLAIN, in_order, kept_in, with_other

_RESERVED = (
    "assert|break|case|catch|class|const|continue|default|do|else|enum|extends|false|"
    "final|finally|for|if|in|is|new|null|rethrow|return|super|switch|this|throw|true|"
    "try|var|void|while|with"
)
_NAME = re.compile(rf"(?!(?:{_RESERVED})\Z)[a-z][A-Za-z0-9_]*")
_PLAIN_WORD = re.compile(r"[a-z][A-Za-z0-9_]*")
_LEGAL_KEY = re.compile(r"[A-Za-z0-9_.:/|-]+")
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


def dart_names(
    keys: Iterable[str], warnings: list[str], given: Mapping[str, str] = {}
) -> dict[str, str]:
    """A name for every key, no two alike, whatever the order of the keys.

    Where keys would meet in one name, the key that is this name, or was ``given`` it,
    keeps it, and the others get a suffix that is made from the key alone, with a
    warning: so no name comes to mean another key in another language's file.
    """
    names = {key: given.get(key) or dart_name(key) for key in keys}
    uses = Counter(names.values())
    if len(uses) == len(names):
        return names
    for key, name in sorted(names.items()):
        if uses[name] > 1 and name != key and key not in given:
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
    spans: Mapping[str, tuple[int, int]]  # where each form stands in the message


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
    spans: dict[str, tuple[int, int]] = {}
    at = head.end()
    while selector := _SELECTOR.match(message, at):
        spelled = selector[1]
        form = FORM_OF.get(spelled, spelled)
        end = _end_of_form(message, selector.end())
        if form not in FORMS or form in forms or end is None:
            return None
        forms[form] = message[selector.end() : end]
        spans[form] = selector.end(), end
        if spelled != form:
            exact[form] = spelled
        at = end + 1
    if not _END.fullmatch(message, at) or "other" not in forms:
        return None
    return PluralMessage(head[1], in_order(forms), exact, spans)


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


def respelled(message: str, plural: PluralMessage, forms: Mapping[str, str]) -> str:
    """The message with these forms, which are the same as its own but for the texts."""
    end = 0
    parts: list[str] = []
    for form, (start, stop) in plural.spans.items():
        parts += (message[end:start], forms[form])
        end = stop
    return "".join([*parts, message[end:]])


def _end_of_form(message: str, start: int) -> int | None:
    """Where the brace stands that closes a form whose text begins at ``start``."""
    depth = 0
    for brace in _BRACE.finditer(message, start):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return brace.start()
    return None


Kept = dict[str, object]
FAMILY = "arb"

# members of the detail
ATTRIBUTES = "attributes"  # Entry.key_detail: all of ``@name`` that is not ours
ARGUMENT = "argument"  # Entry.key_detail: of the plural, when it is not ``count``
EXACT = "exact"  # Entry.detail: forms spelled as numbers, {"one": "=1"}
NAME = "name"  # Entry.key_detail: what the file calls it, where Dart could not
EMPTY = "empty"  # Entry.detail: forms that show nothing, ["zero"] of ``=0{}``

# members of ``@name`` that we write
X_KEY = "x-key"  # the key, where the name is another
X_PLURAL = "x-plural"  # false: the message is one text; or the plural's forms

DEFAULT_ARGUMENT = "count"


def detail_with(kept: Kept) -> Detail | None:
    """The detail that keeps these members, empty ones left out."""
    filled = {name: value for name, value in kept.items() if value}
    return {FAMILY: filled} if filled else None


def stored(value: Json) -> object:
    """The value as a detail may hold it: what is unreadable is null."""
    if isinstance(value, dict):
        return {name: stored(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [stored(inner) for inner in value]
    return None if isinstance(value, JsonUnreadable) else value


def as_object(value: object) -> Mapping[str, object]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


LOCALE = "@@locale"


class _Reading:
    def __init__(self, document: JsonDocument, plurals: Mapping[str, bool]) -> None:
        self._document = document
        self._plurals = plurals
        self._attributes: dict[str, tuple[int, Json]] = {}

    def catalogue(self) -> Catalogue:
        document = self._document
        locale: str | None = None
        messages: list[tuple[int, str, str | None]] = []
        for line, name, value in document.members.numbered():
            if name == LOCALE:
                if isinstance(value, str):
                    locale = value.replace("_", "-")
                else:
                    document.warn(line, f"{LOCALE} is left out: it has to be a text")
            elif name.startswith("@"):
                self._attributes[name] = line, value
            elif isinstance(value, str):
                messages.append((line, name, value))
            elif value is JsonUnreadable.TEXT:
                messages.append((line, name, None))
            elif value and isinstance(value, (dict, list)):
                document.warn(line, f"{quoted(name)} is left out: it has to be a text")
        entries = [self._entry(*message) for message in messages]
        entries = without_duplicates(document, entries)
        rest: Kept = {
            name: stored(value) for name, (_, value) in self._attributes.items()
        }
        detail = {FAMILY: rest} if rest else None
        return Catalogue(locale, entries, detail=detail, warnings=document.warnings)

    def _entry(self, line: int, name: str, text: str | None) -> Entry:
        attributes = self._attributes_of("@" + name)
        key = self._text_in(attributes, X_KEY, name, line)
        kept: Kept = {}
        if key == name and dart_name(name) != name:
            kept[NAME] = name
        description = self._text_in(attributes, "description", "", line)
        value, of_plural, spelled = self._value(key, text, attributes, line)
        argument = of_plural.get(ARGUMENT, DEFAULT_ARGUMENT)
        flags = [f"{argument}:plural"] if isinstance(value, Mapping) else []
        return Entry(
            key,
            value,
            is_plural=isinstance(value, Mapping) or self._plurals.get(key, False),
            description=description,
            line=line,
            key_detail=detail_with({**kept, **of_plural, ATTRIBUTES: attributes}),
            detail=detail_with(spelled),
            name=name,
            format_flags=(*_types(attributes), *flags),
        )

    def _attributes_of(self, name: str) -> Kept:
        line, value = self._attributes.pop(name, (0, {}))
        if isinstance(value, dict):
            return {name: stored(inner) for name, inner in value.items()}
        told = f"{quoted(name)} is left out: it has to be an object"
        self._document.warn(line, told)
        return {}

    def _text_in(self, attributes: Kept, name: str, default: str, line: int) -> str:
        value = attributes.pop(name, default)
        if isinstance(value, str):
            return value
        self._document.warn(line, f"{name} is left out: it has to be a text")
        return default

    def _value(
        self, key: str, text: str | None, attributes: Kept, line: int
    ) -> tuple[Text | None, Kept, Kept]:
        """The text or its forms, and what else of a plural message is to be kept: with
        the key, and with the language."""
        mark = attributes.pop(X_PLURAL, None)
        if mark is not None and mark is not False and not as_forms(mark):
            told = (
                f"{X_PLURAL} is left out: it has to be false, or texts by plural form"
            )
            self._document.warn(line, told)
            mark = None
        if text is not None and mark is None and is_torn(text):
            told = f"{quoted(key)} is left out: its braces do not match"
            self._document.warn(line, told)
            return None, {}, {}
        value, plural = meaning(text, mark, self._plurals.get(key))
        if plural is None:
            is_plain = isinstance(value, str) and self._plurals.get(key)
            return value, {}, {PLAIN: True} if is_plain else {}
        named = plural.argument != DEFAULT_ARGUMENT
        kept: Kept = {ARGUMENT: plural.argument} if named else {}
        empty = [form for form, shown in plural.forms.items() if not shown]
        return value, kept, {EXACT: plural.exact, EMPTY: empty}


def _types(attributes: Kept) -> list[str]:
    """What ``placeholders`` say of whole numbers, as flags."""
    named = as_object(attributes.get("placeholders"))
    return [
        f"{n}:int" for n, its in named.items() if as_object(its).get("type") == "int"
    ]


def meaning(
    text: str | None, mark: object, is_plural: bool | None
) -> tuple[Text | None, PluralMessage | None]:
    """What a message says, and its parts when they are the forms of a plural key.

    ``mark`` is its ``x-plural``; ``is_plural`` what is known of the key.
    """
    forms = as_forms(mark)
    if forms and text is not None:
        return in_order({**forms, "other": text}), None
    if mark is False or is_plural is False or not text:
        return text, None
    plural = parse_plural(text)
    if plural is None or not any(plural.forms.values()):
        return text, None
    return plural.forms, plural


def as_forms(value: object) -> dict[str, str]:
    """The value when it is an object of texts by plural form, else an empty one."""
    if not is_plural(value) or len(forms := texts_in(value)) < len(value):
        return {}
    return forms


def _with_empty_forms(entry: Entry) -> Entry:
    """The entry with the forms that the file had to show nothing, and that still have
    no text: else those of ``other`` would be shown."""
    value, kept = entry.value, entry.detail and kept_in(entry.detail, FAMILY).get(EMPTY)
    if not kept or not isinstance(kept, Sequence) or not isinstance(value, Mapping):
        return entry
    empty = {form: "" for form in PLURAL_FORMS if form in kept}
    return replace(entry, value={**empty, **value} if value else value)


def _attributes(entry: Entry) -> Kept:
    described: Kept = {"description": entry.description} if entry.description else {}
    return described | dict(
        as_object(kept_in(entry.key_detail, FAMILY).get(ATTRIBUTES))
    )


def _message(entry: Entry, value: Text, warnings: list[str]) -> tuple[str, Kept]:
    if isinstance(value, str):
        is_read = value.startswith("{") and (parse_plural(value) or is_torn(value))
        return value, {X_PLURAL: False} if is_read and not entry.is_plural else {}
    if not any(value.values()):  # a message of empty forms would be read as a text
        return "", {X_PLURAL: dict(value)}
    known = plural_argument(entry.format_flags) or DEFAULT_ARGUMENT
    argument = str(kept_in(entry.key_detail, FAMILY).get(ARGUMENT, known))
    if not ARGUMENT_NAME.fullmatch(argument):
        argument = DEFAULT_ARGUMENT
    exact = as_object(kept_in(entry.detail, FAMILY).get(EXACT))
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
        placeholders="arb",
        limits=(NO_OTHER, "plural forms with unmatched braces"),
    )

    def catalogue_of(self, document: JsonDocument, options: FileOptions) -> Catalogue:
        """One catalogue; its language is ``@@locale``, None without.

        ``@@…`` other than the locale, and attributes of messages that are not there
        (used as headings), are kept in the catalogue's detail.
        """
        known: Mapping[str, bool] = options.plurals
        if options.language_code == options.source_language:  # its texts may turn
            known = {key: True for key, is_one in known.items() if is_one}
        return _Reading(document, known).catalogue()

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object]:
        """Locale, what the file had besides, then each message with its attributes.

        Flutter reads attributes in the file of the source language only. In another's
        stand those alone that are needed to read it back.
        """
        document: Kept = {}
        if catalogue.language_code:
            document[LOCALE] = catalogue.language_code.replace("-", "_")
        document.update(kept_in(catalogue.detail, FAMILY))
        names = dart_names(
            [entry.key for entry in catalogue.entries],
            warnings,
            _given_names(catalogue.entries),
        )
        entries = [_with_empty_forms(entry) for entry in catalogue.entries]
        texts = whole_texts(entries, FAMILY, warnings)
        is_source = catalogue.language_code in (None, options.source_language)
        for entry in entries:
            value = texts.get(entry.key)
            if value is None:
                continue
            name = names[entry.key]
            message, attributes = _member(entry, name, value, is_source, warnings)
            document[name] = message
            if attributes:
                document[f"@{name}"] = attributes
            elif document.get(f"@{name}"):
                del document[f"@{name}"]  # a heading of the file had this name
        return document

    def update(
        self,
        layout: JsonLayout,
        catalogue: Catalogue,
        options: FileOptions,
        warnings: list[str],
    ) -> bytes:
        """The template with the catalogue's texts.

        Descriptions change in the file of the source language, where it has them.
        """
        is_source = catalogue.language_code in (None, options.source_language)
        return _Update(layout, warnings, is_source=is_source).content(catalogue)


def _given_names(entries: Iterable[Entry]) -> dict[str, str]:
    """The names that ARB files had for keys, where these are no Dart names."""
    return {
        entry.key: entry.key
        for entry in entries
        if kept_in(entry.key_detail, FAMILY).get(NAME) == entry.key
    }


def _member(
    entry: Entry, name: str, value: Text, is_source: bool, warnings: list[str]
) -> tuple[str, Kept]:
    """The message of a key, and its attributes."""
    message, attributes = _message(entry, value, warnings)
    if name != entry.key:
        attributes[X_KEY] = entry.key
    if is_source and (entry.description or entry.key_detail):
        attributes = _attributes(entry) | attributes
    return message, attributes


class _Update:
    """A template with the messages of other entries."""

    def __init__(
        self, layout: JsonLayout, warnings: list[str], *, is_source: bool
    ) -> None:
        self._layout = layout
        self._root = layout.root
        self._items: dict[str, list[TreeItem]] = {}  # a name may be there twice
        for item in layout.root.items:
            self._items.setdefault(item.name, []).append(item)
        self._warnings = warnings
        self._is_source = is_source

    def content(self, catalogue: Catalogue) -> bytes:
        entries = catalogue.entries
        by_key = {entry.key: entry for entry in entries}
        names, behind_of = self._names(by_key)
        given = _given_names(entries) | names
        new_names = dart_names(by_key, self._warnings, given)
        behind = self._root.added
        for entry in entries:
            if entry.key in names:
                name = names[entry.key]
                self._change(entry, name)
                self._root.place_added(self._items[name][0])
                behind = behind_of[entry.key]
            elif entry.value or entry.value == "":
                self._insert(entry, new_names[entry.key], behind)
        return self._layout.content()

    def _names(
        self, entries: Mapping[str, Entry]
    ) -> tuple[dict[str, str], dict[str, list[TreeItem]]]:
        """The name of each key that the template has, and where the next one goes.

        Removes the messages of no entry, with their attributes.
        """
        names: dict[str, str] = {}
        behind: dict[str, list[TreeItem]] = {}
        items = self._root.items
        for at, item in enumerate(items):
            if item.name.startswith("@") or isinstance(item.value, TreeContainer):
                continue
            block = self._block(item.name)
            x_key = block.child(X_KEY) if block else None
            named = (
                x_key.value.text
                if x_key and isinstance(x_key.value, TreeValue)
                else None
            )
            key = named if named in entries else item.name
            if key is not None and key in entries:
                has_block = (
                    items[at + 1 : at + 2] and items[at + 1].name == f"@{item.name}"
                )
                names.setdefault(key, item.name)
                behind.setdefault(key, items[at + 1].after if has_block else item.after)
            elif item.value.text and not is_forbidden(item.name + item.value.text):
                self._remove(item.name)
        return names, behind

    def _block(self, name: str) -> TreeContainer | None:
        item = self._root.child(f"@{name}")
        value = item.value if item and not item.is_removed else None
        return (
            value if isinstance(value, TreeContainer) and not value.is_array else None
        )

    def _remove(self, name: str) -> None:
        for item in [*self._items[name], *self._items.get(f"@{name}", ())]:
            item.is_removed = True

    def _change(self, entry: Entry, name: str) -> None:
        block = self._block(name)
        mark_item = block.child(X_PLURAL) if block else None
        mark = _mark(mark_item)
        for item in self._items[name]:
            if not isinstance(item.value, TreeValue):
                continue
            raw = item.value.text
            if not entry.value and entry.value != "":
                if (
                    raw
                    and not is_forbidden(raw)
                    and (mark is not None or not is_torn(raw))
                ):
                    self._remove(name)
                return
            message, x_plural = self._message(entry, raw, mark)
            self._layout.set_text(item, message)
            if mark_item and x_plural != mark:
                mark_item.is_removed = True
            if x_plural is not None and x_plural != mark:
                self._set(name, block, item, X_PLURAL, x_plural)
        if block and self._is_source and entry.description:
            self._set(name, block, None, "description", entry.description)

    def _message(
        self, entry: Entry, raw: str | None, mark: object
    ) -> tuple[str, object]:
        """The message, spelled as it was, and its ``x-plural``."""
        value = entry.value or ""
        said, plural = meaning(raw, mark, entry.is_plural)
        is_plain = isinstance(said, str) and said != ""
        if is_plain and isinstance(value, Mapping) and value.keys() == {"other"}:
            return value["other"], mark
        if raw and _shown(said) == _shown(value):
            return raw, mark
        if isinstance(value, Mapping):
            if plural and raw:
                empty = {form: "" for form, text in plural.forms.items() if not text}
                forms = {**empty, **value}
                if forms.keys() == plural.forms.keys() and all(
                    map(_is_balanced, forms.values())
                ):
                    return respelled(raw, plural, forms), None
                detail = {FAMILY: {EXACT: plural.exact}}
                kept = {FAMILY: {ARGUMENT: plural.argument}}
                value = in_order(forms)
                entry = replace(entry, detail=detail, key_detail=kept)
            value = with_other(entry.key, value, self._warnings)
        message, attributes = _message(entry, value, self._warnings)
        return message, attributes.get(X_PLURAL)

    def _insert(self, entry: Entry, name: str, behind: list[TreeItem]) -> None:
        [value] = whole_texts(
            [_with_empty_forms(entry)], FAMILY, self._warnings
        ).values()
        message, attributes = _member(
            entry, name, value, self._is_source, self._warnings
        )
        item = self._root.child(name)
        if item is None:
            item = self._layout.add(self._root, behind, name, message)
        else:
            self._layout.set_text(item, message)
        if not attributes:
            return
        block = self._root.child(f"@{name}")
        if block is None:
            self._layout.add(self._root, item.after, f"@{name}", attributes)
        elif block.is_removed:
            new = self._layout.set_container(block, is_array=False)
            self._layout.fill(new, attributes)

    def _set(
        self,
        name: str,
        block: TreeContainer | None,
        item: TreeItem | None,
        member: str,
        value: object,
    ) -> None:
        """Set a member of a message's attributes."""
        if block is None:
            behind = item.after if item else self._root.added
            self._layout.add(self._root, behind, f"@{name}", {member: value})
            return
        found = block.child(member)
        if found is None:
            self._layout.add(block, block.added, member, value)
        elif isinstance(value, str):
            self._layout.set_text(found, value)
        else:
            found.is_removed = True
            self._layout.add(block, block.added, member, value)


def _mark(item: TreeItem | None) -> object:
    """The value of ``x-plural`` in the template."""
    if item is None:
        return None
    if isinstance(item.value, TreeContainer):
        texts = {
            inner.name: inner.value.text
            for inner in item.value.items
            if isinstance(inner.value, TreeValue)
        }
        return texts if as_forms(texts) else None
    return False if item.value.raw == "false" else None


def _shown(value: Text | None) -> Text | None:
    """The value without forms that show nothing."""
    if isinstance(value, Mapping):
        return {form: text for form, text in value.items() if text}
    return value
