"""Exporting a language: the request that reads it and writes the file."""

from __future__ import annotations

import json
from typing import Any

import polib
import pytest
import stock
from measuring import Table, in_turns, rounds
from test_import import import_file, json_of, po_of

KINDS = {
    "JSON": ("de.json", "json-nested", json_of),
    "PO": ("de.po", "gettext-po", po_of),
}
PO_MOST = 0.2  # times polib


def texts_in(kind: str, content: bytes) -> set[str]:
    if kind == "PO":
        return {entry.msgstr for entry in polib.pofile(content.decode())}
    tree = json.loads(content)
    return {
        text
        for area in tree.values()
        for screen in area.values()
        for text in screen.values()
    }


@pytest.mark.parametrize("kind", [*KINDS])
def test_export(shop: Any, size: int, kind: str, table: Table) -> None:
    if size > 100_000:
        pytest.skip("the goal speaks of 100k entries")
    name, format_id, content_of = KINDS[kind]
    project = shop.workspace.project(languages=["de"])
    import_file(shop, name, content_of(size), size, project)
    path = f"/projects/{project['id']}/export"
    query = {"format": format_id, "languageCodes": "de"}

    def export() -> bytes:
        answer = shop.workspace.owner.get(path, query=query)
        assert answer.status == 200, answer
        content: bytes = answer.content
        return content

    content = export()
    assert texts_in(kind, content) == {stock.text(at, "de") for at in range(size)}
    read: Any = polib.pofile(content.decode()) if kind == "PO" else json.loads(content)

    taken = in_turns(
        rounds(),
        ours=export,
        peer=lambda: str(read) if kind == "PO" else json.dumps(read, indent=2),
    )

    most = PO_MOST if kind == "PO" else None
    peer = ("polib" if kind == "PO" else "json.dumps", taken["peer"])
    table.add(f"{kind}: export", shop.kind, size, taken["ours"], peer, ratio_most=most)
