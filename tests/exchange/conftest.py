"""Uploads to a whole application, and the parts that read them on their own."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from locframework.formats.records import SourceFile
from locframework.formats.service import Formats
from locframework.http.records import Upload
from locframework.plugins import PluginHost
from locframework.projects.records import AiSettings, Project
from locframework.testing.client import Answer, Client
from locframework.testing.contracts.storage_events import latest
from locframework.testing.workspace import Workspace

Zipped = Callable[[dict[str, bytes]], SourceFile]
NOW = "2026-11-21T08:00:00.000Z"


@pytest.fixture(scope="session")
def formats() -> Formats:
    plugins = PluginHost.discover({})
    return Formats(plugins.formats, plugins.plugin_of_format)


@pytest.fixture
def project() -> Project:
    return Project(
        id="p1",
        slug="shop-p1",
        organization_id="o1",
        name="Shop",
        description="",
        source_language="en",
        key_separator=".",
        main_protected=False,
        tm_enabled=True,
        blocking_checks=(),
        check_severities={},
        disabled_checks=(),
        ai=AiSettings(),
        key_count=0,
        created_at=NOW,
        updated_at=NOW,
    )


@pytest.fixture
def zipped() -> Zipped:
    """Makes a ZIP archive of files by path."""

    return lambda files: SourceFile("upload.zip", Uploads.zipped(files))


class Uploads:
    """Imports files into projects of a workspace, and looks at what came of it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def ask(
        self,
        project: Mapping[str, Any],
        name: str,
        content: object,
        *,
        client: Client | None = None,
        **form: Any,
    ) -> Answer:
        """Upload a file; content that is not bytes becomes JSON."""
        files = {"file": Upload(name, as_bytes(content), "application/octet-stream")}
        path = f"/projects/{project['id']}/import"
        return (client or self.workspace.owner).post(path, form=form, files=files)

    def run(
        self,
        project: Mapping[str, Any],
        name: str,
        content: object,
        *,
        client: Client | None = None,
        **form: Any,
    ) -> dict[str, Any]:
        """Import to the end; the job."""
        asked = self.ask(project, name, content, client=client, **form)
        return self.workspace.job_of(asked, client)

    def result(
        self, project: Mapping[str, Any], name: str, content: object, **form: Any
    ) -> dict[str, Any]:
        """Import to a good end; the result of the job."""
        job = self.run(project, name, content, **form)
        assert job["status"] == "succeeded", job
        found: dict[str, Any] = job["result"]
        return found

    def items(self, project: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Every key with its values."""
        path = f"/projects/{project['id']}/keys"
        answer = self.workspace.owner.get(path, query={"include": "values"})
        items: list[dict[str, Any]] = answer.data["items"]
        return items

    def values(self, project: Mapping[str, Any]) -> dict[str, dict[str, str]]:
        """By key: language, or language and plural form, to text."""
        return {
            item["key"]: {
                "/".join(filter(None, (v["languageCode"], v["pluralForm"]))): v["value"]
                for v in item["values"]
            }
            for item in self.items(project)
        }

    def exported(self, project: Mapping[str, Any], **query: str) -> dict[str, bytes]:
        """The files of an export, by path."""
        query = {"format": "json-nested"} | query
        path = f"/projects/{project['id']}/export"
        answer = self.workspace.owner.get(path, query=query)
        assert answer.status == 200, answer
        return self.unzipped(answer.content)

    def event_types(self, project: Mapping[str, Any]) -> list[str]:
        """Of all that happened in the project, in order."""
        store = self.workspace.framework.storage.events
        return [event.type for event in latest(store, project["id"], 99)][::-1]

    @staticmethod
    def counts(found: Mapping[str, Any]) -> tuple[int, int, int, int, int]:
        """Keys created, updated, unchanged, removed, and values written."""
        return (
            found["keysCreated"],
            found["keysUpdated"],
            found["keysUnchanged"],
            found["keysRemoved"],
            found["valuesWritten"],
        )

    @staticmethod
    def zipped(files: Mapping[str, object]) -> bytes:
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as made:
            for path, content in files.items():
                made.writestr(path, as_bytes(content))
        return target.getvalue()

    @staticmethod
    def unzipped(content: bytes) -> dict[str, bytes]:
        """The files of a ZIP archive, by path."""
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    @staticmethod
    def po(tag: str, *messages: str) -> bytes:
        """A PO file with two plural forms."""
        header = (
            f'"Language: {tag}\\n"\n'
            '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
            '"Content-Type: text/plain; charset=UTF-8\\n"\n'
        )
        return "\n".join([f'msgid ""\nmsgstr ""\n{header}', *messages]).encode()


def as_bytes(content: object) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content).encode()


@pytest.fixture
def uploads(workspace: Workspace) -> Uploads:
    return Uploads(workspace)
