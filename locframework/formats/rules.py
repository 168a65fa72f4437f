"""Tells the language of a file from its path."""

import re
from collections.abc import Collection, Iterator

from locframework.languages import canonical_tag

_ANDROID = re.compile(
    r"values-(?:b\+(?P<bcp>[\w+]+)|(?P<old>[a-z]{2,3}(?:-r[A-Z]{2})?))"
)
_PLAIN = re.compile(
    r"[a-z]{2}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?", re.ASCII
)


def language_in_path(path: str, languages: Collection[str]) -> str | None:
    """The language that a path names, or None when it names none.

    ``languages`` are the project's, canonical; one of them is found anywhere a name
    or a folder is made of it: ``de/app.json``, ``app.de.json``, ``messages_de.po``,
    ``locale/pt_BR/LC_MESSAGES/django.po``, ``values-pt-rBR/strings.xml``,
    ``de.lproj/x.strings``. What stands later in the path wins over what stands
    before. Any other language is found only where a whole name is its two-letter
    code, with or without script and region, so that ``app.json`` names none.
    """
    named = list(_named(path))
    for tag, _ in named:
        if tag in languages:
            return tag
    return next((tag for tag, is_plain in named if is_plain), None)


def _named(path: str) -> Iterator[tuple[str, bool]]:
    """The tags that a path may mean, the likeliest first; whether each is plain."""
    *folders, name = path.replace("\\", "/").split("/")
    stem = name.split(".")[:-1] if "." in name else [name]
    for part in (".".join(stem), *reversed(stem)):
        yield from _tags(part)
    for folder in reversed(folders):
        yield from _tags(folder.removesuffix(".lproj"))


def _tags(part: str) -> Iterator[tuple[str, bool]]:
    android = _ANDROID.fullmatch(part)
    if android is not None:
        spelling = android["bcp"] or android["old"].replace("-r", "-")
        yield from _tag(spelling.replace("+", "-"))
        return
    yield from _tag(part)
    for separator in re.finditer(r"[-_]", part):
        for tag, is_plain in _tag(part[separator.end() :]):
            yield tag, False
            if is_plain:  # "pt_BR" of messages_pt_BR, and not its "BR" too
                return


def _tag(text: str) -> Iterator[tuple[str, bool]]:
    tag = canonical_tag(text)
    if tag is not None:
        yield tag, _PLAIN.fullmatch(text) is not None
