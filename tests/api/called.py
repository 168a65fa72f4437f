"""Operations called in the process, and what a test compares with requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import json, to_builtins

from locframework import Caller, LocError, Raw
from locframework.storage import Storage
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace

from .every_operation import Row

_DIFFERENT = {
    r"svc_(pat|proj|inv)_\w+": "<token>",
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": "<id>",
    r"msg_[0-9a-f]{32}": "<message>",
    r"\d{4}-\d\d-\d\dT[\d:.]+Z": "<time>",
    r'"publicKey":"[\w-]+"': '"publicKey":"<key>"',
    r'"signingSecret":"[\w+/=-]+"': '"signingSecret":"<secret>"',
    r"http://localhost/(api/v1|workbench)": r"/\1",
    r"(first|fresh)@": "<name>@",
    r'"name":"(first|fresh)"': '"name":"<name>"',
    r'"slug":"(first|fresh)-': '"slug":"<name>-',
    r"(owner|[Ww]eb[ -]shop[ -])\d+": r"\1<number>",
}


def masked(answer: object) -> object:
    """An answer without what differs from one call to the next."""
    text = json.encode(answer).decode()
    for pattern, instead in _DIFFERENT.items():
        text = re.sub(pattern, instead, text)
    return json.decode(text)


def caller_of(workspace: Workspace, client: Client) -> Caller:
    """Who holds the token of a client."""
    found = workspace.framework.tokens.caller_behind(client.token or "")
    assert found is not None
    return found


def arguments(row: Row, ids: Mapping[str, str]) -> tuple[dict[str, str], Any]:
    """The params and body of a call that asks what ``row.ask`` does."""
    body = row.body_for(ids)
    if row.files is not None:
        body = {**(body or {}), **row.files}
    return {name: ids[name] for name in row.parameters}, body


def called(
    workspace: Workspace, row: Row, caller: Caller, ids: Mapping[str, str], **how: Any
) -> object:
    """What a call answers, or is refused with, masked."""
    params, body = arguments(row, ids)
    try:
        answer = workspace.framework.call(row.name, caller, params, body, **how)
    except LocError as error:
        if row.path.startswith("/content/"):
            return [error.status, error.code]
        details = to_builtins(error.details)
        return masked([error.status, error.code, error.message, details])
    if isinstance(answer, Raw):
        content = answer.content if answer.file is None else answer.file.read()
        if answer.status >= 400:
            return [answer.status, json.decode(content)["error"]]
        return masked([answer.status, answer.content_type, _text(content)])
    return masked(answer)


def asked(row: Row, client: Client, ids: Mapping[str, str]) -> object:
    """What HTTP answers to the same, masked."""
    answer = row.ask(client, ids)
    if row.path.startswith("/content/") and answer.status >= 400:
        return [answer.status, answer.json["error"]]
    if answer.status >= 400:
        error = answer.error
        return masked(
            [answer.status, error["code"], error["message"], error.get("details")]
        )
    return masked(answer.data if _is_enveloped(answer) else _raw(answer))


def _is_enveloped(answer: Answer) -> bool:
    return answer.content.startswith(b'{"success":')


def _raw(answer: Answer) -> list[object]:
    return [answer.status, answer.headers["Content-Type"], _text(answer.content)]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def kept(workspace: Workspace, folder: Path) -> dict[str, object]:
    """All rows of the database, and all files of the folder with their sizes."""
    settle(workspace)
    files = {
        str(path): path.stat().st_size for path in folder.rglob("*") if path.is_file()
    }
    rows: dict[str, object] = dict(_tables(workspace.framework.storage))
    return {**rows, "files": {k: v for k, v in files.items() if "sqlite3" not in k}}


def settle(workspace: Workspace) -> None:
    """Wait until the uses of tokens are noted, which happens beside requests."""
    workspace.framework._background.submit(lambda: None).result()


def _tables(storage: Storage) -> Iterator[tuple[str, object]]:
    database = cast("Any", storage).database
    if database.engine.__class__.__name__.startswith("Sqlite"):
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    else:
        names = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    for (name,) in database.rows(names):
        if not name.startswith("sqlite_stat"):
            yield name, sorted(map(repr, database.rows(f"SELECT * FROM {name}")))
