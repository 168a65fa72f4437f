"""Importing 20,000 keys from a file of each format, next to nested JSON."""

import gc
import tracemalloc
from functools import partial

import stock
from measuring import Stopwatch, in_turns, rounds

from locframework.formats.records import Catalogue, Entry, FileOptions, SourceFile
from locframework.http.records import Upload

SIZE = 20_000
CODE = "de"
OPTIONS = FileOptions(".", "en", CODE)
MOST = 2.0  # times the import of as many texts from nested JSON


def content_of(formats, info):
    """A file as the format writes it anew."""
    codes = ["en", CODE] if info.multilingual else [CODE]
    found = [
        Catalogue(
            code,
            [
                Entry(
                    f"key_{at}",
                    stock.text(at, code),
                    source=stock.text(at, "en") if info.source_texts else None,
                )
                for at in range(SIZE)
            ],
            plural_forms=("one", "other"),
        )
        for code in (["en"] if info.is_template else codes)
    ]
    return formats.write(info.id, found, OPTIONS).content


def import_file(shop, info, content):
    """Seconds of the request and its job, into a new project."""
    workspace = shop.workspace
    project = workspace.project(languages=[CODE])
    form = {"format": info.id}
    if not (info.multilingual or info.is_template):
        form["languageCode"] = CODE
    upload = Upload(f"texts{info.extension}", content, "application/octet-stream")
    watch = Stopwatch()
    with watch:
        accepted = workspace.owner.post(
            f"/projects/{project['id']}/import", form=form, files={"file": upload}
        )
        assert accepted.status == 202, accepted
        job = workspace.job_of(accepted)
    assert job["status"] == "succeeded", job
    assert job["result"]["keysCreated"] == SIZE
    return watch.seconds


def mebibytes(action):
    """The most memory that an action holds at once."""
    gc.collect()
    tracemalloc.start()
    action()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def test_each_format(shop, table):
    formats = shop.workspace.framework.formats
    infos = formats.list_formats()
    contents = {info.id: content_of(formats, info) for info in infos}
    json = formats.find("json-nested")
    slow = []
    for info in infos:
        content = contents[info.id]
        file = SourceFile(f"texts{info.extension}", content)
        read = partial(formats.read, info.id, file, OPTIONS)
        taken = in_turns(
            rounds(),
            whole=partial(import_file, shop, info, content),
            json=partial(import_file, shop, json, contents[json.id]),
        )
        name = f"{info.id}: import (reading holds {mebibytes(read):.0f} MB)"
        peer = (json.id, taken["json"])
        table.add(name, shop.kind, SIZE, taken["whole"], peer)
        languages = 2 if info.multilingual or info.source_texts else 1
        if taken["whole"] > MOST * languages * taken["json"]:
            slow.append(info.id)
    assert not slow
