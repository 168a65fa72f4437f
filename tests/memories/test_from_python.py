"""What Python code may hand to services of memories that HTTP cannot."""

from __future__ import annotations

from typing import Any, cast

import pytest

from locframework import OPERATOR
from locframework.errors import TmNotFound, ValidationFailed
from locframework.memories.file_records import ImportOptions
from locframework.memories.records import MemoryWriting
from locframework.testing.workspace import Workspace

NONE, NUMBER = cast("Any", None), cast("Any", 5)


def test_what_is_no_record_no_bytes_and_no_id_is_refused(
    sqlite_workspace: Workspace,
) -> None:
    framework = sqlite_workspace.framework
    body = {"name": "Main", "sourceLanguage": "en"}
    made = sqlite_workspace.owner.post("/translation-memories", json=body)
    id_ = made.data["translationMemory"]["id"]
    start = framework.memory_files.start_import

    with pytest.raises(ValidationFailed, match=r"form\.file: is neither bytes nor"):
        start(OPERATOR, id_, cast("Any", "text"), ImportOptions())
    with pytest.raises(ValidationFailed, match="form: is not a record"):
        start(OPERATOR, id_, b"en,de", NONE)
    with pytest.raises(ValidationFailed, match="query: is not a record"):
        framework.memories.list_memories(OPERATOR, NONE)
    with pytest.raises(TmNotFound):
        framework.memories.get_memory(OPERATOR, NUMBER)


def test_an_entry_says_nothing_in_a_language_that_has_just_gone(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    framework = workspace.framework
    body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de"]}
    made = workspace.owner.post("/translation-memories", json=body)
    path = f"/translation-memories/{made.data['translationMemory']['id']}/entries"
    begin, store = framework.memories.begin, framework.storage.memories

    def begin_after_another(tm_id: str) -> MemoryWriting:
        writing = begin(tm_id)
        store.delete_language(writing, "de", 0, 9)
        return writing

    with monkeypatch.context() as patched:
        patched.setattr(framework.memories, "begin", begin_after_another)
        entry = {"sourceText": "Pay", "translations": {"de": "Zahlen"}}
        refused = workspace.owner.post(path, json=entry)

    assert (refused.status, refused.error["code"]) == (400, "language_not_in_project")
    assert workspace.owner.get(path).data["total"] == 0
