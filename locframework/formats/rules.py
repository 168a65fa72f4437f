"""Tells the language of a file from its path."""

import re
from collections.abc import Iterator

from locframework.languages import locale_tag, match_language

_ANDROID = re.compile(
    r"values-(?:b\+(?P<bcp>[\w+]+)|(?P<old>[a-z]{2,3}(?:-r[A-Z]{2})?))"
)
_ANDROID_CODES = {"he": "iw", "id": "in", "yi": "ji"}  # that all versions know
_DEFAULT = "values"  # Android's folder of the source language
_WITH_UNDERSCORES = ("properties", "ts")  # Java and Qt look for ``app_pt_BR``
_NEUTRAL = ".resx"  # of a file without a language in its name
_CAR = "values-car"  # resources for cars, and not in Carib
_PLAIN = re.compile(
    r"[a-z]{2}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?([-_][a-z]{5,8}|@[a-z]+)?",
    re.ASCII,
)
_WITH_REGION = re.compile(r"[a-z]{2}([-_][A-Z][a-z]{3})?[-_]([A-Z]{2}|[0-9]{3})")
_SEPARATOR = re.compile(r"[-_]")


def language_in_path(path: str, languages: frozenset[str]) -> str | None:
    """The language that a path names, or None when it names none.

    ``languages`` are the project's, canonical; one of them is found, by
    ``match_language``, where a whole name, a part of a name between dots, or a folder
    is its code: ``de/app.json``, ``app.de.json``, ``locale/pt_BR/LC_MESSAGES/x.po``,
    ``values-pt-rBR/strings.xml``, ``de.lproj/x.strings``, ``sr@latin.po``; then where
    one ends with it: ``messages_de.po``. What stands later in the path wins. Of
    ``.properties``, which Java names so, the end of the name comes first.

    A code with a region in capitals, with a script or variant behind ``@``, or in
    Android's spelling, is always a language, and a region by itself never is:
    ``ca_ES.json`` is in Catalan, whether the project has it or not. Any other language
    that the project lacks is found only where a whole name is its two-letter code, with
    or without script and region: ``app.json`` names none.
    """
    *folders, name = path.replace("\\", "/").split("/")
    stem, _, extension = name.rpartition(".") if "." in name else (name, "", "")
    names = [stem, *reversed(stem.split("."))]
    names += [folder.removesuffix(".lproj") for folder in reversed(folders)]
    parts = [_spelled(name) for name in dict.fromkeys(names)]
    of_android = {_spelled(folder) for folder in folders if _spelled(folder) != folder}
    wholes = [(part, True) for part in parts]
    ends = [(end, False) for part in parts for end in _ends(part)]
    if extension == "properties":
        ends_of_name = [(end, False) for end in _ends(stem)]
        wholes = [*ends_of_name, *wholes]
    lacking = None
    for part, is_whole in wholes + ends:
        tag = locale_tag(part)
        if tag is None:
            continue
        found = match_language(tag, languages)
        if found is not None:
            return found
        is_exact = _WITH_REGION.fullmatch(part) or ("@" in part and "-" in tag)
        if is_exact or (is_whole and part in of_android):
            return tag
        if lacking is None and is_whole and _PLAIN.fullmatch(part):
            lacking = tag
    return lacking


def is_in_default_folder(path: str) -> bool:
    """Return whether Android takes the texts of a path for all languages that have no
    others: ``res/values/strings.xml``. They are in the source language."""
    folders = path.replace("\\", "/").lower().split("/")
    return folders[-2:-1] == [_DEFAULT] and folders[-1].endswith(".xml")


def is_neutral(path: str) -> bool:
    """Return whether a path that names no language is of texts in the source language:
    those in Android's default folder, and .NET's ``Resources.resx``."""
    return is_in_default_folder(path) or path.lower().endswith(_NEUTRAL)


def languages_at_end(path: str) -> Iterator[tuple[str, str]]:
    """Yield the path up to a two-letter code at the end of its name, and the language:
    ``l10n/app_`` and ``de`` of ``l10n/app_de.arb``. The name alone does not tell
    whether it is one (``log-in.json``); names that begin alike do."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    stem = name.rpartition(".")[0] or name
    for end in _ends(stem):
        tag = locale_tag(end) if _PLAIN.fullmatch(end) else None
        if tag is not None:
            yield f"{folder}/{stem[: -len(end)]}", tag


def module_path(path: str, language: str) -> tuple[str, ...]:
    """The path without its extension and the parts that name the language.

    ``locales/de/common.json`` is ``locales``, ``common``; so is
    ``locales/common_de.json``. ``LC_MESSAGES`` goes with the language, and so does
    ``values``, which is Android's folder of the source language.
    """
    *folders, name = path.replace("\\", "/").split("/")
    stem = name.rpartition(".")[0] or name
    stem = ".".join(part for part in stem.split(".") if not _names(part, language))
    end = next((end for end in _ends(stem) if _names(end, language)), None)
    if end is not None:
        stem = stem[: -len(end) - 1]
    passed_over = {"", "LC_MESSAGES"}
    if is_in_default_folder(path):
        passed_over.add(_DEFAULT)
    folders = [each for each in folders if not _names(each, language)]
    return tuple(part for part in (*folders, stem) if part not in passed_over)


def path_in(path: str, language: str, other: str) -> str | None:
    """The path of the same file in another language; None where it names none."""
    *folders, name = path.replace("\\", "/").split("/")
    stem, dot, extension = name.rpartition(".") if "." in name else (name, "", "")

    def renamed(part: str) -> str:
        bare = part.removesuffix(".lproj")
        if not _names(bare, language):
            return part
        if bare != _spelled(bare):
            return _android_folder(other)
        is_posix = "_" in bare or extension in _WITH_UNDERSCORES
        code = other.replace("-", "_") if is_posix else other
        return part.replace(bare, code)

    pieces = [renamed(piece) for piece in stem.split(".")]
    end = next((end for end in _ends(stem) if _names(end, language)), None)
    if end is not None:
        pieces = [stem[: -len(end)] + renamed(end)]
    new = "/".join([*map(renamed, folders), ".".join(pieces) + dot + extension])
    if new == path and is_in_default_folder(path):
        new = "/".join([*folders[:-1], _android_folder(other), name])
    elif new == path and f".{extension.lower()}" == _NEUTRAL:
        new = f"{path.removesuffix(dot + extension)}.{other}{dot}{extension}"
    return new if new != path else None


def _android_folder(tag: str) -> str:
    """Return the folder of a language: ``values-pt-rBR``, ``values-b+sr+Latn``."""
    language, _, rest = tag.partition("-")
    if re.fullmatch("[A-Z]{2}|", rest):
        region = f"-r{rest}" if rest else ""
        return f"{_DEFAULT}-{_ANDROID_CODES.get(language, language)}{region}"
    return f"{_DEFAULT}-b+{tag.replace('-', '+')}"


def _names(part: str, language: str) -> bool:
    tag = locale_tag(_spelled(part.removesuffix(".lproj")))
    return tag is not None and match_language(tag, frozenset((language,))) == language


def _ends(part: str) -> Iterator[str]:
    """The ends of a part behind a separator, up to the first that is a plain code.

    So ``messages_pt_BR`` ends with ``pt_BR``, and not with ``BR`` too. What is a
    language as a whole ends with none.
    """
    if _PLAIN.fullmatch(part):
        return
    for separator in _SEPARATOR.finditer(part):
        end = part[separator.end() :]
        yield end
        if _PLAIN.fullmatch(end) and locale_tag(end):
            return


def _spelled(part: str) -> str:
    """A part of a path; the language of an Android folder of resources instead."""
    android = _ANDROID.fullmatch(part)
    if android is None or part == _CAR:
        return part
    spelling = android["bcp"] or android["old"].replace("-r", "-")
    return spelling.replace("+", "-")
