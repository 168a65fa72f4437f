"""A project in ten languages, from git into the service and back, as every day."""

import difflib
import json
import os
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from .conftest import Uploads

KEYS = int(os.environ.get("LOCFRAMEWORK_TEST_KEYS", "300"))
CODES = ["en", "ar", "cs", "de", "es", "fr", "ja", "pl", "ru", "zh-Hans"]
Files = dict[str, bytes]


def text(key: str, code: str) -> str:
    return f"{code}: text of {key}"


def texts_of(names: list[str], code: str, changed: Mapping[str, str]) -> dict[str, str]:
    return {name: changed.get(name, text(name, code)) for name in names}


def nested(texts: Mapping[str, str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in texts.items():
        *path, last = name.split(".")
        node = tree
        for part in path:
            node = node.setdefault(part, {})
        node[last] = value
    return tree


def json_file(texts: Mapping[str, str], code: str) -> bytes:
    return json.dumps(nested(texts), ensure_ascii=False, indent=4).encode() + b"\n"


def flat_file(texts: Mapping[str, str], code: str) -> bytes:
    return json.dumps(texts, indent="\t").encode()  # escaped, no last line break


def i18next_file(texts: Mapping[str, str], code: str) -> bytes:
    forms = {"n_one": "{{count}} file", "n_other": "{{count}} files"}
    tree = {**nested(texts), **(forms if code == "en" else {"n_other": "x"})}
    return json.dumps(tree, ensure_ascii=False, indent=2).encode() + b"\n"


def arb_file(texts: Mapping[str, str], code: str) -> bytes:
    names = {name.replace(".", "_"): value for name, value in texts.items()}
    locale = {"@@locale": code.replace("-", "_")}
    return json.dumps({**locale, **names}, ensure_ascii=False, indent=2).encode()


def po_file(texts: Mapping[str, str], code: str) -> bytes:
    """The msgid is a key with a dot, so that changed English texts keep their keys."""
    head = f'msgid ""\nmsgstr ""\n"Language: {code.replace("-", "_")}\\n"\n'
    head += '"Content-Type: text/plain; charset=UTF-8\\n"\n'
    blocks = [
        f'#: src/{name}.py:1\nmsgid "{name}"\nmsgstr "{value}"\n'
        for name, value in texts.items()
    ]
    return "\n".join([head, *blocks]).encode()


WRITERS: dict[str, tuple[str, str, Callable[[Mapping[str, str], str], bytes]]] = {
    "nested": ("json-nested", ".json", json_file),
    "flat": ("json-flat", ".json", flat_file),
    "i18next": ("json-i18next", ".json", i18next_file),
    "arb": ("arb", ".arb", arb_file),
    "po": ("gettext-po", ".po", po_file),
}


def changed_lines(old: bytes, new: bytes) -> tuple[list[str], list[str]]:
    lines = difflib.unified_diff(
        old.decode().splitlines(), new.decode().splitlines(), n=0, lineterm=""
    )
    found = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    gone = [line[1:] for line in found if line[0] == "-"]
    return gone, [line[1:] for line in found if line[0] == "+"]


@pytest.mark.parametrize("kind", list(WRITERS))
def test_git_diff_shows_what_was_done_and_nothing_is_lost(
    uploads: Uploads, kind: str
) -> None:
    format_id, extension, written = WRITERS[kind]
    order = random.Random(kind)
    names = [f"part{n % 40}.key{n}" for n in range(KEYS)]
    order.shuffle(names)
    if kind in ("nested", "i18next"):  # the keys of a part stand together
        names.sort(key=lambda name: name.partition(".")[0])

    def files(
        names: list[str], english: Mapping[str, str], old: Mapping[str, str]
    ) -> Files:
        return {
            f"locales/{code}{extension}": written(
                {
                    name: english.get(name, text(old.get(name, name), code))
                    if code == "en"
                    else text(name, code)
                    for name in (names if code == "en" else kept)
                },
                code,
            )
            for code in CODES
        }

    kept = names
    before = files(names, {}, {})
    project = uploads.workspace.project(languages=CODES[1:])
    send = {"format": format_id}
    first = uploads.result(project, "all.zip", Uploads.zipped(before), **send)
    assert first["keysCreated"] >= KEYS

    def exported() -> Files:
        return uploads.exported(project, format=format_id)

    assert exported() == before

    # people translate 50 texts
    done = order.sample(names, 50)
    items = uploads.workspace.owner
    path = f"/projects/{project['id']}"
    key_name = (lambda name: name.replace(".", "_")) if kind == "arb" else str
    ids: dict[str, str] = {}
    for page in range(1, KEYS // 100 + 2):
        query = {"limit": "100", "page": str(page)}
        found = items.get(f"{path}/keys", query=query).data["items"]
        ids |= {each["key"]: each["id"] for each in found}
    values = [
        {"keyId": ids[key_name(name)], "languageCode": "de", "value": f"Neu {name}"}
        for name in done
    ]
    answer = items.put(f"{path}/values", json={"items": values})
    assert answer.status in (200, 207), answer
    translated = exported()
    german = f"locales/de{extension}"
    gone, came = changed_lines(before[german], translated[german])
    assert (len(gone), len(came)) == (50, 50)
    assert all("Neu part" in line for line in came)
    assert translated | {german: b""} == before | {german: b""}

    # meanwhile developers change 20 texts, delete 10 keys and rename 10
    rest = [name for name in names if name not in done]
    order.shuffle(rest)
    changed = {name: f"changed {name}" for name in rest[:20]}
    deleted, renamed = set(rest[20:30]), {name: f"{name}new" for name in rest[30:40]}
    new_names = [renamed.get(name, name) for name in names if name not in deleted]
    old = {new: name for name, new in renamed.items()}
    kept = names  # translations are as they were in git
    after = files(new_names, changed, old)
    found = uploads.result(
        project,
        "all.zip",
        Uploads.zipped({n: c for n, c in after.items() if n.startswith("locales/en")}),
        mode="replace",
        renames="carry",
        **send,
    )
    assert (found["conflictCount"], found["keysCreated"]) == (0, 0)
    assert (len(found["removed"]), len(found["renames"])) == (10, 10)

    final = exported()
    assert final[f"locales/en{extension}"] == after[f"locales/en{extension}"]
    for code in CODES[1:]:
        name = f"locales/{code}{extension}"
        gone, came = changed_lines(translated[name], final[name])
        of_names = 2 if kind == "po" else 1  # the reference and the msgid
        assert len(came) <= 10 * (of_names + 1), (code, came)
        for each in renamed:
            assert text(each, code) in final[name].decode() or each in done
