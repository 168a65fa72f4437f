"""Keys and values for the storage contract: valid and plain."""

from typing import Any

from msgspec.structs import replace

from locframework.fields import new_id
from locframework.keys.records import StoredKey, StoredValue
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import add_project, at, language

LANGUAGES = ("en", "de", "ja")


def add_keys_project(storage: Storage, *codes: str, **changes: Any) -> Project:
    """A kept project with languages: those named, or LANGUAGES."""
    made = replace(add_project(storage), **changes)
    storage.projects.update(made)
    for code in codes or LANGUAGES:
        storage.projects.languages.insert(language(made, code))
    return made


def key(of: Project, name: str = "checkout.pay", **changes: Any) -> StoredKey:
    made = StoredKey(
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
    of: StoredKey,
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


def draft(
    of: StoredKey, code: str = "en", text: str = "Pay?", **changes: Any
) -> StoredValue:
    """A text that nobody has approved."""
    nothing = {"approved_value": None, "approved_at": None, "approved_by": None}
    return value(of, code, text, **{"status": "draft", **nothing, **changes})
