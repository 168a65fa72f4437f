"""A plugin that refuses some changes and notes others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from locframework import hookimpl
from locframework.http.records import Upload
from locframework.keys.changes import KeyAction
from locframework.ports import Change, KeyChange, ValueChange, WriteNote, WriteRefusal
from locframework.testing.client import Answer

from .project_keys import Keys

Made = Callable[..., Keys]


class Veto:
    """Refuses texts with a bad word, notes some others, and remembers all it saw."""

    name = "veto"

    def __init__(self, name: str = "veto") -> None:
        self.name = name
        self.seen: list[ValueChange] = []
        self.seen_keys: list[KeyChange] = []
        self.refuses: KeyAction | None = None
        self.raises: Exception | None = None
        self.answers: object = None

    @hookimpl
    def loc_decide_write(self, change: Change) -> object:
        if change.kind == "key":
            self.seen_keys.append(change)
            if change.action == self.refuses:
                return WriteRefusal("bad words are not ours")
            return None
        self.seen.append(change)
        if self.raises is not None:
            raise self.raises
        if self.answers is not None:
            return self.answers
        if "bad" in (change.after or ""):
            return WriteRefusal("bad words are not ours")
        return WriteNote("fine") if "fine" in (change.after or "") else None


def refused(answer: Answer) -> bool:
    why = answer.error["details"]
    return (answer.status, answer.error["code"], why["plugin"], why["reason"]) == (
        409,
        "write_refused",
        "veto",
        "bad words are not ours",
    )


def imported(keys: Keys, texts: dict[str, str]) -> dict[str, Any]:
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"
    return keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))
