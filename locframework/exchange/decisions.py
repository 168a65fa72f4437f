"""What clients say of single texts: what they saw last, and what they decided."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from locframework.errors import Problem, ValidationFailed, abbreviate, truncate
from locframework.formats.records import PLURAL_FORMS
from locframework.keys.store import KeyStore
from locframework.languages import canonical_tag
from locframework.projects.records import Project
from locframework.validation import forbidden, refusal

from .modules import name_in_project
from .records import (
    ImportDecisions,
    ImportedKey,
    ImportForm,
    ImportResolution,
    ReadFile,
    Seen,
)

NAMES_LOOKED_UP = 1000  # in the project

_resolutions = msgspec.json.Decoder(tuple[ImportResolution, ...])
_seen = msgspec.json.Decoder(dict[str, dict[str, object]])
_HASH = re.compile("[0-9a-f]{64}")
_FORMS = ("", *PLURAL_FORMS)


def decisions_in(resolutions: bytes | None, seen: bytes | None) -> ImportDecisions:
    """Return what the form of an import says in JSON. Raises ValidationFailed."""
    decided = _decoded(_resolutions, resolutions, "form.resolutions")
    known = _decoded(_seen, seen, "form.seen")
    return ImportDecisions(decided or (), known or {})


def _decoded(
    decoder: msgspec.json.Decoder[Any], content: bytes | None, path: str
) -> Any:
    try:
        return decoder.decode(content) if content else None
    except msgspec.ValidationError as error:
        raise refusal(error, None, ImportForm, path) from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ValidationFailed.at(path, "json", str(error)) from None


def check_seen(seen: Mapping[str, Mapping[str, object]]) -> None:
    """Raise ValidationFailed for forms and hashes that can match no text."""
    if problems := list(_faults_of(seen)):
        raise ValidationFailed.of(problems)


def _faults_of(seen: Mapping[str, Mapping[str, object]]) -> Iterator[Problem]:
    for path, keys in seen.items():
        for key, forms in keys.items():
            if not isinstance(forms, Mapping):
                told = 'must be an object: {"": hash}, or a hash for each plural form'
                yield Problem(_place(path, key), "type", told)
                continue
            for form, digits in forms.items():
                if form not in _FORMS:
                    told = f'is no plural form; use "" or {", ".join(PLURAL_FORMS)}'
                    yield Problem(_place(path, key, form), "form", told)
                elif not (isinstance(digits, str) and _HASH.fullmatch(digits)):
                    told = "must be the SHA-256 of the text, 64 digits 0-9 a-f, not"
                    told += f" {abbreviate(str(digits))!r}"
                    yield Problem(_place(path, key, form), "hash", told)


def _place(*names: str) -> str:
    return "form.seen" + "".join(f"[{abbreviate(name)!r}]" for name in names)


def check_paths(seen: Seen, paths: Collection[str]) -> None:
    """Raise ValidationFailed for paths that no file has."""
    problems = [
        Problem("form.seen", "path", f"no file has the path {truncate(path)!r}")
        for path in seen
        if path not in paths
    ]
    if problems:
        raise ValidationFailed.of(problems)


def set_seen(
    files: Sequence[ReadFile],
    found: Sequence[ImportedKey],
    seen: Seen,
    store: KeyStore,
    project: Project,
) -> list[str]:
    """Note with each key what the client saw last of it, if it says so.

    In files of several languages, names begin with the language and a colon. Return
    warnings.
    """
    keys = {key.name: key for key in found} if seen else {}
    separator, lacking = project.key_separator, []
    for file in files:
        in_file = seen.get(file.path or file.file.name)
        if in_file is None:
            continue
        start = f"{file.language_code}:" if file.format.multilingual else ""
        hashes = {
            name.removeprefix(start): of_text
            for name, of_text in in_file.items()
            if name.startswith(start)
        }
        used = set()
        for entry in file.catalogue.entries:
            called = entry.name or entry.key
            name = called if called in hashes else entry.key
            used.add(name)
            key = keys.get(name_in_project(entry.key, file, separator))
            if key is not None:
                key.seen[file.language_code] = dict(hashes.get(name, {}))
        if names := [name for name in hashes if name not in used]:
            lacking.append((file, names))
    return _not_in_files(lacking, store, project) if lacking else []


def _not_in_files(
    lacking: Sequence[tuple[ReadFile, list[str]]], store: KeyStore, project: Project
) -> list[str]:
    """Return a warning for each file that lacks names which the client saw, but for
    those that the project has: they left the file since."""
    separator = project.key_separator
    placed = (
        (name, name_in_project(name, file, separator))
        for file, missing in lacking
        for name in missing
        if not forbidden(name)
    )
    looked_up = dict(islice(placed, NAMES_LOOKED_UP))
    names, file_keys = {*looked_up.values()}, {*looked_up}
    found = store.find_keys(project.id, names=names, file_keys=file_keys).values()
    there = {name for key in found for name in (key.key, key.file_key) if name}
    warnings = []
    for file, missing in lacking:
        unknown = [
            name
            for name in missing
            if name not in there and looked_up.get(name) not in there
        ]
        if unknown:
            told = ", ".join(repr(abbreviate(name)) for name in unknown[:3])
            many = f"{len(unknown)} of the names in seen are"
            path = truncate(file.path or file.file.name)
            warnings.append(f"{path}: {many} not in the file, first {told}")
    return warnings


def set_decided(
    found: Sequence[ImportedKey], resolutions: Sequence[ImportResolution]
) -> list[Problem]:
    """Note with each key what resolutions decide of it.

    Return the problems: texts that the files do not have, and second resolutions.
    """
    keys = {key.name: key for key in found} if resolutions else {}
    codes = {each.language_code for each in resolutions}
    tags = {code: canonical_tag(code) or code for code in codes}
    problems = []
    for at, each in enumerate(resolutions):
        path, tag = f"form.resolutions[{at}]", tags[each.language_code]
        key, form = keys.get(each.key), each.plural_form or ""
        if key is None:
            told = f"no file has the key {abbreviate(each.key)!r}"
            told += "; name it as the list of conflicts does"
            problems.append(Problem(f"{path}.key", "key", told))
        elif tag not in key.values:
            told = f"no file has a text of {abbreviate(each.key)!r} in {tag!r}"
            problems.append(Problem(f"{path}.languageCode", "language", told))
        elif form in key.decided.get(tag, {}):
            problems.append(Problem(path, "unique", "decides a text a second time"))
        else:
            key.decided.setdefault(tag, {})[form] = each.use
    return problems
