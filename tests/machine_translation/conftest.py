import pytest

from locframework.testing.workspace import open_workspace

from .scripted import Scripted


@pytest.fixture
def engine():
    return Scripted()


@pytest.fixture
def shop(engine, database_url, tmp_path):
    with open_workspace(
        database_url,
        tmp_path,
        plugins=[engine, "json", "apertium", "pseudo"],
        translator="scripted",
    ) as workspace:
        yield workspace


@pytest.fixture
def project(shop):
    project = shop.project(languages=["de", "ru"])
    shop.key(project, "a", values={"en": "Save {name}"})
    shop.key(project, "b", values={"en": "Close"})
    shop.key(project, "c")
    shop.key(
        project, "n", isPlural=True, values={"en": {"one": "One", "other": "{n}s"}}
    )
    return project
