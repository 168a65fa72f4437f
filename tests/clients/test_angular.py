"""Angular reads the XLIFF that we publish and export, with its placeholders."""

import json
import subprocess
from pathlib import Path

import pytest

from locframework.http.records import Upload

from .conftest import installed

pytestmark = pytest.mark.judge

SCRIPTS = Path(__file__).parent / "angular"
NAME = {
    "1.2": '<x id="INTERPOLATION" equiv-text="{{ name }}"/>',
    "2.0": '<ph id="0" equiv="INTERPOLATION" disp="{{ name }}"/>',
}
BOLD = {
    "1.2": '<x id="START_BOLD_TEXT"/>neu<x id="CLOSE_BOLD_TEXT"/>',
    "2.0": '<pc id="1" equivStart="START_BOLD_TEXT" equivEnd="CLOSE_BOLD_TEXT">'
    "neu</pc>",
}
ICU = "{VAR_PLURAL, plural, =0 {keine} one {ein <b>} other {viele}}"


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """The folder of an installed script."""
    return installed(SCRIPTS, tmp_path_factory.mktemp("angular"))


def read_by_angular(node, content):
    file = node / "messages.de.xlf"
    file.write_bytes(content)
    done = subprocess.run(
        ["node", "read.js", file],
        cwd=node,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def texts_of(version):
    return {
        "4811": f"Hallo {NAME[version]}, Größe < 3 & mehr",
        "4812": f"Ganz {BOLD[version]}!",
        "4813": ICU,
    }


READ = {
    "4811": "Hallo {$INTERPOLATION}, Größe < 3 & mehr",
    "4812": "Ganz {$START_BOLD_TEXT}neu{$CLOSE_BOLD_TEXT}!",
    "4813": ICU,
}


@pytest.mark.node
@pytest.mark.parametrize("version", ["1.2", "2.0"])
def test_angular_reads_a_release(sqlite_workspace, node, version):
    workspace = sqlite_workspace
    project = workspace.project(languages=["de"])
    for key, text in texts_of(version).items():
        workspace.key(project, key, values={"en": text, "de": text})
    body = {"name": "Web", "format": f"xliff-{version}"}
    path = f"/projects/{project['id']}/distributions"
    made = workspace.owner.post(path, json=body).data["distribution"]
    workspace.run_jobs()
    public = workspace.owner.with_token(None)
    manifest = public.get(f"/content/{made['publicKey']}/manifest.json").json
    [url] = [file["url"] for file in manifest["files"] if file["path"] == "de.xlf"]

    found = read_by_angular(node, public.get(url).content)

    assert found == {"locale": "de", "texts": READ, "warnings": []}


@pytest.mark.node
@pytest.mark.parametrize("version", ["1.2", "2.0"])
def test_angular_reads_its_own_file_with_our_changes(sqlite_workspace, node, version):
    workspace = sqlite_workspace
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    new = texts_of(version)
    units = "".join(UNIT[version] % (key, "old", "alt") for key in new)
    upload = {"file": Upload("messages.de.xlf", FILE[version] % units.encode(), "")}
    workspace.job_of(workspace.owner.post(f"{path}/import", files=upload))
    items = [{"key": k, "languageCode": "de", "value": new[k]} for k in new]
    workspace.owner.put(f"{path}/values", json={"items": items})
    query = {"format": f"xliff-{version}", "languageCodes": "de"}

    content = workspace.owner.get(f"{path}/export", query=query).content

    assert read_by_angular(node, content)["texts"] == READ


UNIT = {
    "1.2": '<trans-unit id="%s"><source>%s</source><target>%s</target></trans-unit>\n',
    "2.0": '<unit id="%s"><segment><source>%s</source><target>%s</target></segment>'
    "</unit>\n",
}
FILE = {
    "1.2": b'<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
    b'<file source-language="en" target-language="de" original="ng2.template" '
    b'datatype="plaintext"><body>\n%s</body></file></xliff>\n',
    "2.0": b'<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" '
    b'srcLang="en" trgLang="de">\n<file id="ngi18n">\n%s</file></xliff>\n',
}
