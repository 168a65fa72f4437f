"""The formats yaml-rails and yaml-flat."""

import re
from collections.abc import Callable, Mapping, Sequence

from locframework.ports import (
    Catalogue,
    Detail,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    TextFile,
    WrittenFile,
    common_plural_forms,
    locale_tag,
    quoted,
    unreadable,
)

from .nodes import DEEPEST, Node, Path, Reader
from .scalars import key
from .writing import FAMILY, FORMS, PATH, PLAIN, Update, join

_PLAIN_PART = re.compile("[A-Za-z0-9_-]+")
_ROOT = re.compile(r"""["']?([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)["']?[ \t]*:""")
_NO_OTHER = "a plural without the form other"
_MARKS = ("#", "---", "...", "%", " ", "\t", "\r", "-")


class FlatYaml:
    """Keys nested or with whole names, as the file has them; new files are flat.

    An object of plural forms is a plural. Elements of arrays are keys by their
    position. A template changes in the lines of the texts that differ.
    """

    info = FormatInfo(
        "yaml-flat",
        "YAML",
        ".yml",
        "application/yaml",
        other_extensions=(".yaml",),
        limits=(_NO_OTHER,),
    )
    has_root = False

    def recognizes(self, file: SourceFile) -> bool:
        """False: it may be any YAML."""
        return False

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile."""
        faults = Faults()
        root = Reader(TextFile.of(file.content).text, faults).root
        code = options.language_code
        if root is not None and self.has_root:
            root = _language_node(root)
            code = (root and locale_tag(root.name)) or code
        entries: list[Entry] = []
        if root is not None:
            entries = _entries(root, code, options, faults, self.has_to_keep)
        faults.raise_any()
        named = code if root and self.has_root else None
        return [Catalogue(named, entries, warnings=faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. What has no place in the tree keeps its whole name at the top, with
        a warning; a plural without ``other`` has its last form there."""
        [catalogue] = catalogues
        file = TextFile.of(catalogue.template or b"")
        text, code = file.text, catalogue.language_code or options.source_language
        reader = Reader(text, Faults())
        top = root = reader.root
        if self.has_root:
            if root is None or not root.children:
                text += file.newline if text and not text.endswith("\n") else ""
                reader = Reader(f"{text}{key(code)}:{file.newline}", Faults())
                text, top = f"{text}{key(code)}:{file.newline}", reader.root
            root = _language_node(top) if top else None
        warnings: list[str] = []
        tops = root.children if root else []
        is_nested = self.has_root or any(node.names for node in tops)
        update = Update(text, root, file.newline, options.key_separator, warnings)
        update.keeps_anchors = reader.has_aliases
        if self.has_root and root and locale_tag(root.name) != locale_tag(code):
            assert root.key
            update.edits.append((*root.key, key(code)))
        places = {
            entry.key: self._path(entry, options.key_separator, is_nested=is_nested)
            for entry in catalogue.entries
        }
        content = update.content(catalogue.entries, places)
        return WrittenFile(file.encoded(content), warnings)

    def has_to_keep(self, path: Path) -> bool:
        """Whether the key alone does not tell where it stands in a new file."""
        return any(isinstance(part, int) for part in path)

    def _path(self, entry: Entry, separator: str, *, is_nested: bool) -> Path:
        kept = (entry.key_detail or {}).get(FAMILY)
        found = kept.get(PATH) if isinstance(kept, Mapping) else None
        if isinstance(found, Sequence) and found:
            path = tuple(p for p in found if isinstance(p, (int, str)))
            if join(path, separator) == entry.key and isinstance(path[0], str):
                return path
        parts = tuple(entry.key.split(separator))
        if entry.is_file_key and not all(map(_PLAIN_PART.fullmatch, parts)):
            return (entry.key,)
        return parts if is_nested else (entry.key,)


class RailsYaml(FlatYaml):
    """``de: {cart: {title: Korb, items: {one: …, other: …}}}``: texts in the object of
    their language, as Ruby's i18n reads them."""

    info = FormatInfo(
        "yaml-rails",
        "YAML, Rails",
        ".yml",
        "application/yaml",
        precedence=1,
        placeholders="ruby",
        other_extensions=(".yaml",),
        limits=(_NO_OTHER, "a key whose name begins another key"),
    )
    has_root = True

    def has_to_keep(self, path: Path) -> bool:
        """Whether it is in an array, has a name that is split, or may be a form."""
        are_plain = all(isinstance(p, str) and _PLAIN_PART.fullmatch(p) for p in path)
        return not are_plain or path[-1] in FORMS or len(path) > DEEPEST - 4

    def recognizes(self, file: SourceFile) -> bool:
        """Whether all is in one object named after a language that is in the file's
        name: ``config/locales/devise.de.yml``."""
        name = file.name.lower()
        if not self.info.is_name(name):
            return False
        lines = file.content.decode("utf-8-sig", "replace").splitlines()
        tops = [line for line in lines if line and not line.startswith(_MARKS)]
        root = _ROOT.match(tops[0]) if len(tops) == 1 else None
        names = re.split(r"[./]", name.replace("_", "-"))
        return root is not None and root[1].lower().replace("_", "-") in names


def _language_node(root: Node) -> Node | None:
    """The one key of the file. Raises UnreadableFile when it is no language."""
    for other in root.children[1:]:
        told = "the file has one key at the top, its language; see yaml-flat for others"
        raise unreadable(other.line, "language", told)
    for node in root.children:
        if (
            node.is_fixed
            or locale_tag(node.name) is None
            or node.kind in ("text", "seq")
        ):
            told = f"{quoted(node.name)} has to be a language that has keys"
            raise unreadable(node.line, "language", told)
        return node
    return None


def _entries(
    root: Node,
    code: str | None,
    options: FileOptions,
    faults: Faults,
    has_to_keep: Callable[[Path], bool],
) -> list[Entry]:
    separator, plurals = options.key_separator, options.plurals
    common = common_plural_forms(code) if code else frozenset[str]()

    def is_plural(name: str, node: Node) -> bool:
        kinds = {child.kind for child in node.children}
        if not FORMS.issuperset(node.names) or not {"text"} <= kinds <= {"text", "nil"}:
            return False
        if plurals.get(name):
            return True
        if any(plurals.get(f"{name}{separator}{form}") is False for form in node.names):
            return False
        if not common:
            return "other" in node.names
        rest = set(node.names) - common - {"zero", "many", "other"}
        return common.issubset(node.names) and not rest

    entries: dict[str, Entry] = {}
    nils: list[int] = []

    def add(node: Node, path: Path) -> None:
        name = join(path, separator)
        forms = None
        if node.is_fixed:
            return
        if node.kind == "map" and node.names and len(path) and is_plural(name, node):
            forms = {c.name: c.text for c in node.children if c.kind == "text"}
        elif node.kind in ("map", "seq"):
            for at, child in enumerate(node.children):
                add(child, (*path, at if node.kind == "seq" else child.name))
            return
        elif node.kind == "nil":
            nils.append(node.line)
            return
        elif node.kind != "text":
            told = f"{quoted(name)} is left as it is: it is no text"
            faults.warn(node.line, told)
            return
        is_known = forms is None and plurals.get(name, False)
        keeps = has_to_keep(path)
        key_detail: Detail | None = {FAMILY: {PATH: list(path)}} if keeps else None
        entry = Entry(
            name,
            forms or node.text,
            is_plural=forms is not None or is_known,
            line=node.line,
            key_detail=key_detail,
            detail={FAMILY: {PLAIN: True}} if is_known else None,
        )
        if name in entries:
            told = f"the key {quoted(name)} is there before, in line"
            faults.add(node.line, "duplicate", f"{told} {entries[name].line}")
        entries.setdefault(name, entry)

    add(root, ())
    if nils:
        told = f"no text is here, and in {len(nils)} places of the file"
        faults.warn(nils[0], f"{told}; they are left as they are")
    return [*entries.values()]
