"""Decides how a release is named, hashed and shown to the public."""

import hashlib
import re
from collections.abc import Mapping, Sequence

import msgspec

from locframework.events import Event
from locframework.projects.records import Language

from .records import (
    Distribution,
    FileChange,
    Manifest,
    ManifestDistribution,
    ManifestFile,
    ManifestFormat,
    ManifestProject,
    ManifestRelease,
    PublicHead,
    ReleaseDiff,
    ReleaseFile,
    ReleaseSnapshot,
    StoredRelease,
)

SCHEMA = "locframework.manifest/v1"
MANIFEST_CACHE = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"
FILE_CACHE = "public, max-age=31536000, immutable"
BUILDING_RETRY_SECONDS = 5

PUBLIC_KEY_BYTES = 32
PUBLIC_KEY = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
BLOB_NAME = re.compile(r"[0-9a-f]{64}", re.ASCII)

_CONTENT_EVENTS = (
    *("key.", "translation.", "language.added", "language.updated", "language.removed"),
    *("project.", "branch.merged", "import.completed"),  # comments of files
)


def file_path(language: str, module: str | None, extension: str) -> str:
    """The logical path: ``de.json``, ``de/checkout.json`` (decisions 2.8)."""
    if module is None:
        return f"{language}{extension}"
    return f"{language}/{module}{extension}"


def in_file_order(files: Sequence[ReleaseFile]) -> tuple[ReleaseFile, ...]:
    """By language, then module; the file without module first."""
    return tuple(sorted(files, key=lambda file: (file.language, file.module or "")))


def content_hash(files: Sequence[ReleaseFile]) -> str:
    """Return the SHA-256 over the lines ``language TAB module TAB contentHash`` in file
    order, each ended by a line feed (decisions 2.8)."""
    digest = hashlib.sha256()
    for file in in_file_order(files):
        line = f"{file.language}\t{file.module or ''}\tsha256:{file.blob}\n"
        digest.update(line.encode())
    return f"sha256:{digest.hexdigest()}"


def manifest(
    public_key: str,
    head: PublicHead,
    release: StoredRelease,
    snapshot: ReleaseSnapshot,
    urls: Mapping[str, str],
) -> Manifest:
    """The public manifest of a ready release (service.md, Distribution manifest).
    ``urls`` has the address of each file by the name of its blob."""
    record = release.release
    return Manifest(
        schema=SCHEMA,
        distribution=ManifestDistribution(public_key, head.name, head.channel),
        release=ManifestRelease(
            id=record.id,
            version=record.version,
            content_hash=record.content_hash or "",
            published_at=record.published_at or "",
        ),
        project=ManifestProject(snapshot.project_id, snapshot.source_language),
        format=ManifestFormat(
            snapshot.format_id, snapshot.key_separator, snapshot.extension
        ),
        languages=[language.code for language in snapshot.languages],
        language_details=list(snapshot.languages),
        files=[
            ManifestFile(
                language=file.language,
                module=file.module,
                path=file.path,
                url=urls[file.blob],
                content_hash=f"sha256:{file.blob}",
                byte_size=file.byte_size,
                content_type=file.content_type,
            )
            for file in release.files
        ],
        min_app_version=None,
        max_app_version=None,
        bundles=[],
    )


def manifest_etag(version: int, body: bytes) -> str:
    """``"r<version>-<16 hex>"`` (decisions 2.8); another body, another tag."""
    return f'"r{version}-{hashlib.sha256(body).hexdigest()[:16]}"'


def release_diff(
    old: StoredRelease | None, new: Sequence[ReleaseFile], version: int | None
) -> ReleaseDiff:
    """Return what changed from an old release to new files, in file order."""
    before = {(f.language, f.module): f for f in (old.files if old else ())}
    after = {(f.language, f.module): f for f in new}
    changes = [
        FileChange(
            "updated" if place in before else "added",
            file.language,
            file.module,
            file.path,
            file.byte_size,
            before[place].byte_size if place in before else None,
        )
        for place, file in after.items()
        if place not in before or before[place].blob != file.blob
    ]
    changes += [
        FileChange("removed", f.language, f.module, f.path, f.byte_size, f.byte_size)
        for place, f in before.items()
        if place not in after
    ]
    changes.sort(key=lambda change: (change.language, change.module or ""))
    touched = sum(1 for change in changes if change.change != "removed")
    from_version = old.release.version if old else None
    return ReleaseDiff(from_version, version, changes, len(new) - touched)


def chosen_of(
    distribution: Distribution, languages: Sequence[Language]
) -> list[Language]:
    """Return the languages that the distribution publishes, in the order of codes."""
    codes = distribution.language_codes
    chosen = [
        language
        for language in languages
        if codes is None or language.language_code in codes
    ]
    return sorted(chosen, key=lambda language: language.language_code)


def settings_of(distribution: Distribution, branch_id: str | None) -> str:
    """Return the settings that the files of a release depend on, as one text.
    ``branch_id``: a later branch may have the name of an ended one."""
    of = distribution
    settings = [of.format, of.language_codes, branch_id, of.split_by_module]
    settings += [of.min_status, of.missing]
    return msgspec.json.encode(settings).decode()


def changes_content(event: Event, branch: str | None) -> bool:
    """Return whether an event of main, or of this branch, may change a release."""
    is_relevant = event.branch is None or event.branch == branch
    return is_relevant and event.type.startswith(_CONTENT_EVENTS)
