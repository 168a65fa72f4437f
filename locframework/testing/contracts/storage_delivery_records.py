"""What is delivered, for the storage contract: valid and plain."""

from typing import Any

from msgspec.structs import replace

from locframework.delivery.records import (
    Distribution,
    Release,
    ReleasedLanguage,
    ReleaseFile,
    ReleaseSnapshot,
    StoredRelease,
)
from locframework.fields import new_id
from locframework.projects.records import Project

from .storage_key_records import LANGUAGES
from .storage_records import at


def distribution(of: Project, name: str = "Web", **changes: Any) -> Distribution:
    made = Distribution(
        id=new_id(),
        project_id=of.id,
        public_key=new_id(),
        name=name,
        channel="stable",
        format="json-nested",
        language_codes=None,
        branch=None,
        split_by_module=False,
        min_status="approved",
        missing="omit",
        auto_publish=False,
        storage="disk",
        status="building",
        current_release=None,
        failed_release=None,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def building(of: Distribution, version: int = 1, **changes: Any) -> StoredRelease:
    """Being built; ``changes`` are of what is shown, or the ``storage``."""
    storage = changes.pop("storage", of.storage)
    shown = Release(
        id=new_id(),
        version=version,
        status="building",
        content_hash=None,
        file_count=0,
        byte_size=0,
        rolled_back_from=None,
        note="",
        warnings=(),
        error=None,
        created_by="u1",
        created_at=at(0),
        published_at=None,
    )
    return StoredRelease(replace(shown, **changes), of.id, storage, None, ())


def ready(release: StoredRelease, *blobs: str) -> StoredRelease:
    """The release, ready, with a file for each blob."""
    files = tuple(
        ReleaseFile(
            language=code,
            module=None if at_ % 2 else "checkout",
            path=f"{code}.json",
            blob=blob,
            byte_size=2**40 + at_,
            content_type="application/json",
        )
        for at_, (code, blob) in enumerate(zip(LANGUAGES, blobs, strict=False))
    )
    snapshot = ReleaseSnapshot(
        project_id="p1",
        source_language="en",
        format_id="json-nested",
        key_separator=".",
        extension=".json",
        languages=(ReleasedLanguage("en", "English", None, "ltr"),),
        last_event="e1",
        settings="[]",
    )
    shown = replace(
        release.release,
        status="ready",
        content_hash="sha256:ab",
        file_count=len(files),
        byte_size=sum(file.byte_size for file in files),
        warnings=("a and a.b clash",),
        published_at=at(2),
    )
    return replace(release, release=shown, snapshot=snapshot, files=files)
