"""A small area of its own, served the way every real one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType, field

from locframework.errors import (
    KeyExists,
    PermissionDenied,
    ProjectNotFound,
    Unauthorized,
    Unavailable,
)
from locframework.events import Actor
from locframework.http.app import build_wsgi
from locframework.http.docs import ServiceEndpoints
from locframework.http.operation import RawResponse, operation
from locframework.http.rate_limit import MemoryWindows, RateLimiter
from locframework.http.records import Accepted, Raw, RequestInfo, Upload
from locframework.pagination import Page, PageRequest
from locframework.testing.client import Client, WsgiApp


class Token(Struct, frozen=True):
    id: str


class Caller(Struct, frozen=True):
    actor: Actor
    permissions: frozenset[str] = frozenset()
    token: Token | None = None


WRITER = Caller(Actor("user", "w"), frozenset({"note_write", "note_read"}), Token("t1"))
READER = Caller(Actor("user", "r"), frozenset({"note_read"}), Token("t2"))
EMBEDDED = Caller(Actor("user", "e"), frozenset({"note_read"}))


class NoteQuery(PageRequest, frozen=True, rename="camel"):
    """What a list of notes is asked by."""

    search: Annotated[str, Meta(max_length=10)] | None = None
    is_open: bool | None = None
    tag: Annotated[list[str], Meta(max_length=3)] = field(default_factory=list)
    sort_by: Literal["name", "age"] = "name"


class NewNote(Struct, frozen=True, rename="camel"):
    """The body that makes a note (decisions 9.9)."""

    name: Annotated[str, Meta(min_length=1, max_length=20, examples=["Milk"])]
    is_open: bool = True
    stars: Annotated[int, Meta(ge=0, le=5)] = 0
    weight: float = 0.0
    texts: dict[str, str | dict[str, str]] = {}


class NoteChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a note may name."""

    name: str | UnsetType = UNSET


class Run(Struct, frozen=True, rename="camel"):
    """How to run; all of it may be left out."""

    dry_run: bool = False


class NoteForm(Struct, frozen=True, rename="camel"):
    """A file with notes."""

    file: Upload
    more: Upload | None = None
    mode: Literal["merge", "replace"] = "merge"
    dry_run: bool = False
    tags: list[str] = []


class Note(Struct, frozen=True, rename="camel"):
    """A note."""

    id: str
    name: str
    is_open: bool


class NoteAnswer(Struct, frozen=True):
    """One note."""

    note: Note


class Job(Struct, frozen=True):
    """A job."""

    id: str


class JobAnswer(Struct, frozen=True):
    """One job."""

    job: Job


class Told(Struct, frozen=True):
    """What a form held."""

    name: str
    size: int
    content_type: str
    mode: str
    dry_run: bool
    tags: list[str]
    more: str | None


class NoteEndpoints:
    """The service of a real area checks by itself; so does this one."""

    def __init__(self) -> None:
        self.got: list[Any] = []

    @operation(
        "POST",
        "/projects/{projectId}/notes",
        permission="note_write",
        status=201,
        errors=(ProjectNotFound, KeyExists),
        tag="Notes",
    )
    def create_note(
        self, caller: Caller, project_id: str, query: NoteQuery, body: NewNote
    ) -> NoteAnswer:
        """Make a note.

        With ``name``.
        """
        guard(caller, "note_write", project_id)
        self.got.append(body)
        return NoteAnswer(Note("1", body.name, body.is_open))

    @operation(
        "GET",
        "/projects/{projectId}/notes",
        permission="note_read",
        errors=(ProjectNotFound,),
        tag="Notes",
    )
    def list_notes(
        self, caller: Caller, project_id: str, query: NoteQuery
    ) -> Page[Note]:
        """List notes."""
        guard(caller, "note_read", project_id)
        self.got.append(query)
        return Page([], 0, query.page, query.limit)

    @operation(
        "PATCH",
        "/projects/{projectId}/notes/{noteId}",
        permission="note_write",
        errors=(ProjectNotFound,),
        tag="Notes",
    )
    def update_note(
        self, caller: Caller, project_id: str, note_id: str, body: NoteChanges
    ) -> NoteAnswer:
        """Change a note."""
        return NoteAnswer(Note(note_id, str(body.name), is_open=True))

    @operation("POST", "/projects/{projectId}/run", permission="note_write", tag="Jobs")
    def run(
        self, caller: Caller, project_id: str, body: Run
    ) -> JobAnswer | Accepted[JobAnswer]:
        """Run, or pretend to."""
        answer = JobAnswer(Job("j1"))
        accepted = Accepted(answer, f"/projects/{project_id}/jobs/j1")
        return answer if body.dry_run else accepted

    @operation(
        "POST",
        "/projects/{projectId}/import",
        permission="note_write",
        errors=(ProjectNotFound,),
        tag="Jobs",
    )
    def import_notes(self, caller: Caller, project_id: str, form: NoteForm) -> Told:
        """Read a file."""
        file = form.file
        return Told(
            file.name,
            len(file.content),
            file.content_type,
            form.mode,
            form.dry_run,
            form.tags,
            form.more.name if form.more else None,
        )

    @operation("POST", "/notes", permission="note_write", tag="Notes")
    def create_anywhere(self, caller: Caller, body: NewNote) -> NoteAnswer:
        """Make a note that belongs nowhere."""
        return NoteAnswer(Note("1", body.name, body.is_open))

    @operation("GET", "/whoami", permission=None, tag="Callers")
    def whoami(self, caller: Caller, request: RequestInfo) -> Caller:
        """Get the caller."""
        self.got.append(request)
        return caller

    @operation(
        "GET",
        "/file",
        permission=None,
        tag="Notes",
        raw=(RawResponse(200, "A file", "image/png"),),
    )
    def get_file(self, caller: Caller) -> Raw:
        """Get a file."""
        return Raw(b"\x89PNG", "image/png", headers={"X-Note": "1"})

    @operation("GET", "/boom", permission=None, tag="Notes")
    def boom(self, caller: Caller) -> Job:
        """Fail."""
        raise RuntimeError("secret statement SELECT 1 in /srv/secret.py")

    @operation("GET", "/down", permission=None, tag="Notes")
    def down(self, caller: Caller) -> Job:
        """Fail for a while."""
        raise Unavailable("the database does not answer")

    @operation("GET", "/echo/{text}", permission=None, errors=(KeyExists,), tag="Notes")
    def echo(self, caller: Caller, text: str) -> Job:
        """Refuse, repeating all that came."""
        raise KeyExists(f"there is {text} already")

    @operation(
        "GET",
        "/content/{publicKey}/manifest.json",
        public=True,
        rate="content",
        tag="Content",
        raw=(
            RawResponse(
                200, "The manifest", "application/json", dict[str, object], ("ETag",)
            ),
        ),
    )
    def get_manifest(self, public_key: str, request: RequestInfo) -> Raw:
        """Get the manifest."""
        if public_key == "down":
            raise Unavailable("the database does not answer")
        return Raw(b'{"schema":"x/v1"}', "application/json", headers={"ETag": '"1"'})


def guard(caller: Caller, permission: str, reference: str) -> None:
    """404 for what the caller may not see, 403 for what they may not do."""
    if reference not in ("p1", ""):
        raise ProjectNotFound
    if permission not in caller.permissions:
        raise PermissionDenied(permission)


def authenticate(token: str | None, *client: str) -> Caller | None:
    if token == "bad":
        raise Unauthorized
    if token == "offline":
        raise Unavailable("the database does not answer")
    return {"writer": WRITER, "reader": READER, "embedded": EMBEDDED}.get(token or "")


@pytest.fixture
def notes() -> NoteEndpoints:
    return NoteEndpoints()


@pytest.fixture
def build(notes: NoteEndpoints) -> Callable[..., WsgiApp]:
    """Makes the app, with whatever is told instead of the usual."""

    def make(*more: object, checks: Any = (), **instead: Any) -> WsgiApp:
        arguments: dict[str, Any] = {
            "authenticate": authenticate,
            "permission_checks": {"projectId": guard, "": guard},
            "permissions": {"note_read", "note_write"},
            "limiter": RateLimiter(MemoryWindows()),
        }
        endpoints = [notes, ServiceEndpoints(checks), *more]
        return build_wsgi(endpoints, **{**arguments, **instead})

    return make


@pytest.fixture
def client(build: Callable[..., WsgiApp]) -> Client:
    """Asks with a token that may read and write p1."""
    return Client(build(), "writer")
