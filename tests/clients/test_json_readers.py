"""vue-i18n, i18next with JSON v3, go-i18n and Laravel read what we publish."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import installed

pytestmark = pytest.mark.judge

HERE = Path(__file__).parent
IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
FORMS = {
    "ru": ("one", "few", "many", "other"),
    "ar": ("zero", "one", "two", "few", "many", "other"),
    "sl": ("one", "two", "few", "other"),
    "lv": ("zero", "one", "other"),
    "ja": ("other",),
    "de": ("one", "other"),
}
WHOLE = {"ru": ("one", "few", "many")}  # of whole numbers, where others are left out
COUNTS = {
    "ru": {1: "one", 21: "one", 3: "few", 5: "many", 11: "many"},
    "ar": {0: "zero", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other"},
    "sl": {1: "one", 2: "two", 4: "few", 5: "other", 101: "one"},
    "lv": {0: "zero", 1: "one", 21: "one", 2: "other"},
    "ja": {1: "other", 7: "other"},
    "de": {0: "other", 1: "one", 2: "other"},
}


def published(workspace, format_id):
    """The files of a release by language."""
    project = workspace.project(languages=[*FORMS])
    plurals = {
        code: {f: f"{code} {f}" for f in WHOLE.get(code, forms)}
        for code, forms in FORMS.items()
    }
    english = {"one": "en one", "other": "en other"}
    values = {"en": english, **plurals}
    workspace.key(project, "cart.items", isPlural=True, values=values)
    title = {code: f"title {code} ü" for code in ("en", *FORMS)}
    workspace.key(project, "title", values=title)
    made = workspace.owner.post(
        f"/projects/{project['id']}/distributions",
        json={"name": "App", "format": format_id},
    )
    assert made.status == 201, made
    workspace.run_jobs()
    public = workspace.owner.with_token(None)
    key = made.data["distribution"]["publicKey"]
    manifest = public.get(f"/content/{key}/manifest.json").json
    return {f["language"]: public.get(f["url"]).content for f in manifest["files"]}


def answers_of(command, folder, path, language, counts, environment=None):
    """The title, and the text for each count, as the reader has them."""
    questions = [["title", None], *(["cart.items", count] for count in counts)]
    done = subprocess.run(
        [*command, path, language, json.dumps(questions)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(files, folder, command, languages, environment=None):
    for language in languages:
        path = folder / f"active.{language}.json"
        path.write_bytes(files[language])
        counts = COUNTS[language]
        found = answers_of(command, folder, path, language, counts, environment)
        expected = [f"{language} {form}" for form in counts.values()]
        assert found == [f"title {language} ü", *expected]


@pytest.mark.node
def test_vue_i18n_renders_what_is_published(sqlite_workspace, tmp_path):
    files = published(sqlite_workspace, "json-vue-i18n")
    node = installed(HERE / "vue_i18n", tmp_path)

    check(files, node, ["node", "read.js"], ["de", "ja"])


@pytest.mark.node
def test_i18next_v3_renders_what_is_published(sqlite_workspace, tmp_path):
    files = published(sqlite_workspace, "json-i18next-v3")
    node = installed(HERE / "i18next_v3", tmp_path)

    check(files, node, ["node", "read.js"], FORMS)


def require(program, path):
    if shutil.which(program) is None or not Path(path).exists():
        (pytest.fail if IS_REQUIRED else pytest.skip)(f"{program} needs {path}")


@pytest.mark.judge
def test_go_i18n_renders_what_is_published(sqlite_workspace, tmp_path):
    require("go", "/usr/share/gocode/src/github.com/nicksnyder/go-i18n/v2")
    files = published(sqlite_workspace, "json-go-i18n")
    shutil.copy(HERE / "go_i18n" / "read.go", tmp_path)
    environment = {
        "GO111MODULE": "off",
        "GOPATH": "/usr/share/gocode",
        "GOCACHE": str(tmp_path / "cache"),
        "GOFLAGS": "",
    }

    command = ["go", "run", "read.go"]
    languages = ["ru", "ar", "ja", "de"]
    check(files, tmp_path, command, languages, environment)


@pytest.mark.judge
def test_laravel_chooses_from_what_is_published(sqlite_workspace, tmp_path):
    require("php", "/usr/share/php/Illuminate/Translation/autoload.php")
    files = published(sqlite_workspace, "json-laravel")

    script = HERE / "laravel" / "read.php"
    languages = FORMS.keys() - {"lv"}  # Laravel has other forms than CLDR
    check(files, tmp_path, ["php", script], sorted(languages))
