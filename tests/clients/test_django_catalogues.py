"""The catalogues of Django go in, come out the same, and are published right.

About 100 languages and 13 applications: plurals, contexts, comments, odd headers. Each
application is a module of one project, imported as a ZIP over HTTP. One language in
four is left to the default run: the tests of the format read every catalogue.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import django
import pytest

from locframework.http.records import Upload
from locframework.languages import canonical_tag
from locframework.testing.client import Client
from locframework.testing.workspace import Workspace, open_workspace
from tests.gettext_tools import normalised, refusals, require_gettext

ROOT = Path(django.__file__).parent
DOMAIN = "django.po"


class Catalogues:
    """Django's catalogues, and the project that holds them all."""

    def __init__(self, workspace: Workspace, one_in: int) -> None:
        self.workspace = workspace
        self.owner = workspace.owner
        self.files = _files(one_in)
        languages = sorted({tag for _, tag in self.files} - {"en"})
        self.project = workspace.project(name="Django", languages=languages)
        self.path = f"/projects/{self.project['id']}"
        for module in sorted({module for module, _ in self.files}):
            self._import(module)

    def exported(self, module: str) -> dict[str, str]:
        query = {"format": "gettext-po", "minStatus": "any", "module": module}
        query["layout"] = "canonical"  # every message rendered anew
        answer = self.owner.get(f"{self.path}/export", query=query)
        archive = zipfile.ZipFile(io.BytesIO(answer.content))
        return {
            name.removesuffix(".po"): archive.read(name).decode()
            for name in archive.namelist()
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


def _files(one_in: int) -> dict[tuple[str, str], Path]:
    """Module and language tag to file, for one language in so many."""
    found = {}
    for path in sorted(ROOT.glob(f"**/locale/*/LC_MESSAGES/{DOMAIN}")):
        tag = canonical_tag(path.parent.parent.name)
        assert tag is not None, path
        application = path.parents[3].relative_to(ROOT)
        found["-".join(application.parts), tag] = path
    languages = sorted({tag for _, tag in found} - {"en"})
    assert len(languages) >= 94
    assert len(found) >= 900
    chosen = {"en", *languages[::one_in]}
    return {name: path for name, path in found.items() if name[1] in chosen}


@pytest.fixture(scope="module")
def catalogues(
    tmp_path_factory: pytest.TempPathFactory, is_long: bool
) -> Iterator[Catalogues]:
    folder = tmp_path_factory.mktemp("django")
    url = f"sqlite:///{folder / 'locframework.sqlite3'}"
    with open_workspace(url, folder) as workspace:
        yield Catalogues(workspace, 1 if is_long else 4)


def test_every_catalogue_comes_out_valid_and_meaning_the_same(
    catalogues: Catalogues,
) -> None:
    require_gettext()
    modules = sorted({module for module, _ in catalogues.files})
    exported = {module: catalogues.exported(module) for module in modules}
    originals = [path.read_text("utf-8") for path in catalogues.files.values()]
    outs = [exported[module][tag] for module, tag in catalogues.files]

    invalid, invalid_outs = refusals(originals).keys(), refusals(outs).keys()
    befores = map(_messages, normalised(originals))
    afters = map(_messages, normalised(outs))

    wrong: list[str] = []
    both = zip(catalogues.files, befores, afters, strict=True)
    for at, (name, before, after) in enumerate(both):
        if at in invalid_outs and at not in invalid:
            wrong.append(f"{name}: not valid")
        elif lost := _lost(before, after, was_valid=at not in invalid):
            wrong.append(f"{name}: {lost}")
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


def _lost(before: list[str], after: list[str], *, was_valid: bool) -> str | None:
    """What of the original is not in the export, as msgcat writes both.

    The project's other languages may add messages, which must be untranslated here
    (one without translation may be there as a plural, or as none), and comments of
    the source code, which are one for all languages of a key. Where the original's
    plural rule does not fit its own messages, the export has one that does.
    """
    if before[0] != after[0] and not was_valid:
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


def _messages(text: str) -> list[str]:
    head, *messages = text.rstrip("\n").split("\n\n")
    bare = [re.sub(r"^#\..*\n", "", message, flags=re.M) for message in messages]
    return ["\n".join(sorted(head.splitlines())), *bare]
