"""The format json-nested: objects within objects, plurals as objects by CLDR form."""

from collections.abc import Mapping, Sequence

from locframework.ports import (
    Catalogue,
    FileOptions,
    FormatInfo,
    SourceFile,
    WrittenFile,
)

from .family import family_member
from .plurals import FORMS, is_whole_plural, whole_texts
from .strict_json import encoded, parse
from .tree import Node, Tree, flatten


class NestedJson:
    """``{"cart": {"title": "Cart", "items": {"one": "…", "other": "…"}}}``.

    A key is split on the project's separator. An object that holds only plural forms,
    all of them texts and ``other`` among them, is one plural key. What the tree has no
    room for keeps its whole name at the top level, with a warning: see Tree.
    """

    info = FormatInfo(
        id="json-nested",
        name="JSON, nested",
        extension=".json",
        content_type="application/json",
    )

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """True for JSON that none of its siblings claims; see family_member."""
        return family_member(file) == self.info.id

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; the file does not tell its language."""
        document = parse(file.content)
        leaves = flatten(document, options.key_separator, is_whole_plural)
        return [Catalogue(None, leaves.checked(), warnings=document.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """The tree. A plural without ``other`` says its last form there, and warns."""
        (catalogue,) = catalogues
        warnings: list[str] = []
        texts = whole_texts(catalogue.entries, warnings)
        tree = Tree(options.key_separator, texts)
        _part_from_plurals(tree)
        content = encoded(tree.root, self._indent)
        return WrittenFile(content, warnings + tree.warnings)


def _part_from_plurals(tree: Tree) -> None:
    """Flatten objects of ordinary keys that would be read as a plural."""
    for path, node in reversed(list(tree.nodes.items())):  # the inner ones first
        if node is None:
            continue
        if _looks_plural(node):
            tree.flatten(path, f"{path!r} would read as a plural")
        elif not node:
            tree.remove(path)


def _looks_plural(node: Node) -> bool:
    return (
        "other" in node
        and node.keys() <= FORMS
        and not any(isinstance(value, Mapping) for value in node.values())
    )
