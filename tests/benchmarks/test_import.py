"""Importing a file, request and job; and exporting a language to one."""

import json
import threading
import time

import polib
import pytest
import stock
from measuring import Stopwatch, in_turns, rounds
from raw_rows import rows_of

from locframework.formats.records import FileOptions, SourceFile
from locframework.http.records import Upload
from locframework.keys.records import Selection

OPTIONS = FileOptions(key_separator=".", source_language="en")
PO_MOST = {"sqlite": 10, "postgres": 5}  # times executemany


def po_of(size):
    """A catalogue with a reference and a comment for each message."""
    head = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n'
    head += '"Content-Type: text/plain; charset=UTF-8\\n"\n'
    head += '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
    blocks = [
        f"#. Shown in screen {at // 1000}\n#: screen{at // 1000}.py:{at % 1000}\n"
        f'msgid "{stock.text(at, "en")}"\nmsgstr "{stock.text(at, "de")}"\n'
        for at in range(size)
    ]
    return "\n".join([head, *blocks]).encode()


def json_of(size):
    return json.dumps(stock.nested(stock.texts(size, "de"))).encode()


def import_file(shop, name, content, size, project=None):
    """Seconds of the request and its job, into a new project if none is given."""
    project = project or shop.workspace.project(languages=["de"])
    path = f"/projects/{project['id']}/import"
    upload = Upload(name, content, "application/octet-stream")
    watch = Stopwatch()
    with watch:
        accepted = shop.workspace.owner.post(path, files={"file": upload})
        assert accepted.status == 202, accepted
        job = shop.workspace.job_of(accepted)
    assert job["status"] == "succeeded", job
    assert job["result"]["keysCreated"] == size
    rows = shop.storage.keys.text_rows(project["id"], "de", Selection())
    kept = [(row.key, row.texts[None]) for row in rows]
    if name.endswith(".json"):
        assert dict(kept) == stock.texts(size, "de")
    else:
        wanted = sorted(stock.text(at, "de") for at in range(size))
        assert sorted(text for _, text in kept) == wanted
    return watch.seconds


def longest_wait(shop, content, **form):
    """Seconds that a write into another project took at most during an import."""
    owner, other = shop.workspace.owner, shop.workspace.project()
    project = shop.workspace.project(languages=["de"])
    waits = []
    is_over = threading.Event()

    def write():
        while not is_over.is_set():
            watch = Stopwatch()
            with watch:
                new = {"key": f"key{len(waits)}", "values": {"en": "Text"}}
                owner.post(f"/projects/{other['id']}/keys", json=new)
            waits.append(watch.seconds)
            time.sleep(0.02)

    upload = Upload("de.json", content, "application/json")
    path = f"/projects/{project['id']}/import"
    accepted = owner.post(path, form=form, files={"file": upload})
    writer = threading.Thread(target=write)
    writer.start()
    try:
        job = shop.workspace.job_of(accepted)
    finally:
        is_over.set()
        writer.join()
    assert job["status"] == "succeeded", job
    return max(waits)


def by_executemany(raw, size, codes):
    writes = rows_of(*stock.records("p", range(size), codes))
    raw.empty()
    watch = Stopwatch()
    with watch:
        raw.executemany(writes)
    assert raw.count("bench_values") == size * len(codes)
    return watch.seconds


@pytest.mark.parametrize("kind", ["JSON", "PO"])
def test_import(shop, size, kind, raw, table):
    if size > 100_000:
        pytest.skip("an upload holds about 100k entries")
    is_po = kind == "PO"
    content = po_of(size) if is_po else json_of(size)
    text = content.decode()
    name, format_id = ("de.po", "gettext-po") if is_po else ("de.json", "json-nested")
    codes = ["en", "de"] if is_po else ["de"]  # a PO brings its source texts along
    file = SourceFile(name, content)
    formats = shop.workspace.framework.formats
    [catalogue] = formats.read(format_id, file, OPTIONS)
    assert len(catalogue.entries) == size

    taken = in_turns(
        rounds(),
        whole=lambda: import_file(shop, name, content, size),
        read=lambda: formats.read(format_id, file, OPTIONS),
        parser=lambda: polib.pofile(text) if is_po else json.loads(text),
        raw=lambda: by_executemany(raw, size, codes),
    )

    parser = ("polib" if is_po else "json.loads", taken["parser"])
    rows = ("raw executemany of the rows", taken["raw"])
    most = PO_MOST[shop.kind] if is_po else None
    table.add(f"{kind}: format alone", shop.kind, size, taken["read"], parser)
    what = f"{kind}: whole import"
    table.add(what, shop.kind, size, taken["whole"], parser)
    table.add(f"{what}: rows", shop.kind, size, taken["whole"], rows, ratio_most=most)


def test_others_write_during_an_import(shop, size, table):
    if size > 100_000:
        pytest.skip("an upload holds about 100k entries")
    content = json_of(size)

    taken = in_turns(
        rounds(),
        steps=lambda: longest_wait(shop, content),
        whole=lambda: longest_wait(shop, content, onConflict="fail"),
    )

    peer = ("import in one transaction (onConflict fail)", taken["whole"])
    what = "longest write of others during an import"
    table.add(what, shop.kind, size, taken["steps"], peer)


KINDS = {
    "JSON": ("de.json", "json-nested", json_of),
    "PO": ("de.po", "gettext-po", po_of),
}
PO_EXPORT_MOST = 0.2  # times polib


def texts_in(kind, content):
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
def test_export(shop, size, kind, table):
    if size > 100_000:
        pytest.skip("the goal speaks of 100k entries")
    name, format_id, content_of = KINDS[kind]
    project = shop.workspace.project(languages=["de"])
    import_file(shop, name, content_of(size), size, project)
    path = f"/projects/{project['id']}/export"
    query = {"format": format_id, "languageCodes": "de"}

    def export():
        answer = shop.workspace.owner.get(path, query=query)
        assert answer.status == 200, answer
        return answer.content

    content = export()
    assert texts_in(kind, content) == {stock.text(at, "de") for at in range(size)}
    read = polib.pofile(content.decode()) if kind == "PO" else json.loads(content)

    taken = in_turns(
        rounds(),
        ours=export,
        peer=lambda: str(read) if kind == "PO" else json.dumps(read, indent=2),
    )

    most = PO_EXPORT_MOST if kind == "PO" else None
    peer = ("polib" if kind == "PO" else "json.dumps", taken["peer"])
    table.add(f"{kind}: export", shop.kind, size, taken["ours"], peer, ratio_most=most)
