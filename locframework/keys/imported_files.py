"""The files that were last imported, as details keep them, and how branches merge them.

A new branch gets a copy of main's files as its base: what it imports is compared with
these, and not with what main imports later. An update of the branch replaces the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from locframework.branches.records import Branch
from locframework.fields import Timestamp

from .catalogues import MODULES, ImportedModules, imported_modules
from .records import FileDetail
from .store import KeyStore

_LAYOUT = "/layout"
_BASE = "/base"
"""Ends the families of a branch's base; alone, that of when it was brought."""


class Layout(Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """The file that was last imported for a language and module, for exports."""

    path: str
    format: str
    content: bytes  # zlib
    module: str | None = None
    module_is_given: bool = False
    other: Layout | None = None
    """The other side's file of a merge: its texts are bases too, and its keys belong
    into this file."""

    @property
    def identity(self) -> tuple[str, str | None]:
        """What no other file of the language and family has."""
        return self.path, self.module if self.module_is_given else None

    @property
    def digest(self) -> str:
        """Return what tells files apart."""
        return sha256(msgspec.json.encode(self)).hexdigest()[:32]


class Layouts(Struct, frozen=True, omit_defaults=True):
    """The files of one language and family, as a FileDetail keeps them."""

    files: list[Layout]
    replaced: list[tuple[str, str | None]] = []
    """Of an import: the identities of files that go."""


def layout_family(family: str) -> str:
    """Return the family that files as a whole are kept under, as details."""
    return f"{family}{_LAYOUT}"


def layouts_of(
    store: KeyStore, project_id: str, family: str, language_code: str
) -> list[Layout]:
    """Return the files of a language that were last imported. One statement."""
    found = store.details_of(project_id, layout_family(family), language_code, [""])
    return _files(found[0]) if found else []


def known_layouts(
    store: KeyStore, project_id: str, family: str, language_code: str
) -> list[Layout]:
    """Return the files of a language that an import follows: those that were last
    imported there; on a branch without them, its base. Two statements at most."""
    own = layout_family(family)
    for each in (own, f"{own}{_BASE}"):
        found = store.details_of(project_id, each, language_code, [""], own=True)
        if found:
            return _files(found[0])
    return []


def known_since(store: KeyStore, branch: Branch) -> Timestamp:
    """Return when the branch was made, or updated last. One statement."""
    found = store.details_of(branch.project_id, _BASE, "", [""], own=True)
    return str(found[0].detail["at"]) if found else branch.created_at


def new_base(main: KeyStore, project_id: str, now: Timestamp) -> list[FileDetail]:
    """Return main's files as the base of a branch that is updated. One statement, and
    one for each family of files."""
    families = imported_modules(main, project_id).formats
    files = [
        each
        for family in families
        for each in main.details_of(project_id, layout_family(family), None, [""])
    ]
    return [
        FileDetail(project_id, _BASE, "", "", "", {"at": now}),
        *as_base(files),
    ]


def as_base(details: Iterable[FileDetail]) -> list[FileDetail]:
    """Return the files among the details as the base of a branch."""
    return [
        replace(each, family=f"{each.family}{_BASE}")
        for each in details
        if each.family.endswith(_LAYOUT)
    ]


def with_files(
    known: ImportedModules,
    files: Iterable[tuple[str, Layout]],
    job_id: str,
    own_names: Mapping[str, dict[str, str]],
) -> ImportedModules:
    """Return the modules with those of files, which are given with their families."""
    modules, formats, plain = {**known.modules}, {**known.formats}, {*known.plain}
    for family, file in files:
        formats[family] = file.format
        if file.module is None:
            plain.add(file.path)
        else:
            modules[file.module] = file.module_is_given
            plain.discard(file.path)
    return ImportedModules(modules, formats, sorted(plain), job_id, {**own_names})


def merge_details(
    main: Sequence[FileDetail], branch: Sequence[FileDetail]
) -> list[FileDetail]:
    """Return the details that both sides have once they are merged.

    ``branch``: all of the branch's own; ``main``: those of the same keys. A side that
    changed a file since the base wins. Where both did, the file is main's, and the
    branch's is a base of the next import too. Other details are main's where main's
    files of the language changed. Modules are those of both.
    """
    of_main = {_identity(each): each for each in main}
    own = {_identity(each): each for each in branch}
    moved: set[tuple[str, str]] = set()
    merged: list[FileDetail] = []
    files: list[tuple[str, Layout]] = []
    for each in branch:
        if not each.family.endswith(_LAYOUT):
            continue
        now = _files(of_main.get(_identity(each)))
        base = _files(own.get(_identity(*as_base([each]))))
        found = Layouts(_merge_files(now, _files(each), base))
        family = each.family.removesuffix(_LAYOUT)
        files += [(family, file) for file in found.files]
        merged.append(_with_detail(each, found))
        if {file.digest for file in now} != {file.digest for file in base}:
            moved |= {(family, each.language_code), (family, "")}
    for each in branch:
        there = of_main.get(_identity(each))
        if each.family == MODULES:
            merged.append(_with_detail(each, _merge_modules(there, each, files)))
        elif not each.family.endswith((_LAYOUT, _BASE)):
            keeps = there is not None and (each.family, each.language_code) in moved
            merged.append(there if there is not None and keeps else each)
    return merged


def _merge_files(
    main: Sequence[Layout], branch: Sequence[Layout], base: Sequence[Layout]
) -> list[Layout]:
    paths = _new_paths(base, main) | _new_paths(base, branch)
    main, branch, base = (
        [replace(file, path=paths.get(file.identity, file.path)) for file in side]
        for side in (main, branch, base)
    )
    known = {file.digest for file in base}
    of_main = {each.identity: each for each in main}
    of_branch = {each.identity: each for each in branch}
    found: list[Layout] = []
    for identity in {**of_branch, **of_main}:
        ours, theirs = of_main.get(identity), of_branch.get(identity)
        main_left_it = ours is None or ours.digest in known
        if theirs is None:
            file = None if main_left_it else ours  # None: the branch replaced it
        elif theirs.digest in known or theirs == ours:
            file = ours
        elif ours is None:
            file = theirs
        elif main_left_it:
            file = theirs if theirs.other else _with_other(theirs, ours)
        else:
            file = _with_other(ours, theirs.other or theirs)
        if file is not None:
            found.append(file)
    return found


def _new_paths(
    base: Sequence[Layout], side: Sequence[Layout]
) -> dict[tuple[str, str | None], str]:
    """Return the new paths of files that a side moved, by their identities in the base:
    such a file has the name and the module of one that is gone."""
    before, after = {each.identity for each in base}, {each.identity for each in side}
    new = {_named(each): each.path for each in side if each.identity not in before}
    return {
        each.identity: new[_named(each)]
        for each in base
        if each.identity not in after and _named(each) in new
    }


def _named(file: Layout) -> tuple[str, str | None]:
    return file.path.rpartition("/")[2], file.module


def _with_other(file: Layout, other: Layout) -> Layout:
    return replace(file, other=replace(other, other=None))


def _merge_modules(
    main: FileDetail | None,
    branch: FileDetail,
    files: Iterable[tuple[str, Layout]],
) -> ImportedModules:
    theirs = msgspec.convert(branch.detail, ImportedModules)
    if main is None:
        return with_files(theirs, files, theirs.job_id, theirs.own_names)
    ours = msgspec.convert(main.detail, ImportedModules)
    both = ImportedModules(
        {**theirs.modules, **ours.modules},
        {**theirs.formats, **ours.formats},
        [*theirs.plain, *ours.plain],
    )
    ids = sorted({ours.job_id, theirs.job_id})
    job_id = ids[0] if len(ids) == 1 else sha256("".join(ids).encode()).hexdigest()
    own_names = {
        each: {**theirs.own_names.get(each, {}), **ours.own_names.get(each, {})}
        for each in {**theirs.own_names, **ours.own_names}
    }
    return with_files(both, files, job_id, own_names)


def _identity(each: FileDetail) -> tuple[str, str, str, str]:
    return each.family, each.key_id, each.module, each.language_code


def _files(detail: FileDetail | None) -> list[Layout]:
    return msgspec.convert(detail.detail, Layouts).files if detail else []


def _with_detail(each: FileDetail, detail: Layouts | ImportedModules) -> FileDetail:
    return replace(each, detail=msgspec.to_builtins(detail))
