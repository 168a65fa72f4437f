"""Every operation, a request that fits it, and all that two organizations have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from locframework import hookimpl
from locframework.access.permissions import PERMISSIONS
from locframework.fields import new_id
from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace
from tests.images import png

NONE: Mapping[str, str] = {}
METHODS = ("get", "post", "put", "patch", "delete")
VARYING = ("x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset")
ABSENT_KEY = "A" * 43
PUBLIC_URL = "https://93.184.215.14/hook"  # judged, and never sent to
TERMS = Upload("terms.csv", b"term,de\nquay,Kai\n", "text/csv")
FILE = Upload("app.json", b'{"greeting": "Hello"}', "application/json")


# Operations that end what others need: they are asked last, the innermost first.
ENDING = ("delete", "revoke", "remove")


class Row:
    """One operation of the interface."""

    def __init__(self, method: str, path: str, spec: Mapping[str, Any]) -> None:
        self.method = method.upper()
        self.path = path
        self.name: str = spec["operationId"]
        self.is_public = spec.get("security") == []
        self.permission: str | None = spec.get("x-permission")
        self.parameters = re.findall(r"\{(\w+)\}", path)
        self.body, self.files = _example(spec)

    def ask(
        self, client: Client, ids: Mapping[str, str], query: Mapping[str, str] = NONE
    ) -> Answer:
        path = self.path
        for name in self.parameters:
            path = path.replace(f"{{{name}}}", ids[name])
        if self.files is not None:
            return client.request(
                self.method, path, form=self.body, files=self.files, query=query
            )
        if self.body is not None:
            body = self.body_for(ids)
            return client.request(self.method, path, json=body, query=query)
        return client.request(self.method, path, query=query)

    def body_for(self, ids: Mapping[str, str]) -> Any:
        """The body, which may name a key."""
        if (self.body or {}).get("keyId") == "{keyId}":
            return {**self.body, "keyId": ids["keyId"]}
        return self.body


def _example(spec: Mapping[str, Any]) -> tuple[Any, dict[str, Upload] | None]:
    content = spec.get("requestBody", {}).get("content", {})
    if spec["operationId"] == "importMemory":
        return {}, {"file": Upload("tm.csv", b"en,de\na,b\n", "text/csv")}
    if spec["operationId"] == "importGlossary":
        return {}, {"file": TERMS}
    if spec["operationId"] == "startImport":
        return {"format": "json-nested", "languageCode": "en"}, {"file": FILE}
    if "multipart/form-data" in content:
        return {}, {"file": FILE}
    if "application/json" not in content:
        return None, None
    return BODIES[spec["operationId"]], None


BODIES: dict[str, Any] = {
    # What a schema cannot say: values that fit the world below.
    "createKey": {"key": "from.the.matrix", "values": {"de": "Hallo"}},
    "createKeys": {"keys": [{"key": "bulk.of.matrix"}]},
    "setValue": {"value": "Hallo"},
    "setValues": {"items": [{"key": "a.b", "languageCode": "de", "value": "Hi"}]},
    "updateKey": {"description": "said by the matrix"},
    "approveValue": {},
    "approveValues": {"items": [{"key": "a.b", "languageCode": "de"}]},
    "rejectValues": {"items": [{"key": "a.b", "languageCode": "de"}]},
    "previewChecks": {"keyId": "{keyId}", "languageCode": "de", "value": "Hallo"},
    "revertValue": {"revision": 1},
    "revertActivity": {"actor": "nobody"},
    "rejectValue": {"reason": "said by the matrix"},
    "dismissFinding": {"reason": "said by the matrix"},
    "createProject": {"name": "Made by the matrix", "sourceLanguage": "en"},
    "updateProject": {"description": "changed"},
    "updatePluginSettings": {"isMentioned": True},
    "addLanguage": {"languageCode": "nl"},
    "updateLanguage": {"label": "Deutsch"},
    "createBranch": {"name": "from-the-matrix"},
    "mergeBranch": {},
    "createDistribution": {"name": "Web", "format": "json-nested"},
    "updateDistribution": {"name": "Web shop"},
    "rollbackDistribution": {"version": 1},
    "createRelease": {"note": "x", "dryRun": True},
    "createToken": {"name": "x", "permissions": []},
    "createMemberToken": {"name": "x", "permissions": []},
    "createProjectToken": {"name": "x", "permissions": []},
    "openSession": {"invitation": "svc_inv_" + "a" * 42},
    "addMember": {"email": "new@example.com", "role": "viewer"},
    "updateMember": {"name": "New name"},
    "createGlossary": {"name": "By the matrix", "sourceLanguage": "en"},
    "updateGlossary": {"name": "By the matrix"},
    "createTerm": {"term": "made by the matrix"},
    "updateTerm": {"notes": "said by the matrix"},
    "setTermTranslation": {"value": "Hallo"},
    "rejectTermTranslation": {"reason": "said by the matrix"},
    "updateOrganization": {"name": "New name"},
    "updateOwnOrganization": {"name": "New name"},
    "createMemory": {"name": "Made by the matrix", "sourceLanguage": "en"},
    "updateMemory": {"name": "New name"},
    "addMemoryLanguage": {"languageCode": "nl"},
    "createEntry": {"sourceText": "Said by the matrix"},
    "updateEntry": {"context": "changed"},
    "setEntryTranslation": {"value": "Hallo"},
    "rejectEntryTranslation": {},
    "assignMemory": {"priority": 1},
    "startPrefill": {"languageCodes": ["de"]},
    "startTranslation": {"languageCodes": ["de"]},
    "suggestTranslation": {"languageCode": "de", "text": "Hello"},
    "createWebhook": {"url": PUBLIC_URL, "eventTypes": ["key.created"]},
    "updateWebhook": {"description": "said by the matrix"},
    "replayDeliveries": {"status": "failed"},
    "searchMemories": {"query": "Hello"},
    "findTerms": {"texts": ["Hello"], "languageCodes": ["de"]},
    "findMatches": {"sourceTexts": ["Hello"], "languageCodes": ["de"]},
}


# A term may be translated into any language: there is no absent one.
ANY_LANGUAGE = ("setTermTranslation", "approveTermTranslation", "rejectTermTranslation")


class MentionedSettings(Struct, rename="camel"):
    is_mentioned: bool = False


class Mentioned:
    """A plugin with settings in each project."""

    name = "mentioned"
    project_settings_type = MentionedSettings

    @hookimpl
    def loc_on_close(self) -> None: ...


class World:
    """One organization with one of everything, and the ids that paths need."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self.organization_id, self.owner = workspace.organization(name)
        self.project = workspace.project(owner=self.owner, languages=["de"])
        here = f"/projects/{self.project['id']}"
        key = self.owner.post(f"{here}/keys", json={"key": "a.b"}).data["key"]
        gone = self.owner.post(f"{here}/keys", json={"key": "gone"}).data["key"]
        self.owner.delete(f"{here}/keys/{gone['id']}")
        new = {"key": "faulty", "values": {"en": "Hello", "de": "Hallo "}}
        faulty = self.owner.post(f"{here}/keys", json=new).data["key"]
        made = self.owner.post(
            f"{here}/distributions", json={"name": "Web", "format": "json-nested"}
        ).data["distribution"]
        branch = self.owner.post(f"{here}/branches", json={"name": "spring"})
        workspace.run_jobs()
        token = self.owner.post(
            f"{here}/tokens", json={"name": "ci", "permissions": list(PERMISSIONS)}
        ).data
        image = Upload("a.png", png(), "image/png")
        files = self.owner.post(f"{here}/files", files={"file": image})
        file = files.data["file"]
        own_token = self.owner.post("/tokens", json={"name": "spare"}).data["token"]
        member = self.owner.post(
            f"/organizations/{self.organization_id}/members",
            json={"email": f"{name}@example.com", "role": "viewer"},
        ).data["member"]
        of_member = f"/organizations/{self.organization_id}/members/{member['id']}"
        new_token = {"name": "member's", "permissions": ["project_read"]}
        member_token = self.owner.post(f"{of_member}/tokens", json=new_token).data[
            "token"
        ]
        jobs = self.owner.get(f"{here}/jobs").data["items"]
        body = {"languageCodes": ["de"]}
        run = self.owner.post(f"{here}/ai/translate", json=body).data["job"]
        form = {"format": "json-nested", "languageCode": "en", "dryRun": "true"}
        sent = self.owner.post(f"{here}/import", form=form, files={"file": FILE})
        dry_import = sent.data["job"]
        workspace.run_jobs()
        self.project_token = self.owner.with_token(token["secret"])
        self.ids = {
            "organizationId": self.organization_id,
            "projectId": self.project["id"],
            "keyId": key["id"],
            "trashedKeyId": gone["id"],
            "faultyKeyId": faulty["id"],
            "check": "white_space",
            "name": Mentioned.name,
            "lang": "de",
            "jobId": jobs[0]["id"],
            "distributionId": made["id"],
            "branch": branch.data["branch"]["id"],
            "version": "1",
            "memberId": member["id"],
            "tokenId": own_token["id"],
            "memberTokenId": member_token["id"],
            "runId": run["id"],
            "importId": dry_import["id"],
            "projectTokenId": token["token"]["id"],
            "publicKey": made["publicKey"],
            "blob": "0" * 64,
            "file": "init.js",
            "fileId": file["id"],
            **self._memory(here),
            **self._webhook(here),
            **self._glossary(here),
        }

    def _webhook(self, project: str) -> dict[str, str]:
        """A webhook with a delivery."""
        webhook = self.owner.post(
            f"{project}/webhooks",
            json={"url": PUBLIC_URL, "eventTypes": ["key.created"]},
        ).data["webhook"]
        log = f"{project}/webhooks/{webhook['id']}"
        delivery = self.owner.post(f"{log}/test").data["delivery"]
        return {"webhookId": webhook["id"], "deliveryId": delivery["id"]}

    def _glossary(self, project: str) -> dict[str, str]:
        """A glossary that the project uses, with a term and an import."""
        glossary = self.owner.post(
            "/glossaries", json={"name": "Terms", "sourceLanguage": "en"}
        ).data["glossary"]
        terms = f"/glossaries/{glossary['id']}"
        self.owner.put(f"{project}{terms}")
        term = self.owner.post(
            f"{terms}/terms", json={"term": "pier", "translations": {"de": "Pier"}}
        ).data["term"]
        job = self.owner.post(f"{terms}/import", files={"file": TERMS})
        return {
            "glossaryId": glossary["id"],
            "glossaryJobId": job.data["job"]["id"],
            "termId": term["id"],
        }

    def _memory(self, project: str) -> dict[str, str]:
        """A translation memory that the project uses, with an entry."""
        body = {"name": "TM", "sourceLanguage": "en", "languageCodes": ["de"]}
        made = self.owner.post("/translation-memories", json=body).data
        here = f"/translation-memories/{made['translationMemory']['id']}"
        self.owner.put(f"{project}{here}", json={"writeMode": "none"})
        new = {"sourceText": "Hello", "translations": {"de": "Hallo"}}
        entry = self.owner.post(f"{here}/entries", json=new).data["entry"]
        file = Upload("tm.csv", b"en,de\nBye,Ade\n", "text/csv")
        job = self.owner.post(f"{here}/import", form={}, files={"file": file})
        ids = {"tmId": entry["tmId"], "entryId": entry["id"]}
        return {**ids, "tmJobId": job.data["job"]["id"]}

    def ids_for(self, row: Row) -> dict[str, str]:
        ids = dict(self.ids)
        if row.name == "restoreKey":
            ids["keyId"] = ids["trashedKeyId"]
        if "check" in row.parameters:
            ids["keyId"] = ids["faultyKeyId"]
        if row.path.startswith("/glossaries/"):
            ids["jobId"] = ids["glossaryJobId"]
        if row.path.startswith("/translation-memories/"):
            ids["jobId"] = ids["tmJobId"]
        if "/projects/" in row.path:
            ids["tokenId"] = ids["projectTokenId"]
        if "/members/" in row.path:
            ids["tokenId"] = ids["memberTokenId"]
        if row.name in ("approveTranslation", "listOutcomes"):
            ids["jobId"] = ids["runId"]
        if row.name == "listConflicts":
            ids["jobId"] = ids["importId"]
        return ids


def absent(ids: Mapping[str, str], *names: str) -> dict[str, str]:
    """The ids with those named replaced by ones that nobody has."""
    others = {
        name: {"lang": "sv", "version": "9", "publicKey": ABSENT_KEY}.get(
            name, new_id()
        )
        for name in names
    }
    return {**ids, **others}


def rows(client: Client) -> list[Row]:
    document = client.get("/openapi.json").json
    found = [
        Row(method, path, operations[method])
        for path, operations in document["paths"].items()
        for method in METHODS
        if method in operations
    ]
    return sorted(
        found, key=lambda row: (row.name.startswith(ENDING), -row.path.count("/"))
    )


def same(one: Answer, other: Answer) -> bool:
    def shape(answer: Answer) -> tuple[int, bytes, list[tuple[str, str]]]:
        headers = [
            (name.lower(), value)
            for name, value in answer.headers.items()
            if name.lower() not in VARYING
        ]
        return answer.status, answer.content, sorted(headers)

    return shape(one) == shape(other)
