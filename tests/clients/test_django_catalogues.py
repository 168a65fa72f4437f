"""Every catalogue of Django goes in, comes out the same, and is published right.

About 100 languages and 13 applications: plurals, contexts, comments, odd headers. Each
application is a module of one project, imported as a ZIP over HTTP.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import django
import pytest

from locframework.http.records import Upload
from locframework.languages import canonical_tag
from locframework.testing.client import Client
from locframework.testing.workspace import Workspace, open_workspace

ROOT = Path(django.__file__).parent
DOMAIN = "django.po"

gettext = pytest.mark.skipif(
    shutil.which("msgfmt") is None
    and os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") != "1",
    reason="the gettext tools are not installed",
)


class Catalogues:
    """Django's catalogues, and the project that holds them all."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.owner = workspace.owner
        self.files = _files()
        languages = sorted({tag for _, tag in self.files} - {"en"})
        self.project = workspace.project(name="Django", languages=languages)
        self.path = f"/projects/{self.project['id']}"
        for module in sorted({module for module, _ in self.files}):
            self._import(module)

    def exported(self, module: str) -> dict[str, bytes]:
        query = {"format": "gettext-po", "minStatus": "any", "module": module}
        answer = self.owner.get(f"{self.path}/export", query=query)
        archive = zipfile.ZipFile(io.BytesIO(answer.content))
        return {
            name.removesuffix(".po"): archive.read(name) for name in archive.namelist()
        }

    def _import(self, module: str) -> None:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for (in_module, tag), path in self.files.items():
                if in_module == module:
                    archive.write(path, f"{tag}/LC_MESSAGES/django.po")
        answer = self.owner.post(
            f"{self.path}/import",
            form={"format": "gettext-po", "module": module},
            files={"file": Upload("a.zip", buffer.getvalue(), "application/zip")},
        )
        assert answer.status == 202, answer.error
        job = self.workspace.job_of(answer)
        assert job["status"] == "succeeded", job


def _files() -> dict[tuple[str, str], Path]:
    """Module and language tag to file, for every catalogue there is."""
    found = {}
    for path in sorted(ROOT.glob(f"**/locale/*/LC_MESSAGES/{DOMAIN}")):
        tag = canonical_tag(path.parent.parent.name)
        assert tag is not None, path
        application = path.parents[3].relative_to(ROOT)
        found["-".join(application.parts), tag] = path
    return found


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogues]:
    folder = tmp_path_factory.mktemp("django")
    url = f"sqlite:///{folder / 'locframework.sqlite3'}"
    with open_workspace(url, folder) as workspace:
        yield Catalogues(workspace)


def test_there_are_about_a_hundred_languages(catalogues: Catalogues) -> None:
    assert len({tag for _, tag in catalogues.files}) >= 95
    assert len(catalogues.files) >= 900


@gettext
def test_every_catalogue_comes_out_valid_and_meaning_the_same(
    catalogues: Catalogues, tmp_path: Path
) -> None:
    wrong: list[str] = []
    for module in sorted({module for module, _ in catalogues.files}):
        exported = catalogues.exported(module)
        for (in_module, tag), path in catalogues.files.items():
            if in_module != module:
                continue
            out = tmp_path / f"{module}-{tag}.po"
            out.write_bytes(exported[tag])
            if not _is_valid(out) and _is_valid(path):
                wrong.append(f"{module} {tag}: not valid")
            elif lost := _lost(path, out):
                wrong.append(f"{module} {tag}: {lost}")

    assert wrong == []


def test_a_release_publishes_one_file_for_each_language(catalogues: Catalogues) -> None:
    made = catalogues.owner.post(
        f"{catalogues.path}/distributions",
        json={"name": "Django", "format": "gettext-po", "minStatus": "any"},
    ).data["distribution"]
    catalogues.workspace.run_jobs()
    public = Client(catalogues.workspace.app)

    manifest = public.get(f"/content/{made['publicKey']}/manifest.json").json

    assert len(manifest["files"]) == len({tag for _, tag in catalogues.files})
    for file in manifest["files"]:
        answer = public.get(file["url"])
        digest = hashlib.sha256(answer.content).hexdigest()
        assert (file["contentHash"], file["byteSize"]) == (
            f"sha256:{digest}",
            len(answer.content),
        )


def _is_valid(path: Path) -> bool:
    command = ["msgfmt", "--check", "-o", os.devnull, str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _lost(original: Path, exported: Path) -> str | None:
    """What of the original is not in the export, as msgcat writes both.

    The project's other languages may add messages, which must be untranslated here
    (one without translation may be there as a plural, or as none), and comments of
    the source code, which are one for all languages of a key. Where the original's
    plural rule does not fit its own messages, the export has one that does.
    """
    before, after = _messages(original), _messages(exported)
    if before[0] != after[0] and not _is_valid(original):
        before, after = before[1:], after[1:]
    for message in set(before) - set(after):
        if _is_translated(message):
            return f"lost or changed: {message[:300]}"
    for message in set(after) - set(before):
        if _is_translated(message):
            return f"made up: {message[:300]}"
    return None


def _is_translated(message: str) -> bool:
    return re.search(r'^msgstr(\[\d\])? "(.+"|"\n")', message, re.M) is not None


def _messages(path: Path) -> list[str]:
    text = subprocess.run(
        ["msgcat", "--no-wrap", "--to-code=UTF-8", str(path)],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    head, *messages = text.rstrip("\n").split("\n\n")
    bare = [re.sub(r"^#\..*\n", "", message, flags=re.M) for message in messages]
    return ["\n".join(sorted(head.splitlines())), *bare]
