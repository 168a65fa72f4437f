"""Records for the storage contract: valid, plain, changed where a test says so."""

from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from msgspec import Struct, structs

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

S = TypeVar("S", bound=Struct)

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


def sample(type_: type[S], fields: dict[str, Any], changes: dict[str, Any]) -> S:
    """Return a record with these fields; ``changes`` come before ``fields``. Another
    field is a new id, the time 0, None, the first of its literals, or empty."""
    given = fields | changes
    others = {
        each.name: _nothing(each.name, each.type)
        for each in structs.fields(type_)
        if each.required and each.name not in given
    }
    return type_(**others, **given)


def _nothing(name: str, type_: Any) -> Any:
    if name == "id":
        return new_id()
    if get_origin(type_) is Annotated:
        type_ = get_args(type_)[0]
    origin = get_origin(type_)
    if origin in (Union, UnionType):
        return None
    if origin is Literal:
        return get_args(type_)[0]
    return at(0) if name.endswith("_at") else (origin or type_)()


def organization(name: str | None = None, **changes: Any) -> Organization:
    name = f"Acme {new_id()}" if name is None else name
    fields = {"name": name, "slug": slug(name, new_id()), "tm_enabled": True}
    return sample(Organization, fields, changes)


def user(email: str = "ann@example.com", **changes: Any) -> User:
    return sample(User, {"email": email, "is_active": True}, changes)


def member(of: Organization, who: User, **changes: Any) -> Member:
    fields = {"organization_id": of.id, "user_id": who.id, "email": who.email}
    return sample(Member, {**fields, "name": "Ann", "role": "translator"}, changes)


def token(sha256: str, **changes: Any) -> StoredToken:
    """``changes`` are of the token; a ``user_id`` and the like of how it is kept."""
    kept = {
        name: changes.pop(name, None)
        for name in ("user_id", "organization_id", "revoked_at")
    }
    fields = {"kind": "personal", "name": "Laptop", "prefix": "svc_pat_abcd"}
    more = {"permissions": ("project_read", "key_create"), "expires_at": at(0, hour=23)}
    return StoredToken(sample(Token, fields | more, changes), sha256, **kept)


def project(of: Organization, name: str | None = None, **changes: Any) -> Project:
    name = f"Web shop {new_id()}" if name is None else name
    fields = {"organization_id": of.id, "name": name, "slug": slug(name, new_id())}
    more = {"source_language": "en", "key_separator": ".", "tm_enabled": True}
    return sample(Project, {**fields, **more, "check_severities": {}}, changes)


def language(of: Project, code: str, **changes: Any) -> Language:
    fields = {"project_id": of.id, "language_code": code, "label": code.upper()}
    return sample(Language, {**fields, "plural_forms": ("one", "other")}, changes)


def delete_language(storage: Storage, project_id: str, code: str) -> None:
    """Delete the language with that code."""
    for each in storage.projects.list_languages(project_id):
        if each.language_code == code:
            storage.projects.languages.delete(each.id, at(0))


def event(of: Project, type_: str = "key.created", **changes: Any) -> Event:
    fields = {"organization_id": of.organization_id, "project_id": of.id}
    items = [{"keyId": "k", "key": "a.b"}]
    more = {"type": type_, "actor": SYSTEM, "items": items}
    return sample(Event, fields | more, changes)


def job(
    of: Project, type_: str = "import", minute: int = 0, **changes: Any
) -> StoredJob:
    """Queued at ``minute``; ``changes`` of the job, or of how it is kept."""
    names = set(Job.__struct_fields__) & changes.keys()
    of_job = {name: changes.pop(name) for name in names}
    shown = {"project_id": of.id, "type": type_, "status": "queued", "created_by": "u1"}
    more = {"progress": Progress(0, 0), "created_at": at(minute)}
    grant = Grant(of.organization_id, frozenset({"import_run"}))
    kept = {
        "job": sample(Job, shown | more, of_job),
        "organization_id": of.organization_id,
        "permission": "import_run",
        "params": {"file": "abc", "dryRun": False},
        "caller": Caller(SYSTEM, (grant,)),
    }
    return sample(StoredJob, kept, changes)


def branch(of: Project, name: str = "spring", **changes: Any) -> Branch:
    fields = {"project_id": of.id, "name": name, "status": "open", "created_by": "u1"}
    return sample(Branch, fields, changes)


def add_project(storage: Storage, name: str | None = None, **changes: Any) -> Project:
    """A kept project in an organization of its own."""
    owner = organization()
    with storage.transaction():
        storage.access.organizations.insert(owner)
        return add_project_of(storage, owner, name, **changes)


def add_project_of(
    storage: Storage, owner: Organization, name: str | None = None, **changes: Any
) -> Project:
    """A kept project of an organization that is kept."""
    made = project(owner, name, **changes)
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
    made = structs.replace(add_project(storage), **changes)
    storage.projects.update(made)
    for code in codes or LANGUAGES:
        storage.projects.languages.insert(language(made, code))
    return made


def key(of: Project, name: str = "checkout.pay", **changes: Any) -> StoredKey:
    fields = {"project_id": of.id, "key": name, "key_source": "main"}
    return sample(StoredKey, fields, changes)


def value(
    of: StoredKey,
    code: str = "en",
    text: str = "Pay",
    form: str | None = None,
    **changes: Any,
) -> StoredValue:
    """Approved, unless ``changes`` say otherwise."""
    fields = {"key_id": of.id, "language_code": code, "plural_form": form}
    written = {"value": text, "status": "approved", "revision": 1, "origin": "human"}
    approved = {"approved_value": text, "approved_at": at(0), "approved_by": "u1"}
    more = {**written, **approved, "updated_by": "u1"}
    return sample(StoredValue, fields | more, changes)
