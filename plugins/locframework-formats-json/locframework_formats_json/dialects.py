"""Recognizes JSON files of kinds that no format reads, so that none is misread."""

import re
from collections.abc import Iterable, Mapping

from locframework.ports import locale_tag, match_language

_CODE = re.compile(r"[a-z]{2}([-_][A-Z][a-z]{3})?([-_]([A-Z]{2}|[0-9]{3}))?")
_PIPE = re.compile(r"\S\s+\|\s+\S")
_COUNT = re.compile(r"\{(n|count)\}")
_GO_NAME = re.compile(r"(?:^|/)(?:active|translate)\.[\w-]+\.json$")
_TEXT = r'"(?:[^"\\]|\\.)*+"\s*'
_SIGNS = {
    id_: re.compile(pattern.encode())
    for id_, pattern in {
        # an array of messages, or a description or hash beside a form
        "json-go-i18n": rf'\A\s*+\[\s*\{{\s*"id"\s*:\s*{_TEXT},\s*"translation"\s*:'
        rf'|\{{\s*"(?:description|hash|leftDelim)"\s*:\s*{_TEXT},'
        r'\s*"(?:hash|leftDelim|rightDelim|zero|one|two|few|many|other)"\s*:\s*"',
        "json-nextcloud": r'\A\s*+\{\s*"translations"\s*:\s*\{(?s:.*)"pluralForm"\s*:',
        "json-i18next-v3": rf'"([^"\\]+)"\s*:\s*{_TEXT},\s*"\1_plural"\s*:',
        # a count beside a bar, and a linked message
        "json-vue-i18n": r"[^{]\{(?:n|count)\}[^}|\"][^|\"]{0,300}\|[^|]"
        r'|[^|]\|[^|"{]{0,300}\{(?:n|count)\}[^}]|[" ]@(?:\.[a-z]+)?:[A-Za-z_(]',
    }.items()
}


def envelope_of(members: Mapping[str, object]) -> str | None:
    """What kind of file this is, when its texts stand beside what is no text."""
    if len(members) > 1 and all(map(_is_language, members, members.values())):
        return "a file of several languages"
    return None


def sure_format(name: str, content: bytes) -> str | None:
    """The id of the format that a sign in the content tells, or its name."""
    if _GO_NAME.search(name):
        return "json-go-i18n"
    return next((id_ for id_, sign in _SIGNS.items() if sign.search(content)), None)


def is_chrome(members: Mapping[str, object]) -> bool:
    """Whether this is a messages.json of browser extensions."""
    return _are_all(members, "message", {"message", "description", "placeholders"})


def is_formatjs(members: Mapping[str, object]) -> bool:
    """Whether this is a file of messages that formatjs has extracted."""
    places = {"file", "line", "col", "start", "end"}
    names = {"defaultMessage", "description", "id", *places}
    return _are_all(members, "defaultMessage", names)


def is_root_of(members: Mapping[str, object], language_code: str | None) -> bool:
    """Whether all stands in one object that has the name of the language."""
    if len(members) != 1 or language_code is None:
        return False
    [(name, value)] = members.items()
    tag = locale_tag(name) if _is_language(name, value) else None
    return (
        tag is not None and match_language(tag, frozenset({language_code})) is not None
    )


def piped(texts: Iterable[tuple[int, str]]) -> list[int]:
    """The lines of texts that look like plurals of vue-i18n: ``Tag | {count} Tags``.

    None if no text has a count, for a title of a page has such a bar too.
    """
    found = [(line, text) for line, text in texts if "|" in text and _PIPE.search(text)]
    return (
        [line for line, _ in found] if any(_COUNT.search(t) for _, t in found) else []
    )


def _are_all(members: Mapping[str, object], name: str, names: set[str]) -> bool:
    """Whether each member is an object with this text, and some have more, or two."""
    texts = [
        value[name]
        for value in members.values()
        if isinstance(value, Mapping) and name in value and names.issuperset(value)
    ]
    are_all = len(texts) == len(members) and all(isinstance(t, str) for t in texts)
    has_more = any(len(v) > 1 for v in members.values() if isinstance(v, Mapping))
    return are_all and (has_more or len(texts) > 1)


def _is_language(name: str, value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and _CODE.fullmatch(name) is not None
        and locale_tag(name) is not None
    )
