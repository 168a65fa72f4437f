"""Creates the demo's translation memory, from the project and from files."""

from __future__ import annotations

from pathlib import Path

import click

from locframework import OPERATOR, Framework
from locframework.access.records import Organization
from locframework.memories.file_records import ImportOptions
from locframework.memories.records import MemoryQuery, NewAssignment, NewMemory
from locframework.projects.records import Project

NAME = "Skerry, and the harbour office before it"
DEMO = Path(__file__).resolve().parent / "demo"
FILES = (DEMO / "harbour.tmx", *sorted((DEMO / "django").glob("*.tmx")))


def remember(
    framework: Framework, organization: Organization, project: Project
) -> None:
    """Create the memory. Each step can be repeated."""
    tm_id = _memory(framework, organization, project)
    framework.memories.assign(OPERATOR, project.id, tm_id, NewAssignment())
    files = framework.memory_files
    sent = [
        files.start_import(OPERATOR, tm_id, path.read_bytes(), ImportOptions())
        for path in FILES
    ]
    framework.runner.run_until_idle()  # all of it is learned, and imported
    for job in sent:
        ended = files.get_job(OPERATOR, tm_id, job.id)
        if ended.error is not None:
            raise click.ClickException(f"the demo failed: {ended.error.message}")


def _memory(framework: Framework, organization: Organization, project: Project) -> str:
    memories = framework.memories
    for found in memories.list_memories(OPERATOR, MemoryQuery(limit=200)).items:
        if found.name == NAME:
            return found.id
    new = NewMemory(NAME, project.source_language, organization_id=organization.id)
    return memories.create_memory(OPERATOR, new).id
