"""POST …/tm/matches where the matcher is ``postgres``: the same answers."""

import psycopg
import pytest

from locframework.testing.workspace import open_workspace
from tests.empty_databases import fresh_postgres_url

from .memories import Memories

pytestmark = pytest.mark.server


@pytest.fixture
def database():
    with fresh_postgres_url() as url:
        yield url


@pytest.fixture
def memories(database, tmp_path):
    with open_workspace(database, tmp_path, matcher="postgres") as workspace:
        yield Memories(workspace)


def test_matches_follow_what_happens_to_their_entries(memories):
    entry = memories.entry("Save the file.", de="Datei sichern.")
    memories.entry("Quit", de="Beenden")
    [match] = memories.match("save the files")
    assert (match["value"], match["matchPercentage"]) == ("Datei sichern.", 89)

    memories.owner.patch(memories.path_of(entry), json={"sourceText": "Save files"})
    [match] = memories.match("save files")
    assert (match["value"], match["rawPercentage"]) == ("Datei sichern.", 100)

    memories.owner.delete(memories.path_of(entry))
    assert memories.match("save files") == []


def test_nothing_is_kept_of_a_memory_that_is_deleted(memories, database):
    memories.entry("Save the file.", de="Datei sichern.")
    memories.match("Save the file.")

    memories.owner.delete(f"/translation-memories/{memories.tm['id']}")

    with psycopg.connect(database) as connection:
        for table in ("memories", "texts"):
            asked = f"SELECT count(*) FROM locframework_matching_1.{table}"
            assert connection.execute(asked.encode()).fetchone() == (0,)
