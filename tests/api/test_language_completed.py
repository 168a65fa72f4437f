"""language.completed: told once whenever the last key of a line gets its text."""

import json

import pytest

from locframework.http.records import Upload
from locframework.testing.contracts.storage_events import latest

TYPE = "language.completed"


class Shop:
    """A project in English and German, and what was told of completed languages."""

    def __init__(self, workspace):
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self._seen = 0

    def key(self, name, *, on=None, **values):
        body = {"key": name, "values": values}
        answer = self.owner.post(f"{self.path}/keys", json=body, query=branch(on))
        assert answer.status == 201, answer
        return answer.data["key"]

    def put(self, key, lang, value, *, on=None):
        path = f"{self.path}/keys/{key['id']}/values/{lang}"
        answer = self.owner.put(path, json={"value": value}, query=branch(on))
        assert answer.status == 200, answer

    def delete(self, key, *, on=None):
        path = f"{self.path}/keys/{key['id']}"
        assert self.owner.delete(path, query=branch(on)).status == 200

    def restore(self, key):
        path = f"{self.path}/keys/{key['id']}/restore"
        assert self.owner.post(path).status == 200

    def branch(self, name="spring"):
        made = self.owner.post(f"{self.path}/branches", json={"name": name})
        assert made.status == 201
        return name

    def bring(self, code, texts, **form):
        content = json.dumps(texts).encode()
        file = Upload(f"{code}.json", content, "application/json")
        fields = {"languageCode": code, "format": "json-flat", **form}
        path = f"{self.path}/import"
        accepted = self.owner.post(path, form=fields, files={"file": file})
        job = self.workspace.job_of(accepted)
        assert job["status"] == "succeeded", job
        return job

    def events(self):
        store = self.workspace.framework.storage.events
        found = latest(store, self.project["id"], 10_000)
        return [event for event in reversed(found) if event.type == TYPE]

    def told(self):
        """Branch and languages of each event since this was last asked."""
        new = self.events()[self._seen :]
        self._seen += len(new)
        return [
            (event.branch, [item["languageCode"] for item in event.items])
            for event in new
        ]


def branch(name):
    return {} if name is None else {"branch": name}


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


def test_the_last_text_of_a_language_completes_it(shop):
    a, b = shop.key("a", en="A"), shop.key("b", en="B")
    shop.told()

    shop.put(a, "de", "Ä")
    assert shop.told() == []
    shop.put(b, "de", "Be")

    assert shop.told() == [(None, ["de"])]
    [*_, event] = shop.events()
    [item] = event.items
    languages = shop.owner.get(f"{shop.path}/languages").data["items"]
    assert item["languageId"] in {each["id"] for each in languages}
    assert event.actor.type == "user"


def test_a_complete_language_is_not_completed_again(shop):
    a = shop.key("a", en="A", de="Ä")
    shop.told()

    shop.put(a, "de", "Anders")
    shop.put(a, "en", "Changed")
    shop.key("b", en="B", de="Be")

    assert shop.told() == []


DE = [(None, ["de"])]


def make_one(shop):
    return shop.key("a", en="A")


def make_complete(shop):
    return shop.key("a", en="A", de="Ä")


def make_two(shop):
    shop.key("a", en="A", de="Ä")
    return shop.key("b", en="B")


def clear_and_write(shop, key):
    shop.put(key, "de", "")
    assert shop.told() == []
    shop.put(key, "de", "Ä")


def write_source(shop, key):
    shop.key("b")
    shop.bring("en", {"b": "B"})


def delete_and_restore(shop, key):
    shop.delete(key)
    shop.restore(key)


def delete_then_restore(shop, key):
    shop.delete(key)
    assert shop.told() == DE
    shop.restore(key)


def propose(shop, key):
    translator = shop.workspace.client("translator")
    path = f"{shop.path}/keys/{key['id']}/values/de"
    assert translator.put(path, json={"value": "Ä"}).status == 200


def write_in_bulk(shop, key):
    keys = [{"key": f"k{n}", "values": {"en": f"{n}"}} for n in range(3)]
    made = shop.owner.post(f"{shop.path}/keys/bulk", json={"keys": keys})
    assert made.status == 200
    assert shop.told() == []
    items = [
        {"key": name, "languageCode": "de", "value": "x"}
        for name in ("a", "k0", "k1", "k2")
    ]
    answer = shop.owner.put(f"{shop.path}/values", json={"items": items})
    assert answer.status == 200


def replace_by_import(shop, key):
    shop.bring("en", {"a": "A"}, mode="replace")


def turn_plurals(shop, key):
    """Every text moves, and for a moment none is there."""
    path = f"{shop.path}/keys/{key['id']}"
    for plural in (True, False):
        assert shop.owner.patch(path, json={"isPlural": plural}).status == 200


def be_refused(shop, key):
    body = {"key": "a", "values": {"en": "A", "de": "Ä"}}
    assert shop.owner.post(f"{shop.path}/keys", json=body).status == 409


def change_languages(shop, key):
    shop.owner.patch(shop.path, json={"sourceLanguage": "de"})
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "fr"})


def write_on_a_new_branch(shop, key):
    """It is complete from the start, as its project is."""
    shop.put(key, "de", "Anders", on=shop.branch())


@pytest.mark.parametrize(
    ("make", "change", "told"),
    [
        (make_complete, clear_and_write, DE),
        (make_one, write_source, [(None, ["en"])]),
        (make_one, delete_and_restore, []),
        (make_two, delete_then_restore, []),
        (make_one, propose, DE),
        (make_one, write_in_bulk, DE),
        (make_two, replace_by_import, DE),
        (make_complete, turn_plurals, []),
        (make_one, be_refused, []),
        (make_one, change_languages, []),
        (make_complete, write_on_a_new_branch, []),
    ],
)
def test_what_completes_a_language(shop, make, change, told):
    key = make(shop)
    shop.told()

    change(shop, key)

    assert shop.told() == told


def test_a_project_without_keys_lacks_no_text_so_its_first_key_completes_nothing(shop):
    a = shop.key("a", en="A")
    assert shop.told() == []

    shop.put(a, "de", "Ä")

    assert shop.told() == DE


def test_an_import_of_many_batches_completes_once(shop):
    texts = {f"k{number:04}": "x" for number in range(1500)}
    shop.bring("en", texts)
    assert shop.told() == []

    shop.bring("de", texts)

    assert shop.told() == [(None, ["de"])]


def test_a_branch_tells_what_is_completed_on_it(shop):
    a = shop.key("a", en="A")
    spring = shop.branch()
    shop.told()

    shop.put(a, "de", "Ä", on=spring)
    assert shop.told() == [("spring", ["de"])]
    shop.key("b", on=spring, en="B")
    shop.key("c", en="C", de="Ce")
    assert shop.told() == []
    b = shop.owner.get(
        f"{shop.path}/keys", query={"branch": spring, "search": "b"}
    ).data["items"][0]
    shop.delete(b, on=spring)

    assert shop.told() == [("spring", ["de"])]


def test_a_merge_completes_main(shop):
    a, b = shop.key("a", en="A"), shop.key("b", en="B")
    spring = shop.branch()
    shop.put(a, "de", "Ä", on=spring)
    shop.delete(b, on=spring)
    shop.told()

    merged = shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    assert merged.status == 200
    assert shop.told() == [(None, ["de"])]


def test_a_merge_that_deletes_and_adds_is_seen_as_a_whole(shop):
    """After its deletions alone, German would be complete."""
    shop.key("a", en="A", de="Ä")
    b = shop.key("b", en="B")
    spring = shop.branch()
    shop.delete(b, on=spring)
    shop.key("c", on=spring, en="C")
    shop.told()

    shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    assert shop.told() == []
