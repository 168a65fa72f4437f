"""A PATCH that changes nothing changes nothing: no record, no ETag, no event."""

from locframework.testing.contracts.storage_events import latest


def made(workspace):
    """One of each thing that has a PATCH: the paths."""
    owner = workspace.owner
    project = workspace.project(languages=["de"])
    one = f"/projects/{project['id']}"
    key = workspace.key(project, "a", description="x", values={"en": "A", "de": "Ä"})
    web = {"name": "Web", "format": "json-nested", "languageCodes": ["de"]}
    distribution = owner.post(f"{one}/distributions", json=web).data["distribution"]
    terms = {"name": "Terms", "sourceLanguage": "en"}
    glossary = owner.post("/glossaries", json=terms).data["glossary"]
    of_glossary = f"/glossaries/{glossary['id']}/terms"
    term = owner.post(of_glossary, json={"term": "Quay"}).data["term"]
    terms["languageCodes"] = ["de"]
    memory = owner.post("/translation-memories", json=terms).data["translationMemory"]
    of_memory = f"/translation-memories/{memory['id']}"
    text = {"sourceText": "Quay", "translations": {"de": "Kai"}}
    entry = owner.post(f"{of_memory}/entries", json=text).data["entry"]
    return [
        one,
        f"{one}/languages/de",
        f"{one}/keys/{key['id']}",
        f"{one}/distributions/{distribution['id']}",
        f"/glossaries/{glossary['id']}",
        f"{of_glossary}/{term['id']}",
        of_memory,
        f"{of_memory}/entries/{entry['id']}",
        "/organization",
    ]


def changeable(owner, path):
    """What was read there, without what no PATCH can change."""
    [shown] = owner.get(path).data.values()
    refused = owner.patch(path, json={**shown, "nothing": None}).error["details"]
    return {
        name: value
        for name, value in shown.items()
        if not any(each["path"] == f"$.{name}" for each in refused)
    }


def test_a_patch_that_changes_nothing_changes_nothing(workspace):
    owner, store = workspace.owner, workspace.framework.storage.events
    paths = made(workspace)
    workspace.run_jobs()
    project_id = paths[0].rpartition("/")[2]

    for path in paths:
        before = owner.get(path)
        told = len(latest(store, project_id, 1000))

        for body in ({}, changeable(owner, path)):
            changed = owner.patch(path, json=body)
            assert changed.status == 200, (path, changed)

        after = owner.get(path)
        assert (after.data, after.headers["ETag"]) == (
            before.data,
            before.headers["ETag"],
        )
        assert len(latest(store, project_id, 1000)) == told, path


def test_what_was_read_of_a_distribution_can_be_written_whatever_has_left(workspace):
    owner, project = workspace.owner, workspace.project(languages=["de", "fr"])
    one = f"/projects/{project['id']}"
    owner.post(f"{one}/branches", json={"name": "spring"})
    body = {"name": "Web", "format": "json-nested", "languageCodes": ["de", "fr"]}
    made = owner.post(f"{one}/distributions", json={**body, "branch": "spring"})
    path = f"{one}/distributions/{made.data['distribution']['id']}"
    owner.delete(f"{one}/languages/fr")
    owner.delete(f"{one}/branches/spring")
    read = changeable(owner, path)

    changed = owner.patch(path, json={**read, "name": "New"}).data["distribution"]

    assert changed["name"] == "New"
    assert (changed["languageCodes"], changed["branch"]) == (["de", "fr"], "spring")
    owner.patch(path, json={"languageCodes": ["de"]})
    back = owner.patch(path, json={"languageCodes": ["de", "fr"]})
    assert (back.status, back.error["code"]) == (400, "language_not_in_project")
