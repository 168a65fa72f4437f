"""Apertium really translates a small project, where it is installed."""

import os
import shutil

import pytest

from locframework.testing.workspace import open_workspace
from tests.empty_databases import REQUIRED_VARIABLE


@pytest.fixture(autouse=True)
def _apertium():
    if shutil.which("apertium") is None:
        told = "apertium is not installed"
        if os.environ.get(REQUIRED_VARIABLE) == "1":
            pytest.fail(told)
        pytest.skip(told)


def test_a_small_project_is_translated(database_url, tmp_path):
    texts = {
        "save": ("Guardar el archivo {name}", "Guardar l'arxiu {name}"),
        "close": ("Cerrar la <b>ventana</b>.", "Tancar la <b>finestra</b>."),
        "lines": ("Buenos días\nBuenas noches", "Bon dia\nBona nit"),
        "files": (
            "{n, plural, one {Un archivo} other {# archivos}}",
            "{n, plural, one {Un arxiu} many {# arxius} other {# arxius}}",
        ),
    }
    with open_workspace(database_url, tmp_path, translator="apertium") as shop:
        project = shop.project(sourceLanguage="es", languages=["ca"])
        for key, (spanish, _) in texts.items():
            shop.key(project, key, values={"es": spanish})
        path = f"/projects/{project['id']}"
        asked = shop.owner.post(f"{path}/ai/translate", json={"languageCodes": ["ca"]})
        job = shop.job_of(asked)
        keys = shop.owner.get(f"{path}/keys", query={"include": "values"}).data["items"]

    assert job["status"] == "succeeded", job
    assert {key["key"]: key["values"][-1]["value"] for key in keys} == {
        key: catalan for key, (_, catalan) in texts.items()
    }
