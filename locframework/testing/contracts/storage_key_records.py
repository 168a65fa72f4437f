"""Keys, values and what is delivered, for the storage contract: valid and plain."""

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
from locframework.ids import new_id
from locframework.keys.records import Key, StoredValue
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import add_project, at, language

LANGUAGES = ("en", "de", "ja")


def add_keys_project(storage: Storage, *codes: str, **changes: Any) -> Project:
    """A kept project with languages: those named, or LANGUAGES."""
    made = replace(add_project(storage), **changes)
    storage.projects.save_project(made)
    for code in codes or LANGUAGES:
        storage.projects.add_language(language(made, code))
    return made


def key(of: Project, name: str = "checkout.pay", **changes: Any) -> Key:
    made = Key(
        id=new_id(),
        project_id=of.id,
        key=name,
        description="",
        tags=(),
        is_plural=False,
        screenshot_url=None,
        screenshot_file_id=None,
        key_source="main",
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def value(
    of: Key,
    code: str = "en",
    text: str = "Pay",
    form: str | None = None,
    **changes: Any,
) -> StoredValue:
    """Approved, unless ``changes`` say otherwise."""
    made = StoredValue(
        key_id=of.id,
        language_code=code,
        plural_form=form,
        value=text,
        status="approved",
        is_outdated=False,
        revision=1,
        origin="human",
        approved_value=text,
        approved_at=at(0),
        approved_by="u1",
        updated_at=at(0),
        updated_by="u1",
    )
    return replace(made, **changes)


def draft(of: Key, code: str = "en", text: str = "Pay?", **changes: Any) -> StoredValue:
    """A text that nobody has approved."""
    nothing = {"approved_value": None, "approved_at": None, "approved_by": None}
    return value(of, code, text, **{"status": "draft", **nothing, **changes})


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
