"""Modules from the names of files, and the keys that texts of files have with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Literal

from msgspec.structs import replace

from locframework.formats.rules import module_path
from locframework.keys.catalogues import family_of
from locframework.keys.rules import legal_key

from .records import ReadFile


def with_modules(
    files: Sequence[ReadFile],
    separator: str,
    modules: Literal["auto", "always"],
    known: Collection[str],
    plain: Collection[str],
    kept: Mapping[str, str],
    renamed: Mapping[tuple[str, str], Sequence[str]],
) -> list[ReadFile]:
    """Return the files with their modules.

    A resource keeps the module that it has in ``kept``. Another file's module is its
    name. If a ``renamed`` file has that module (folders and name, by language and
    module), the folders that differ come before it, or a number behind it; the folders
    also if files of one name share keys (``django.po`` of each app).

    ``auto`` sets modules only if two files of a language share a key, or the module is
    ``known`` in the project; the paths ``plain`` were imported without, and stay so.
    """
    unnamed = plain if modules == "auto" else ()
    parts = [module_parts(file) for file in files]
    own = [module_name(file, separator) for file in files]
    resources = [resource_of(file) for file in files]
    names = [
        ""
        if path_of(file) in unnamed
        else kept.get(resource) or _known_module(each, separator, known) or name
        for file, resource, each, name in zip(files, resources, parts, own, strict=True)
    ]
    # a name that another file has gets the folders that differ, or a number
    owners = {**renamed}
    owners |= {
        (file.language_code, kept[resource]): each
        for file, resource, each in zip(files, resources, parts, strict=True)
        if resource in kept
    }
    taken = {*known, *kept.values()}
    beside: dict[str, str] = {}
    for file, resource, name in zip(files, resources, names, strict=True):
        other = owners.get((file.language_code, name))
        if other and resource not in kept and resource not in beside:
            module = module_beside(file, other, separator)
            if module == name:
                numbered = (f"{name}-{at}" for at in count(2))
                module = next(each for each in numbered if each not in taken)
                taken.add(module)
            beside[resource] = module
    names = [
        beside.get(resource) or name
        for resource, name in zip(resources, names, strict=True)
    ]
    wanted = {name for name in names if name in known or name in beside.values()}
    # files that share a key, and those of the same name
    holders: dict[tuple[str, str, str], int] = {}
    in_folders: set[str] = set()
    for at, file in enumerate(files):
        for entry in file.catalogue.entries:
            family = family_of(file.format)
            before = holders.setdefault((family, file.language_code, entry.key), at)
            if parts[before] != parts[at]:
                wanted |= {names[before], names[at]}
                if own[before] == own[at]:
                    in_folders.add(own[at])
    for name in in_folders:
        same = [at for at, other in enumerate(own) if other == name]
        start = _common([parts[at] for at in same])
        end = _common([parts[at][start:][::-1] for at in same])
        for at in same:
            if names[at] == name and resources[at] not in kept:
                folders = parts[at][start : len(parts[at]) - end]
                names[at] = _module_of((*folders, parts[at][-1]), separator)
                wanted.add(names[at])
    return [
        replace(file, module=name)
        if name and (name in wanted or modules == "always")
        else file
        for file, name in zip(files, names, strict=True)
    ]


def _common(rows: Sequence[Sequence[str]]) -> int:
    """Return how many parts all of them begin with."""
    columns = [len(set(column)) for column in zip(*rows, strict=False)]
    return next((at for at, found in enumerate(columns) if found > 1), len(columns))


def path_of(file: ReadFile) -> str:
    """Return the path of a file, or its name if it has none."""
    return file.path or file.kept_as or file.file.name


def module_parts(file: ReadFile) -> tuple[str, ...]:
    """Return the folders and name of a file that may be its module."""
    return module_path(path_of(file), file.language_code)


def module_name(file: ReadFile, separator: str) -> str:
    """Return the module from the name of a file, or ""."""
    return _module_of(module_parts(file)[-1:], separator)


def _module_of(parts: Sequence[str], separator: str) -> str:
    name = "-".join(parts).replace(separator, "-")
    return legal_key(name, separator) if name else ""


def module_beside(file: ReadFile, other: Sequence[str], separator: str) -> str:
    """Return the module from the part of a path that differs from ``other``, the
    folders and name of another file, or ""."""
    parts = module_parts(file)
    if parts[-1:] != (*other[-1:],):
        return module_name(file, separator)
    start = _common([parts, other])
    end = _common([parts[start:][::-1], other[start:][::-1]])
    folders = parts[start : len(parts) - end]
    return _module_of((*folders, parts[-1]), separator) if folders else ""


def has_module(parts: Sequence[str], separator: str, module: str) -> bool:
    """Return whether the module is in the folders and name of a file."""
    name = _module_of(parts[-1:], separator)
    return name == module or _known_module(parts, separator, (module,)) is not None


def _known_module(
    parts: Sequence[str], separator: str, known: Collection[str]
) -> str | None:
    """Return the known module that is in the folders and name of a file."""
    for start in range(len(parts) - 1 if known else 0):
        for end in range(start + 1, len(parts)):
            name = _module_of((*parts[start:end], parts[-1]), separator)
            if name in known:
                return name
    return None


def with_own_names(
    files: Sequence[ReadFile], own: Mapping[str, Mapping[str, str]]
) -> list[ReadFile]:
    """Return the files; those without a module have the names of their resources."""
    return [
        file
        if file.module is not None
        else replace(file, own_names=own.get(resource_of(file), {}))
        for file in files
    ]


def resource_of(file: ReadFile) -> str:
    """Return the resource of a file: what it has in common with the same file in other
    languages, and no others."""
    return resource_at(family_of(file.format), path_of(file), file.language_code)


def resource_at(family: str, path: str, language_code: str) -> str:
    """Return the resource of the file of a family that has the path."""
    return "/".join((family, *module_path(path, language_code)))


def name_in_project(file_key: str, file: ReadFile, separator: str) -> str:
    """Return the key that stands for what a file calls ``file_key``."""
    if file_key in file.own_names:
        return file.own_names[file_key]
    name = legal_key(file_key, separator)
    if file.module is None:
        return name
    prefix = f"{file.module}{separator}"
    if file.module_is_given and name.startswith(prefix):
        return name
    return prefix + name
