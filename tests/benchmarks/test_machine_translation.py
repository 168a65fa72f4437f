"""A run of machine translation beside writing the same texts in batches."""

import time

import pytest
from measuring import rounds

from locframework.keys.records import Selection

RATIO_MOST = 2
LANGUAGES = ("de", "fr", "it", "nl", "sv", "pl", "cs", "da", "fi", "pt")


class Translated:
    """A project whose texts are translated and written, each time in new languages."""

    def __init__(self, shop, size):
        self.workspace, self.size = shop.workspace, size
        self.path = f"/projects/{shop.filled(size, ['en'])['id']}"
        self.codes = iter(LANGUAGES)

    def language(self):
        code = next(self.codes)
        body = {"languageCode": code}
        answer = self.workspace.owner.post(f"{self.path}/languages", json=body)
        assert answer.status == 201, answer
        return code

    def run(self):
        """Seconds of a run, and the texts that it made, by key."""
        code = self.language()
        body = {"languageCodes": [code], "provider": "pseudo"}
        begun = time.perf_counter()
        asked = self.workspace.owner.post(f"{self.path}/ai/translate", json=body)
        job = self.workspace.job_of(asked)
        seconds = time.perf_counter() - begun
        assert job["status"] == "succeeded", job
        assert job["result"]["translated"] == self.size
        return seconds, self.texts(code)

    def write(self, texts):
        """Seconds of writing the texts."""
        code = self.language()
        names = sorted(texts)
        batches = [
            [
                {"key": name, "languageCode": code, "value": texts[name]}
                for name in names[first : first + 500]
            ]
            for first in range(0, self.size, 500)
        ]
        begun = time.perf_counter()
        for items in batches:
            answer = self.workspace.owner.put(
                f"{self.path}/values", json={"items": items}
            )
            assert answer.status == 200, answer
        seconds = time.perf_counter() - begun
        assert self.texts(code) == texts
        return seconds

    def texts(self, code):
        storage = self.workspace.framework.storage
        project_id = self.path.rpartition("/")[2]
        selection = Selection("any")
        rows = storage.keys.text_rows(project_id, code, selection)
        return {row.key: row.texts[None] for row in rows if row.texts}


def test_a_run_with_pseudo_beside_writing_its_texts(shop, size, table):
    if size > 100_000:
        pytest.skip("the goal speaks of 10k texts")
    project = Translated(shop, size)
    runs, writes = [], []
    for _ in range(min(rounds(), len(LANGUAGES) // 2)):
        seconds, texts = project.run()
        runs.append(seconds)
        writes.append(project.write(texts))

    peer = ("the same texts in batches of 500", min(writes) * 1000)
    what = "machine translation with pseudo"
    table.add(what, shop.kind, size, min(runs) * 1000, peer, ratio_most=RATIO_MOST)
