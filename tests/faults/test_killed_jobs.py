"""Jobs that are killed anywhere come to the same end, in whole steps."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from locframework.http.records import Upload

pytestmark = pytest.mark.kill


class Task:
    """A job that was queued; ``counts`` are expected after a kill at each place."""

    total: int
    places: tuple[str, ...]
    counts: tuple[int, ...]

    def __init__(self, world):
        self.world, self.owner = world, world.workspace.owner
        self.project = world.workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self.job = self.begin()

    def begin(self):
        """Return the path of the job."""
        raise NotImplementedError

    def count(self):
        """How much of the result is there."""
        raise NotImplementedError

    def check(self, result):
        raise NotImplementedError

    def sent(self, kind, record, file):
        """The paths of a new glossary or memory that the project reads, and of the job
        that imports the file into it."""
        body = {"name": "Killed", "sourceLanguage": "en"}
        made = self.owner.post(f"/{kind}", json=body).data[record]
        path = f"/{kind}/{made['id']}"
        use = {"json": {"writeMode": "none"}} if record == "translationMemory" else {}
        assert self.owner.put(f"{self.path}{path}", **use).status == 200
        self.world.workspace.run_jobs()  # a check of the project's texts has steps too
        upload = Upload("file.csv", file.encode(), "text/csv")
        job = self.owner.post(f"{path}/import", files={"file": upload}).data["job"]
        return path, f"{path}/jobs/{job['id']}"


class GlossaryImport(Task):
    total = 2250
    counts = (0, 0, 1000, 2000, 2000)
    places = (
        "job.after_claim",
        "job.before_step",
        "job.after_step",
        "glossary_import.before_commit",
        "job.before_commit",
    )

    def begin(self):
        rows = "".join(f"term {number},Wort {number}\n" for number in range(self.total))
        self.glossary, job = self.sent("glossaries", "glossary", f"term,de\n{rows}")
        return job

    def count(self):
        return self.owner.get(self.glossary).data["glossary"]["termCount"]

    def check(self, result):
        assert result["termsCreated"] == self.total
        items = Counter[str]()
        for event in self.world.events(self.project):
            items[event.type] += len(event.items)
        assert items["glossary.term.created"] == self.total
        assert items["glossary.translation.updated"] == self.total


class MemoryImport(Task):
    total = 2100  # units of a source text and a translation each
    counts = (0, 0, 1000, 1000, 2000)  # the last step ends the job too
    places = (
        "job.after_claim",
        "job.before_step",
        "tm_import.after_step",
        "job.before_step",
        "job.before_commit",
    )

    def begin(self):
        self.rows = [f",text {number},Text {number}" for number in range(self.total)]
        file = "\n".join(["context,en,de", *self.rows])
        kind, record = "translation-memories", "translationMemory"
        self.memory, job = self.sent(kind, record, file)
        return job

    def count(self):
        memory = self.owner.get(self.memory).data["translationMemory"]
        return memory["entryCount"]

    def check(self, result):
        assert result["entriesCreated"] == self.total
        path = f"{self.memory}/export"
        written = self.owner.get(path, query={"format": "csv"}).content.decode()
        assert Counter(written.splitlines()[1:]) == Counter(self.rows)


class Prefill(Task):
    total = 210
    counts = (0, 0, 100, 100, 210)
    places = (
        "job.after_claim",
        "job.before_step",
        "tm_prefill.after_step",
        "job.before_step",
        "job.before_commit",
    )

    def begin(self):
        file = "en,de\nSave the file,Datei sichern"
        self.sent("translation-memories", "translationMemory", file)
        self.names = [f"key{number}" for number in range(self.total)]
        texts = json.dumps(dict.fromkeys(self.names, "Save the file")).encode()
        files = {"file": Upload("en.json", texts, "application/json")}
        form = {"format": "json-flat", "languageCode": "en"}
        sent = self.owner.post(f"{self.path}/import", form=form, files=files)
        assert self.world.workspace.job_of(sent)["status"] == "succeeded"
        self.events_before = len(self.world.events(self.project))
        body = {"languageCodes": ["de"]}
        job = self.owner.post(f"{self.path}/tm/prefill", json=body).data["job"]
        return f"{self.path}/jobs/{job['id']}"

    def count(self):
        statistics = self.owner.get(f"{self.path}/statistics").data["statistics"]
        [count] = [
            each["draft"]
            for each in statistics["languages"]
            if each["languageCode"] == "de"
        ]
        return int(count)

    def check(self, result):
        assert (result["keysFilled"], result["valuesWritten"]) == (self.total,) * 2
        events = self.world.events(self.project)
        updated = Counter(
            item["key"]
            for event in events[: len(events) - self.events_before]
            if event.type == "translation.updated"
            for item in event.items
        )
        assert updated == Counter(self.names)


@pytest.mark.parametrize("kind", [GlossaryImport, MemoryImport, Prefill])
def test_job_killed_in_every_place_comes_to_the_same_end(world, kind):
    task = kind(world)

    counts = []
    for place in task.places:
        world.crash(place)
        counts.append(task.count())
    server = world.start()
    job = world.owner(server).end_of_job(task.job)

    assert tuple(counts) == task.counts
    assert (job["status"], job["progress"]["done"]) == ("succeeded", task.total)
    assert task.count() == task.total
    task.check(job["result"])
    assert server.stop() == 0
