"""A translation memory, and the files that go in and come out over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><prop type="x-context">menu</prop>
<tuv xml:lang="en"><seg>Press <ph x="1"/></seg></tuv>
<tuv xml:lang="de"><seg>Drücke <ph x="1"/></seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Pay</seg></tuv>
<tuv xml:lang="de"><seg>Zahlen</seg></tuv>
<tuv xml:lang="pl"><seg>Zapłać</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>ohne Quelle</seg></tuv></tu>
</body></tmx>
"""

CSV = "context,en,de\nmenu,=SUM(1),'=SUMME(1)\n,Pay,Kaufen\n"


class Memory:
    """A memory with the target language de."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de"]}
        made = self.owner.post("/translation-memories", json={**body, **fields})
        self.path = f"/translation-memories/{made.data['translationMemory']['id']}"

    def send(
        self, text: str | bytes, client: Client | None = None, **form: Any
    ) -> Answer:
        content = text.encode() if isinstance(text, str) else text
        file = Upload("file", content, "application/octet-stream")
        sender = client or self.owner
        return sender.post(f"{self.path}/import", form=form, files={"file": file})

    def bring(self, text: str, client: Client | None = None, **form: Any) -> Any:
        sent = self.send(text, client, **form)
        assert sent.status == 202, sent
        job = self.workspace.job_of(sent, client)
        assert job["status"] == "succeeded", job
        assert (job["type"], job["projectId"]) == ("tm_import", None)
        return job["result"]

    def entries(self) -> dict[str, dict[str, str]]:
        items = self.owner.get(f"{self.path}/entries").data["items"]
        return {
            f"{entry['sourceText']} | {entry['context']}": {
                each["languageCode"]: each["value"] for each in entry["translations"]
            }
            for entry in items
        }

    def waiting(self) -> dict[str, str]:
        """What is proposed of each entry in German."""
        query = {"hasProposal": "true"}
        items = self.owner.get(f"{self.path}/entries", query=query).data["items"]
        return {
            entry["sourceText"]: each["proposedValue"]
            for entry in items
            for each in entry["translations"]
            if each["languageCode"] == "de"
        }

    def export(self, **query: object) -> Answer:
        answer = self.owner.get(f"{self.path}/export", query=query)
        assert answer.status == 200, answer
        return answer
