"""A whole application for a test: a framework on an empty database, and clients.

Used in a conftest.py like this::

    @pytest.fixture
    def workspace(tmp_path):
        database = f"sqlite:///{tmp_path / 'test.sqlite3'}"
        with open_workspace(database, tmp_path, plugins=["cfg"]) as workspace:
            yield workspace

    def test_a_key_is_made(workspace):
        project = workspace.project(languages=["de"])
        path = f"/projects/{project['id']}/keys"

        made = workspace.owner.post(path, json={"key": "checkout.pay"})

        assert made.status == 201
"""

import itertools
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import UNSET

from locframework.access.records import NewMember, NewToken, Role
from locframework.app import OPERATOR, Framework
from locframework.fields import Clock, new_id, system_clock
from locframework.plugins import chosen, installed_entries
from locframework.settings import Settings
from locframework.wsgi import create_app

from .client import Answer, Client

WEBHOOK_KEY = b64encode(bytes(range(32))).decode()  # every test may know it


class Workspace:
    """A framework with one organization, its owner, and as many others as asked."""

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.app = create_app(framework)
        self._numbers = itertools.count(1)
        self.organization_id, self.owner = self.organization()

    def organization(self, name: str | None = None) -> tuple[str, Client]:
        """Another organization, and a client with its owner's token."""
        number = next(self._numbers)
        # the database may have organizations of another workspace
        name = name or f"Skerry Ferries {new_id()[-12:]}"
        email = f"owner{number}@example.com"
        made, member = self.framework.organizations.create_organization(name, email)
        _, secret = self.framework.tokens.create_for_member(
            OPERATOR, made.id, member.id, NewToken(name="tests")
        )
        return made.id, Client(self.app, secret)

    def client(
        self,
        role: Role,
        *,
        languages: Sequence[str] | None = None,
        project_ids: Sequence[str] | None = None,
        permissions: Sequence[str] | None = None,
        organization_id: str | None = None,
    ) -> Client:
        """A client with a personal token of a new member; ``permissions`` narrow it."""
        organization_id = organization_id or self.organization_id
        new = NewMember(
            email=f"{role}{next(self._numbers)}@example.com",
            role=role,
            assigned_languages=list(languages) if languages else None,
            project_ids=list(project_ids) if project_ids is not None else None,
        )
        member = self.framework.organizations.add_member(OPERATOR, organization_id, new)
        allowed = UNSET if permissions is None else list(permissions)
        _, secret = self.framework.tokens.create_for_member(
            OPERATOR, organization_id, member.id, NewToken("tests", allowed)
        )
        return Client(self.app, secret)

    def project(
        self,
        *,
        languages: Iterable[str] = (),
        owner: Client | None = None,
        **fields: object,
    ) -> dict[str, Any]:
        """A project with the source language ``en`` and more ``languages``."""
        owner = owner or self.owner
        name = f"Web shop {next(self._numbers)}"
        body = {"name": name, "sourceLanguage": "en", **fields}
        project: dict[str, Any] = owner.post("/projects", json=body).data["project"]
        for code in languages:
            path = f"/projects/{project['id']}/languages"
            assert owner.post(path, json={"languageCode": code}).status == 201
        return project

    def key(
        self, project: Mapping[str, Any], key: str, **fields: object
    ) -> dict[str, Any]:
        """A key of the project, made by the owner."""
        path = f"/projects/{project['id']}/keys"
        made: dict[str, Any] = self.owner.post(path, json={"key": key, **fields}).data
        found: dict[str, Any] = made["key"]
        return found

    def run_jobs(self) -> None:
        """Run every due job to its end, in this thread."""
        self.framework.runner.run_until_idle()

    def deliver_events(self, *, times: int = 1) -> int:
        """Give durable listeners all events that wait, in this thread; how many it was.
        ``times``: how often each event is given, as after a crash. Raises what a
        listener raises; that event waits still."""
        return self.framework.listeners.run_until_idle(times=times, raises=True)

    def send_webhooks(self) -> int:
        """Send all that is due, in this thread; how many attempts it was."""
        return self.framework.dispatcher.run_until_idle()

    def job_of(self, accepted: Answer, client: Client | None = None) -> dict[str, Any]:
        """The job that a 202 answer tells of, run to its end. Raises AssertionError
        for any other answer."""
        if accepted.status != 202:
            raise AssertionError(accepted)
        self.run_jobs()
        location = accepted.headers["Location"] or ""
        path = location.partition("/api/v1")[2]
        job: dict[str, Any] = (client or self.owner).get(path).data["job"]
        return job


@contextmanager
def open_workspace(
    database_url: str,
    folder: Path,
    *,
    plugins: Iterable[object] | None = None,
    plugin_settings: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
    clock: Clock = system_clock,
    blocked_plugins: Iterable[str] = (),
    **settings: object,
) -> Iterator[Workspace]:
    """A workspace with an empty database and no background work; jobs run when a test
    asks.

    ``plugins`` names the plugins that the test sees, and no other installed one is
    loaded: names of installed plugins, and objects. Those that every workspace needs
    are there beside them, if they are installed: ``peewee`` (storage), ``disk``
    (blobs), ``rapidfuzz`` (matcher) and ``https`` (webhooks). Name a format to import
    or publish files, such as ``json``. None: all installed ones.
    ``plugin_settings`` has the settings of installed plugins, by name. ``settings`` are
    those of ``locframework.settings``, such as ``translator="mine"``. With
    ``matcher="postgres"`` that one has its tables in the same database.

    Raises SettingsError for a name that no installed plugin has.
    """
    there = {entry.name: entry for entry in installed_entries()}
    more, blocked = _parted(plugins, there)
    shared = {"postgres": {"database": database_url}}
    given: dict[str, Mapping[str, object]] = {
        "peewee": {"database": database_url},
        "disk": {"folder": str(folder / "blobs")},
        "rapidfuzz": {"folder": str(folder / "matching")},
        **(shared if settings.get("matcher") == "postgres" else {}),
    }
    tree: dict[str, object] = {
        "start_scheduler": False,
        "webhooks": {"secret_key": WEBHOOK_KEY},
        "plugins": {name: given[name] for name in given if name in there}
        | dict(plugin_settings),
        "blocked_plugins": sorted({*blocked, *blocked_plugins}),
        **settings,
    }
    with Framework(Settings.of(tree), more, clock=clock) as framework:
        framework.migrate()
        yield Workspace(framework)


NEEDED = frozenset({"disk", "https", "peewee", "rapidfuzz"})


def _parted(
    plugins: Iterable[object] | None, installed: Mapping[str, object]
) -> tuple[list[object], list[str]]:
    """Return the objects, and which installed plugins are blocked."""
    if plugins is None:
        return [], []
    plugins = list(plugins)
    named = {name for name in plugins if isinstance(name, str)}
    for name in named:
        chosen("open_workspace(plugins)", name, installed)
    objects = [each for each in plugins if not isinstance(each, str)]
    return objects, sorted(set(installed) - named - NEEDED)
