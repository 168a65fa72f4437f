"""What Python code may hand to services of memories that HTTP cannot."""

from __future__ import annotations

from typing import Any, cast

import pytest

from locframework import OPERATOR
from locframework.errors import TmNotFound, ValidationFailed
from locframework.memories.file_records import ImportOptions
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
