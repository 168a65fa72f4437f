"""Creates the demo project, or finds the existing one.

The name of the organization shows that the demo is incomplete: the next start deletes
what an interrupted one has made, and begins again. Later starts do not change existing
data.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from locframework import OPERATOR, Framework
from locframework.access.records import NewToken, Organization, OrganizationChanges
from locframework.commands.common import JobsOf, progress, run_to_end
from locframework.delivery.records import Distribution, NewDistribution
from locframework.exchange.records import ImportOptions
from locframework.formats.records import SourceFile
from locframework.glossaries.records import GlossaryQuery
from locframework.jobs.records import Job
from locframework.keys.records import BulkKey, KeyConditions, NewKeys
from locframework.machine_translation.records import TranslateRequest
from locframework.memories.imports import MemoryImportOptions
from locframework.memories.records import MemoryQuery, NewAssignment, NewMemory
from locframework.projects.records import NewLanguage, NewProject, Project

from .work_in_progress import ALL, GLOSSARY, TRANSLATOR, add_work_in_progress

FILES = Path(__file__).resolve().parent / "demo"
ORGANIZATION = "Skerry Ferries"
UNFINISHED = "Skerry Ferries (the demo is being made)"
OWNER = "owner@skerry.example"
PROJECT = "Skerry"
SOURCE_LANGUAGE = "en"
LANGUAGES = ("de", "fr", "pt-BR", "pl", "ar", "ja")
DISTRIBUTION = "Apps and emails"
FORMAT = "json-nested"
MEMORY = "Skerry, and the harbour office before it"


class Demo(Struct, frozen=True, rename="camel"):
    """The content of demo.json, for programs; demo.env has the same for shells."""

    base_url: str
    token: str  # the owner's
    translator_token: str
    organization_id: str
    project_id: str
    distribution_id: str
    public_key: str

    @classmethod
    def read(cls, file: Path) -> Demo | None:
        """Return what an earlier start wrote, or None."""
        try:
            return msgspec.json.decode(file.read_bytes(), type=cls)
        except (FileNotFoundError, msgspec.MsgspecError):
            return None

    def write(self, file: Path) -> None:
        """Write the file, and demo.env beside it, readable by their owner only."""
        project = f"{self.base_url}/projects/{self.project_id}"
        variables = {
            "API": self.base_url,
            "PROJECT": project,
            "RELEASES": f"{project}/distributions/{self.distribution_id}/releases",
            "MANIFEST": f"{self.base_url}/content/{self.public_key}/manifest.json",
            "OWNER": f"Authorization: Bearer {self.token}",
            "TRANSLATOR": f"Authorization: Bearer {self.translator_token}",
        }
        lines = "".join(f"{name}='{value}'\n" for name, value in variables.items())
        write_private(file.with_suffix(".env"), lines.encode())
        write_private(file, msgspec.json.format(msgspec.json.encode(self)) + b"\n")


def write_private(file: Path, content: bytes) -> None:
    """Write the file atomically, readable by its owner only."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)  # mode 0600
    with os.fdopen(handle, "wb") as written:
        written.write(content)
        written.flush()
        os.fsync(written.fileno())
    Path(name).replace(file)


def ready_demo(framework: Framework, kept: Demo | None) -> Demo:
    """Return the demo; create or complete it if necessary. ``kept`` is what an earlier
    start wrote; its token is replaced if it is of no use any more. ``base_url`` is not
    known yet."""
    organization = _organization(framework)
    if organization.name == UNFINISHED:
        project: Project | None = _make(framework, organization)
    else:  # the user's, whatever became of it
        project = _kept_project(framework, organization, kept)
    distribution = project and _distribution(framework, project.id)
    if kept is not None and framework.tokens.caller_behind(kept.token):
        token = kept.token
    else:
        token = _token(framework, organization, "owner", OWNER)
        if organization.name != UNFINISHED:
            kept_as_it_is = "the demo is kept as it is; its lost token is replaced"
            click.echo(f"{kept_as_it_is}: see below", err=True)
    if kept is not None and framework.tokens.caller_behind(kept.translator_token):
        translator = kept.translator_token
    else:
        translator = _token(framework, organization, "translator", TRANSLATOR)
    return Demo(
        "",
        token,
        translator,
        organization.id,
        project.id if project else "",
        distribution.id if distribution else "",
        distribution.public_key if distribution else "",
    )


def _token(
    framework: Framework, organization: Organization, role: str, email: str
) -> str:
    """Return a new token of the member, or of another one with the role; "" if there is
    none."""
    members = framework.organizations.list_members(OPERATOR, organization.id, ALL)
    found = [each for each in members.items if each.role == role]
    if not found:
        return ""
    member = next((each for each in found if each.email == email), found[0])
    new = NewToken(name="Made with the demo", expires_in_days=366)
    _, token = framework.tokens.create_for_member(
        OPERATOR, organization.id, member.id, new
    )
    return token


def _make(framework: Framework, organization: Organization) -> Project:
    """Create everything; the last step marks the demo as complete."""
    click.echo("making the demo project …", err=True)
    _delete_all(framework, organization)
    project = _project(framework, organization)
    _import_files(framework, project)
    _describe_keys(framework, project)
    _publish(framework, project)
    add_work_in_progress(framework, organization, project)
    _add_memory(framework, organization, project)
    _translate_by_machine(framework, project)
    finished = OrganizationChanges(name=ORGANIZATION)
    framework.organizations.update_organization(OPERATOR, organization.id, finished)
    return project


def _delete_all(framework: Framework, organization: Organization) -> None:
    for project in framework.projects.list_projects(OPERATOR, ALL).items:
        if project.organization_id == organization.id:
            framework.projects.delete_project(OPERATOR, project.id)
    glossaries = GlossaryQuery(search=GLOSSARY)
    for glossary in framework.glossaries.list_glossaries(OPERATOR, glossaries).items:
        framework.glossaries.delete_glossary(OPERATOR, glossary.id)
    memories = MemoryQuery(search=MEMORY)
    for memory in framework.memories.list_memories(OPERATOR, memories).items:
        framework.memories.delete_memory(OPERATOR, memory.id)


def _organization(framework: Framework) -> Organization:
    """Return the organization with the demo's members, whatever its name is."""
    organizations = framework.organizations
    for found in organizations.list_organizations(OPERATOR, ALL).items:
        members = organizations.list_members(OPERATOR, found.id, ALL).items
        if any(member.email in (OWNER, TRANSLATOR) for member in members):
            return found
    made, _ = organizations.create_organization(UNFINISHED, OWNER)
    return made


def _kept_project(
    framework: Framework, organization: Organization, kept: Demo | None
) -> Project | None:
    """Return the demo project, also if it was renamed; None if it was deleted."""
    projects = framework.projects.list_projects(OPERATOR, ALL).items
    ours = [each for each in projects if each.organization_id == organization.id]
    for project in ours:
        if kept and project.id == kept.project_id:
            return project
    for project in ours:
        if project.name == PROJECT or _distribution(framework, project.id):
            return project
    return None


def _project(framework: Framework, organization: Organization) -> Project:
    new = NewProject(
        name=PROJECT,
        source_language=SOURCE_LANGUAGE,
        organization_id=organization.id,
        description="A ferry booking app and its emails: the demo of locframework.",
    )
    project = framework.projects.create_project(OPERATOR, new)
    for code in LANGUAGES:
        framework.languages.add_language(OPERATOR, project.id, NewLanguage(code))
    return project


def _import_files(framework: Framework, project: Project) -> None:
    """Import the files, as ``POST /projects/{projectId}/import`` does."""
    app = [FILES / "app" / f"{code}.json" for code in (SOURCE_LANGUAGE, *LANGUAGES)]
    emails = [FILES / "emails" / f"{code}.po" for code in LANGUAGES]
    app_options = ImportOptions(format="json-nested")
    email_options = ImportOptions(module="emails", tags=["email"])
    with progress("importing files") as report:
        for at, path in enumerate((*app, *emails)):
            options = app_options if path in app else email_options
            file = SourceFile(path.name, path.read_bytes())
            job = framework.imports.start_import(OPERATOR, project.id, file, options)
            _run(framework, framework.jobs, project.id, job)
            report(at + 1, len(app) + len(emails))


def _describe_keys(framework: Framework, project: Project) -> None:
    known = json.loads((FILES / "keys.json").read_text(encoding="utf-8"))
    keys = [
        BulkKey(key=name, description=about["description"], tags=about["tags"])
        for name, about in known.items()
    ]
    framework.bulk_keys.create_keys(OPERATOR, project.id, NewKeys(keys, "update"))


def _publish(framework: Framework, project: Project) -> None:
    new = NewDistribution(name=DISTRIBUTION, format=FORMAT)
    framework.distributions.create_distribution(OPERATOR, project.id, new)
    framework.runner.run_until_idle()  # its first release


def _distribution(framework: Framework, project_id: str) -> Distribution | None:
    found = framework.distributions.list_distributions(OPERATOR, project_id, ALL)
    return next((each for each in found.items if each.name == DISTRIBUTION), None)


def _add_memory(
    framework: Framework, organization: Organization, project: Project
) -> None:
    memories, files = framework.memories, framework.memory_files
    new = NewMemory(MEMORY, SOURCE_LANGUAGE, organization_id=organization.id)
    tm_id = memories.create_memory(OPERATOR, new).id
    memories.assign(OPERATOR, project.id, tm_id, NewAssignment())
    for path in (FILES / "harbour.tmx", *sorted((FILES / "django").glob("*.tmx"))):
        content, options = path.read_bytes(), MemoryImportOptions()
        queue = files.prepare_import(OPERATOR, tm_id, content, options)
        _run(framework, files, tm_id, queue())
    framework.runner.run_until_idle()  # the project's texts are learned


def _translate_by_machine(framework: Framework, project: Project) -> None:
    """Draft what Japanese lacks, after a dry run for the estimate."""
    for dry_run in (True, False):
        request = TranslateRequest(
            ["ja"],
            filter=KeyConditions(language_code="ja", status="untranslated"),
            provider="pseudo",
            dry_run=dry_run,
        )
        job = framework.machine_translation.start_run(OPERATOR, project.id, request)
        _run(framework, framework.jobs, project.id, job)


def _run(framework: Framework, jobs: JobsOf, about: str, job: Job) -> None:
    ended = run_to_end(framework, jobs, about, job, lambda done, total: None)
    if ended.error is not None:
        raise click.ClickException(f"the demo failed: {ended.error.message}")
