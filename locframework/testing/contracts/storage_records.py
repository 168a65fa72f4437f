"""Records for the storage contract: valid, plain, changed where a test says so."""

from typing import Any

from msgspec.structs import replace

from locframework.access.records import (
    Caller,
    Grant,
    Member,
    Organization,
    StoredToken,
    Token,
    User,
)
from locframework.branches.records import Branch
from locframework.events import SYSTEM, Event
from locframework.fields import new_id, slug
from locframework.jobs.records import Job, Progress, StoredJob
from locframework.keys.records import StoredKey, StoredValue
from locframework.pagination import PageRequest
from locframework.projects.records import Language, Project
from locframework.storage import Storage

LANGUAGES = ("en", "de", "ja")
ALL = PageRequest(limit=200)

TEXTS = {
    "empty": "",
    "quotes": "'\"`; DROP TABLE projects; --",
    "placeholders": "? ?? %s %% %(a)s {0} $1 :name \\",
    "white space": " \t\r\n  two  spaces, \u00a0 \u2028 \u2029 ",
    "not composed": "e\u0301 \u00e9 \u212b",
    "scripts": "Größe 設定 ファイル שלום עברית العربية हिन्दी",
    "beyond the basic plane": "👩‍👩‍👧‍👦 𝒳 🇩🇪 \U0010ffff",
    "invisible": "\u200b\u200e\ufeff\u0001\u007f\uffff",
    "json": '{"a": null, "b": [1.0, 1e3], "\\u0041": "\\n"}',
    "long": "äß" * 30_000,
}
"""Texts that must come back byte for byte."""


def at(minute: int, hour: int = 12) -> str:
    """A time of one day, by minute."""
    return f"2026-11-21T{hour:02}:{minute:02}:00.000Z"


def organization(name: str = "Acme", **changes: Any) -> Organization:
    id_ = new_id()
    made = Organization(
        id=id_,
        slug=slug(name, id_),
        name=name,
        tm_enabled=True,
        delivery_quota=None,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def user(email: str = "ann@example.com", **changes: Any) -> User:
    made = User(new_id(), email, True, at(0))
    return replace(made, **changes)


def member(of: Organization, who: User, **changes: Any) -> Member:
    made = Member(
        id=new_id(),
        organization_id=of.id,
        user_id=who.id,
        email=who.email,
        name="Ann",
        role="translator",
        assigned_languages=None,
        project_ids=None,
        created_at=at(0),
    )
    return replace(made, **changes)


def token(sha256: str, **changes: Any) -> StoredToken:
    """``changes`` are of the token; a ``user_id`` and the like of how it is kept."""
    shown = Token(
        id=new_id(),
        kind="personal",
        name="Laptop",
        prefix="svc_pat_abcd",
        permissions=("project_read", "key_create"),
        project_id=None,
        assigned_languages=None,
        expires_at=at(0, hour=23),
        last_used_at=None,
        created_at=at(0),
    )
    kept = {
        name: changes.pop(name, None)
        for name in ("user_id", "organization_id", "revoked_at")
    }
    return StoredToken(replace(shown, **changes), sha256, **kept)


def project(of: Organization, name: str = "Web shop", **changes: Any) -> Project:
    id_ = new_id()
    made = Project(
        id=id_,
        slug=slug(name, id_),
        organization_id=of.id,
        name=name,
        description="",
        source_language="en",
        key_separator=".",
        main_protected=False,
        tm_enabled=True,
        blocking_checks=(),
        check_severities={},
        key_count=0,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def language(of: Project, code: str, **changes: Any) -> Language:
    made = Language(
        id=new_id(),
        project_id=of.id,
        language_code=code,
        label=code.upper(),
        icon=None,
        direction="ltr",
        is_source=False,
        fallback_language_code=None,
        plural_forms=("one", "other"),
        created_at=at(0),
    )
    return replace(made, **changes)


def delete_language(storage: Storage, project_id: str, code: str) -> None:
    """Delete the language with that code."""
    for each in storage.projects.list_languages(project_id):
        if each.language_code == code:
            storage.projects.languages.delete(each.id, at(0))


def event(of: Project, type_: str = "key.created", **changes: Any) -> Event:
    made = Event(
        id=new_id(),
        type=type_,
        organization_id=of.organization_id,
        project_id=of.id,
        branch=None,
        actor=SYSTEM,
        items=[{"keyId": "k", "key": "a.b"}],
        created_at=at(0),
    )
    return replace(made, **changes)


def job(
    of: Project, type_: str = "import", minute: int = 0, **changes: Any
) -> StoredJob:
    """Queued at ``minute``; ``changes`` of the job, or of how it is kept."""
    shown = Job(
        id=new_id(),
        project_id=of.id,
        type=type_,
        status="queued",
        progress=Progress(0, 0),
        result=None,
        error=None,
        created_by="u1",
        created_at=at(minute),
        started_at=None,
        finished_at=None,
    )
    grant = Grant(of.organization_id, frozenset({"import_run"}))
    kept = StoredJob(
        job=shown,
        organization_id=of.organization_id,
        permission="import_run",
        params={"file": "abc", "dryRun": False},
        caller=Caller(SYSTEM, (grant,)),
        owner=None,
        lease_until=None,
        attempt=0,
        cancel_requested=False,
    )
    of_job = {name: changes.pop(name) for name in list(changes) if hasattr(shown, name)}
    return replace(kept, job=replace(shown, **of_job), **changes)


def branch(of: Project, name: str = "spring", **changes: Any) -> Branch:
    made = Branch(
        id=new_id(),
        project_id=of.id,
        name=name,
        status="open",
        change_count=0,
        created_by="u1",
        created_at=at(0),
        updated_at=at(0),
        merged_at=None,
    )
    return replace(made, **changes)


def add_project(storage: Storage, name: str = "Web shop") -> Project:
    """A kept project in an organization of its own."""
    owner = organization()
    with storage.transaction():
        storage.access.organizations.insert(owner)
        return add_project_of(storage, owner, name)


def add_project_of(
    storage: Storage, owner: Organization, name: str = "Web shop"
) -> Project:
    """A kept project of an organization that is kept."""
    made = project(owner, name)
    storage.projects.insert(made)
    return made


def add_branch(
    storage: Storage, of: Project, name: str = "spring", **changes: Any
) -> Branch:
    """A kept branch, open unless ``changes`` say otherwise."""
    made = branch(of, name, **changes)
    storage.branches.add_branch(made)
    return made


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
