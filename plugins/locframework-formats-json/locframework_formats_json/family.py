"""Tells the JSON formats apart, so that one of them at most claims a file."""

import re
from posixpath import splitext

from locframework.ports import SourceFile, UnreadableFile

from .plurals import is_never_plural, is_plural, plural_groups
from .strict_json import Document, parse
from .tree import as_texts, flatten

_SEGMENTED_KEY = re.compile(r"[A-Za-z0-9_-]+([.:/|][A-Za-z0-9_-]+)+")


def family_member(file: SourceFile) -> str | None:
    """The id of the format that claims the file; None when it is none of ours.

    - arb: named ``.arb``, or a text ``@@locale`` at the top level;
    - json-i18next: some ``x_other`` beside another form of ``x``. A file with
      ``x_other`` alone, as Japanese has it, is not surely one: name the format;
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
        document = parse(file.content)
    except UnreadableFile:
        return "json-nested" if extension else None
    if any(n == "@@locale" and isinstance(v, str) for n, v in document.members.items()):
        return "arb"
    if b"_other" in file.content and _has_suffixes(document):  # a quick look first
        return "json-i18next"
    return "json-flat" if _is_flat(document) else "json-nested"


def _has_suffixes(document: Document) -> bool:
    names = set(flatten(document, ".", is_never_plural).keys)
    return any(len(forms) > 1 for forms in plural_groups(names, ".").values())


def _is_flat(document: Document) -> bool:
    texts = as_texts(document.members, is_plural)
    return texts is not None and any(map(_SEGMENTED_KEY.fullmatch, texts))
