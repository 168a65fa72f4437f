"""docs/how-to/translation-memory.md: the scores in the table are correct."""

import json
import runpy
from pathlib import Path

from locframework.memories.matching.scoring import folds_of, score
from locframework.memories.records import Penalties
from locframework.testing.contracts.matchers import distance_of, percent_of

PAGE = "translation-memory.md"
ENTRY = "Save the file."
ROOT = Path(__file__).parents[2]


def row_of(text):
    """Return the expected row of a text."""
    asked, entry = folds_of(text), folds_of(ENTRY)
    raw = percent_of(asked.full, entry.full)
    given = score(asked, entry, raw, Penalties(), 0, distance_of)
    reasons = ", ".join(f"{each.kind} {each.points}" for each in given.penalties)
    return [text, str(raw), reasons, str(given.match_percentage)]


def test_every_score_in_the_table_is_correct(page):
    rows = page.rows(page.sections()["What a match is worth"])

    assert f"The entry is `{ENTRY}`" in page.text
    assert len(rows) == 10
    assert rows == [row_of(text) for text, *_ in rows]


def test_the_picture_shows_the_figures():
    picture = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "picture.py"))
    figures = json.loads(picture["FIGURES"].read_text("utf-8"))

    assert picture["PICTURE"].read_text("utf-8") == picture["drawn"](figures)
