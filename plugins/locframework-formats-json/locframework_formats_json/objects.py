"""JSON formats of objects: json-nested, json-flat and json-i18next."""

import re
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from posixpath import splitext
from typing import ClassVar, NamedTuple, TypeGuard, TypeVar

import msgspec

from locframework.ports import (
    PLURAL_FORMS,
    TREE_PATH,
    Catalogue,
    Detail,
    Entry,
    FileOptions,
    FormatInfo,
    Json,
    JsonDocument,
    JsonLayout,
    JsonObject,
    JsonUnreadable,
    SourceFile,
    Text,
    TreePath,
    TreeUpdate,
    UnreadableFile,
    WrittenFile,
    common_plural_forms,
    encoded_json,
    has_to_keep_path,
    in_order,
    kept_in,
    known_path,
    parse_json,
    quoted,
    tree_place,
    unreadable,
    with_other,
)

from .dialects import (
    envelope_of,
    is_chrome,
    is_formatjs,
    is_root_of,
    piped,
    sure_format,
)
from .trees import FORMS, PLAIN, Place, Tree

_TEXTS = frozenset({str, type(None), JsonUnreadable})
_SUFFIXES = re.compile(b"_(?:other|few)")
_SUFFIX = re.compile(rf"(.+)_({'|'.join(PLURAL_FORMS)})", re.DOTALL)

NO_OTHER = "a plural without the form other"
NO_TREE = "a key whose name begins another key"

Forms = dict[str, str | JsonUnreadable | None]  # as a file has them; null: no text


def is_plural(value: object) -> TypeGuard[Forms]:
    """Whether it is an object of texts or nulls by plural form, one at least."""
    return (
        isinstance(value, dict)
        and value != {}
        and FORMS.issuperset(value)
        and _TEXTS.issuperset(map(type, value.values()))
    )


class Plurals:
    """Tells plurals from ordinary keys that are named like their forms."""

    def __init__(self, options: FileOptions) -> None:
        self._known = options.plurals
        code = options.language_code
        self.is_source = code == options.source_language
        self._common = common_plural_forms(code) if code else frozenset()

    def known(self, key: str, names: Iterable[str], *, may_turn: bool) -> bool | None:
        """Whether a key is plural whose forms would be ``names`` as ordinary keys.

        None when nothing is known. ``may_turn``: a key that was one text may be a
        plural from now on.
        """
        known = self._known.get(key)
        if known or (known is False and not may_turn):
            return known
        is_ordinary = any(self._known.get(name) is False for name in names)
        return False if is_ordinary else None

    def fits(self, forms: Collection[str], *, stands_alone: bool) -> bool:
        """Whether the forms are those of a plural of which nothing is known.

        It has the forms that the language needs for integers, and none that it lacks;
        zero is for all, and many for millions. ``other`` without any more is a plural
        only where it ``stands_alone``. When the language is not known either, all that
        has ``other`` is a plural.
        """
        if not self._common:
            return "other" in forms
        lacking = set(forms) - self._common - {"zero", "many", "other"}
        is_whole = self._common.issubset(forms) and not lacking
        return is_whole and (stands_alone or len(forms) > 1)


def whole_texts(
    entries: Iterable[Entry], family: str, warnings: list[str]
) -> dict[str, Text]:
    """The text of each key that has one, plural forms in order.

    For the formats in which only ``other`` makes a plural. One without it (gettext's
    Polish has none) says there what its last form says, with a warning: clients find a
    message, and nothing is lost. What was one text in the file is one again.
    """
    texts: dict[str, Text] = {}
    for entry in entries:
        value = entry.value
        if type(value) is str:
            texts[entry.key] = value
        elif isinstance(value, Mapping) and value:
            if value.keys() == {"other"} and kept_in(entry.detail, family).get(PLAIN):
                texts[entry.key] = value["other"]
            else:
                texts[entry.key] = with_other(entry.key, value, warnings)
    return texts


class Leaf(NamedTuple):
    """A text of a file, or the object of a plural's forms."""

    key: str  # the names on its path, joined
    path: TreePath
    line: int
    value: str | Mapping[str, object] | None  # None: it is unreadable


def leaves(
    document: JsonDocument,
    separator: str,
    is_one: Callable[[str, Mapping[str, object]], bool],
) -> list[Leaf]:
    """All texts of the document in file order, and objects that ``is_one`` says.

    Numbers, booleans and null are no texts.
    """
    found: list[Leaf] = []

    def add(line: int, key: str, path: TreePath, value: Json) -> None:
        if isinstance(value, str) or value is JsonUnreadable.TEXT:
            text = value if isinstance(value, str) else None
            found.append(Leaf(key, path, line, text))
        elif isinstance(value, list):
            for at, inner in enumerate(value):
                add(line, f"{key}{separator}{at}", (*path, at), inner)
        elif isinstance(value, JsonObject):
            if is_plural(value) and is_one(key, value):
                found.append(Leaf(key, path, line, value))
                return
            for line, name, inner in value.numbered():
                add(line, f"{key}{separator}{name}", (*path, name), inner)

    for line, name, value in document.members.numbered():
        add(line, name, (name,), value)
    return without_duplicates(document, found)


def texts_in(forms: Mapping[str, object]) -> dict[str, str]:
    """The forms that have a text."""
    return {form: text for form, text in forms.items() if isinstance(text, str)}


Keyed = TypeVar("Keyed", Leaf, Entry)


def without_duplicates(document: JsonDocument, found: Sequence[Keyed]) -> list[Keyed]:
    """What was found; of a key given twice, ``a.b`` and ``b`` in ``a``, the first.

    Notes a fault where they differ, else a warning.
    """
    seen: dict[str, Keyed] = {}
    for one in found:
        first = seen.setdefault(one.key, one)
        if first is not one:
            told = f"the key {quoted(one.key)} is given twice"
            if first.value == one.value:
                document.warn(one.line or 1, f"{told}, equally")
            else:
                document.add(one.line or 1, "duplicate", told)
    return list(seen.values())


_CHROME = re.compile(r"(?:^|/)_locales/[^/]+/messages\.json$")
_SEGMENTED_KEY = re.compile(r"[A-Za-z0-9_-]+([.:/|][A-Za-z0-9_-]+)+")


def family_member(file: SourceFile) -> str | None:
    """The id of the format that claims the file; None when it is none of ours.

    - json-chrome: nothing but objects with a ``message``, or
      ``_locales/…/messages.json``;
    - json-formatjs: nothing but objects with a ``defaultMessage``;
    - arb: named ``.arb``, or a text ``@@locale`` at the top level;
    - json-i18next: some ``x_other`` beside another form of ``x``, or the three forms
      that Slavic languages have without it. A file with
      ``x_other`` alone, as Japanese has it, is not surely one: name the format;
    - json-i18next-v3, json-vue-i18n, json-go-i18n, json-nextcloud: see ``dialects``;
      json-laravel is never sure;
    - json-flat: nothing but texts and plurals at the top level, and a name made of
      segments, ``cart.title``;
    - json-nested: everything else named ``.json``, readable or not, for then its
      Problems tell more than "unknown format" would.

    A file that has no extension is judged by its content alone.
    """
    extension = splitext(file.name.lower())[1]
    if extension == ".arb":
        return "arb"
    if extension not in (".json", ""):
        return None
    try:
        members = msgspec.json.decode(file.content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        members = None
    sure = sure_format(file.name, file.content) if members else None
    if isinstance(members, list) and sure == "json-go-i18n":
        return sure
    if not isinstance(members, dict):
        return "json-nested" if extension else None
    if isinstance(members.get("@@locale"), str):
        return "arb"
    if is_chrome(members) or _CHROME.search(file.name):
        return "json-chrome"
    if is_formatjs(members):
        return "json-formatjs"
    if envelope_of(members):
        return "json-nested"
    if _SUFFIXES.search(file.content) and _has_suffixes(members):  # a quick look first
        return "json-i18next"
    if sure:
        return sure
    are_texts = all(is_flat(value) for value in members.values())
    has_segments = are_texts and any(map(_SEGMENTED_KEY.fullmatch, members))
    return "json-flat" if has_segments else "json-nested"


def is_flat(value: object) -> bool:
    """Whether it is no object but a plural, and no array that holds more than texts."""
    if isinstance(value, list):
        return not any(isinstance(inner, (dict, list)) for inner in value)
    return not isinstance(value, dict) or is_plural(value)


def _has_suffixes(members: Mapping[str, object]) -> bool:
    names = {name for name, value in members.items() if type(value) in _TEXTS}
    return (
        any(len(forms) > 1 for forms in plural_groups(names, ".").values())
        or any(
            {f"{name[:-4]}_one", f"{name[:-4]}_many"} <= names
            for name in names
            if name.endswith("_few")
        )
        or any(
            _has_suffixes(value)
            for value in members.values()
            if isinstance(value, dict)
        )
    )


class JsonFormat:
    """What the JSON formats have in common: how files are recognized, read, written."""

    info: ClassVar[FormatInfo]
    id_: ClassVar[str] = ""  # the name of the texts by which an array is an object

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the file is of this format and no other here; see family_member."""
        return family_member(file) == self.info.id

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile with a Problem for each fault."""
        document = parse_json(file.content, self.id_)
        catalogue = self.catalogue_of(document, options)
        document.raise_any()
        return [catalogue]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One object of the one catalogue: its template's, if there is one."""
        (catalogue,) = catalogues
        warnings: list[str] = []
        if catalogue.template is not None:
            has_text = any(entry.value for entry in catalogue.entries)
            with suppress(ValueError, UnreadableFile):  # it is no JSON any more
                layout = JsonLayout(catalogue.template, self.id_)
                if not has_text or (layout.root.items and self.fits(layout)):
                    content = self.update(layout, catalogue, options, warnings)
                    return WrittenFile(content, warnings)
        document = self.document_of(catalogue, options, warnings)
        return WrittenFile(encoded_json(document, self._indent), warnings)

    def fits(self, layout: JsonLayout) -> bool:
        """Whether a template with members is of this kind of JSON."""
        return True

    @abstractmethod
    def catalogue_of(self, document: JsonDocument, options: FileOptions) -> Catalogue:
        """The catalogue in a document; notes faults."""

    @abstractmethod
    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object] | list[object]:
        """The object that is written; adds warnings."""

    @abstractmethod
    def update(
        self,
        layout: JsonLayout,
        catalogue: Catalogue,
        options: FileOptions,
        warnings: list[str],
    ) -> bytes:
        """The template with the catalogue's texts; adds warnings."""


class ObjectJson(JsonFormat):
    """What the formats without metadata have in common."""

    _by_suffix = False  # how plurals are written: x_one, or one in x

    def catalogue_of(self, document: JsonDocument, options: FileOptions) -> Catalogue:
        """The catalogue in a document. No language: files do not tell."""
        found = self.leaves_of(document, options)
        entries = [self._entry(leaf, options) for leaf in found]
        if is_root_of(document.members, options.language_code):
            [name] = document.members
            told = f"all of it is in {name!r}, its language, so that its keys differ"
            document.warn(1, f"{told} from those of other languages")
        if lines := piped(
            [(e.line or 1, e.value) for e in entries if is_text(e.value)]
        ):
            told = "plurals of vue-i18n (a | b) are read as one text"
            document.warn(lines[0], f"{told} ({len(lines)} in the file)")
        return Catalogue(None, entries, warnings=document.warnings)

    def update(
        self,
        layout: JsonLayout,
        catalogue: Catalogue,
        options: FileOptions,
        warnings: list[str],
    ) -> bytes:
        """The template with the catalogue's texts."""
        separator = options.key_separator
        update = TreeUpdate(layout, separator, warnings, by_suffix=self._by_suffix)
        return update.content(catalogue.entries, self.place_of)

    @abstractmethod
    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The texts and plurals of a document; notes faults."""

    def place_of(self, entry: Entry, separator: str) -> tuple[TreePath, bool]:
        """Where a key stands in a file, and whether a file had it there."""
        return tree_place("json", entry, separator)

    def has_to_keep(self, path: TreePath, separator: str) -> bool:
        """Whether the key alone does not tell where it stands."""
        return has_to_keep_path(path, separator)

    def _entry(self, leaf: Leaf, options: FileOptions) -> Entry:
        key, path, line, value = leaf
        detail: Detail | None = None
        is_one = isinstance(value, Mapping)
        text: Text | None = (
            texts_in(value) or None if isinstance(value, Mapping) else value
        )
        if not is_one and options.plurals.get(key):
            is_one = True
            if isinstance(text, str):
                detail = {"json": {PLAIN: True}}
        keeps = self.has_to_keep(path, options.key_separator)
        key_detail = {"json": {TREE_PATH: list(path)}} if keeps else None
        return Entry(key, text, is_one, line=line, key_detail=key_detail, detail=detail)


def is_text(value: object) -> TypeGuard[str]:
    """Whether this is one text."""
    return isinstance(value, str)


class NestedJson(ObjectJson):
    """``{"cart": {"title": "Cart", "items": {"one": "…", "other": "…"}}}``.

    A key is split on the project's separator, unless a file had it elsewhere. What the
    tree has no room for keeps its whole name at the top level, with a warning: see
    Tree. For what is a plural see Plurals; one without ``other`` is written with its
    last form there, and a warning.
    """

    info = FormatInfo(
        "json-nested",
        "JSON, nested",
        ".json",
        "application/json",
        precedence=1,
        limits=(NO_OTHER, NO_TREE),
    )

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The leaves of the tree. Raises UnreadableFile for a file of another kind."""
        kind = envelope_of(document.members)
        if kind is not None:
            told = (
                f"this is {kind}, which no format reads yet; json-flat makes keys of it"
            )
            raise unreadable(1, "kind", told)
        separator, plurals = options.key_separator, Plurals(options)

        def is_one(key: str, forms: Mapping[str, object]) -> bool:
            names = [f"{key}{separator}{form}" for form in forms]
            known = plurals.known(key, names, may_turn=True)
            return plurals.fits(forms, stands_alone=True) if known is None else known

        return leaves(document, separator, is_one)

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object]:
        """The tree."""
        separator = options.key_separator
        texts = whole_texts(catalogue.entries, "json", warnings)
        places = []
        for entry in catalogue.entries:
            if entry.key in texts:
                path, is_known = self.place_of(entry, separator)
                places.append(Place(path, entry.key, texts[entry.key], is_known))
        tree = Tree(separator, places, warnings)
        tree.part_from_plurals()
        return tree.document()


class FlatJson(ObjectJson):
    """``{"cart.title": "Cart", "cart.items": {"one": "…", "other": "…"}}``.

    Keys stand as they are, so none can clash. An object of plural forms is a plural,
    also where it lacks ``other``. Other objects are read as nested, and written so
    where the template has them. An array of texts stays one.
    """

    info = FormatInfo("json-flat", "JSON, flat", ".json", "application/json")

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The members of the one object."""
        plurals, separator = Plurals(options), options.key_separator

        def is_one(key: str, forms: Mapping[str, object]) -> bool:
            names = [f"{key}{separator}{form}" for form in forms]
            return plurals.known(key, names, may_turn=True) is not False

        return leaves(document, separator, is_one)

    def place_of(self, entry: Entry, separator: str) -> tuple[TreePath, bool]:
        """The whole key, or the position of an array with that name."""
        path = known_path(entry, "json", separator)
        if path is not None and all(isinstance(part, int) for part in path[1:]):
            return path, True
        return (entry.key,), False

    def has_to_keep(self, path: TreePath, separator: str) -> bool:
        """Whether it is not a member of the one object."""
        return len(path) > 1

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object]:
        """One object, in the order of the catalogue."""
        places = []
        for entry in catalogue.entries:
            value = entry.value
            if isinstance(value, Mapping) and value:
                is_plain = kept_in(entry.detail, "json").get(PLAIN)
                forms = in_order(value)
                text = forms.get("other") if is_plain and len(forms) == 1 else None
                value = forms if text is None else text
            if value or value == "":
                path, _ = self.place_of(entry, options.key_separator)
                places.append(Place(path, entry.key, value))
        return Tree(options.key_separator, places, warnings).document()


class I18nextJson(ObjectJson):
    """``{"cart": {"title": "Cart", "items_one": "…", "items_other": "…"}}``.

    Names ``x_zero`` to ``x_other`` are the forms of the plural key ``x``: see Plurals.
    Ordinals (``x_ordinal_one``) and contexts (``x_male``) are ordinary keys. What the
    tree has no room for keeps its whole name at the top level, where i18next finds it
    too. Source: i18next, JSON Format v4.
    """

    info = FormatInfo(
        "json-i18next",
        "JSON, i18next v4",
        ".json",
        "application/json",
        precedence=2,
        placeholders="i18next",
        limits=(NO_OTHER, NO_TREE, "keys named like the plural form of another"),
    )
    _by_suffix = True

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The leaves of the tree, forms put together where the first of them stood."""
        found = leaves(document, options.key_separator, lambda *_: False)
        plurals, by_key = Plurals(options), {leaf.key: leaf for leaf in found}
        names: dict[str, dict[str, str]] = {}
        for key, leaf in by_key.items():
            suffix = _SUFFIX.fullmatch(key)
            if suffix and leaf.path[-1] != f"_{suffix[2]}":
                names.setdefault(suffix[1], {})[suffix[2]] = key
        keys = sorted(by_key)
        groups: dict[str, dict[str, str]] = {}
        for stem, forms in names.items():
            known = plurals.known(stem, forms.values(), may_turn=plurals.is_source)
            if known is None and stem not in by_key and not stem.endswith("_ordinal"):
                second = bisect_left(keys, f"{stem}_") + 1
                others = keys[second : second + 1]
                is_alone = not others or not others[0].startswith(f"{stem}_")
                known = plurals.fits(forms, stands_alone=is_alone)
            if known:
                groups[stem] = forms
        stem_of = {
            name: key for key, forms in groups.items() for name in forms.values()
        }
        grouped: list[Leaf] = []
        seen: set[str] = set()
        for leaf in found:
            stem = stem_of.get(leaf.key, "")
            if stem and stem not in seen:
                seen.add(stem)
                grouped.append(_plural_of(stem, leaf, groups[stem], by_key))
            elif leaf.key in groups:
                told = f"{quoted(leaf.key)} is left out: it is a plural, and its forms"
                document.warn(leaf.line, f"{told} are there too")
            elif not stem:
                grouped.append(leaf)
        return grouped

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object]:
        """The tree. What i18next cannot tell apart is written or left out as told.

        Left out, with a warning: an ordinary key that has the name of a form of a
        plural key. Written, with a warning: keys whose names will read as a plural
        (``x_other`` without ``x``), or the reverse.
        """
        separator = options.key_separator
        texts = whole_texts(catalogue.entries, "json", warnings)
        names: dict[str, Place] = {}
        for entry in catalogue.entries:
            key, value = entry.key, texts.get(entry.key)
            path, is_known = self.place_of(entry, separator)
            if isinstance(value, Mapping):
                for form, text in value.items():
                    name, at = f"{key}_{form}", (*path[:-1], f"{path[-1]}_{form}")
                    names[name] = Place(at, name, text, is_known)
                continue
            base, _, form = key.rpartition("_")
            if form in FORMS and not isinstance(texts.get(base, ""), str):
                told = f"is left out: it is a form of the plural {quoted(base)}"
                warnings.append(f"{quoted(key)} {told}")
            elif value is not None:
                names[key] = Place(path, key, value, is_known)
        groups = plural_groups(names, separator)
        for key, forms in groups.items():
            if isinstance(texts.get(key, ""), str):
                warnings += [
                    f"{quoted(name)} will read as a form of the plural {quoted(key)}"
                    for name in forms.values()
                ]
        for key, value in texts.items():
            if not isinstance(value, str) and key not in groups:
                warnings.append(f"the plural {quoted(key)} will read as ordinary keys")
        return Tree(separator, [*names.values()], warnings).document()


def _plural_of(
    stem: str, first: Leaf, names: Mapping[str, str], by_key: Mapping[str, Leaf]
) -> Leaf:
    """The plural with these names, where the first of them stands."""
    end = len(first.key) - len(stem)
    path = (*first.path[:-1], str(first.path[-1])[:-end])
    forms = {form: by_key[name].value for form, name in names.items()}
    return Leaf(stem, path, first.line, forms)


def plural_groups(names: Collection[str], separator: str) -> dict[str, dict[str, str]]:
    """Which names look like the forms of one plural key: key to form to name.

    ``x_zero`` to ``x_other``, when ``x_other`` is there and ``x`` itself is not.
    Ordinals, ``x_ordinal_other``, are left as they are; so is a bare ``_other``.
    """
    groups = {}
    for name in [name for name in names if name.endswith("_other")]:
        key = name.removesuffix("_other")
        if key in names or not key or key.endswith((separator, "_ordinal")):
            continue
        forms = {form: f"{key}_{form}" for form in PLURAL_FORMS}
        groups[key] = {form: each for form, each in forms.items() if each in names}
    return groups
