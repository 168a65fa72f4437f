"""What is kept of a glossary in memory follows it, and is what it would be anew."""

from contextlib import contextmanager

import pytest

from locframework.glossaries.matching import TermCache
from locframework.terminology.index import find_terms
from tests.databases import statements_of

TEXT = "Two piers, a harbour, an old name: Skerry. Ein Pier, ein Hafen"


class Followed:
    """A glossary of a project, and what is kept of it."""

    def __init__(self, workspace):
        self._owner, self._storage = workspace.owner, workspace.framework.storage
        self._project = workspace.project(languages=["de", "fr"])["id"]
        body = {"name": "Terms", "sourceLanguage": "en"}
        made = self._owner.post("/glossaries", json=body).data["glossary"]
        self._path = f"/glossaries/{made['id']}/terms"
        self._owner.put(f"/projects/{self._project}/glossaries/{made['id']}")
        self._kept = TermCache(self._storage)

    def add(self, term, **fields):
        added = self._owner.post(self._path, json={"term": term, **fields})
        return f"{self._path}/{added.data['term']['id']}"

    def write(self, path, **fields):
        assert self._owner.patch(path, json=fields).status == 200

    def say(self, path, language, value):
        path = f"{path}/translations/{language}"
        assert self._owner.put(path, json={"value": value}).status == 200

    def drop(self, path):
        assert self._owner.delete(path).status == 200

    def told(self):
        return self._told(self._kept)

    def anew(self):
        return self._told(TermCache(self._storage))

    def statements(self):
        """Those that what is kept costs now."""
        with statements_of(self._storage) as statements:
            self.told()
        return statements

    def _told(self, terminologies):
        with self._storage.snapshot():
            known = terminologies.of_project(self._project)
            assert known is not None
            found = known.find(TEXT)
            languages = {code: known.in_language(code) for code in ("de", "fr")}
        return (
            [(each, known.term(each.id)) for each in found],
            [
                (code, each.values, find_terms(TEXT, [each.forbidden]))
                for code, of_each in languages.items()
                for each in of_each
            ],
        )


@pytest.fixture
def followed(workspace):
    return Followed(workspace)


def test_every_change_of_a_glossary_is_followed(followed):
    pier = followed.add("pier", translations={"de": "Pier", "fr": "quai"})
    name = followed.add("old name", usageStatus="forbidden")
    assert followed.told() == followed.anew()
    harbour = [""]
    changes = (
        lambda: harbour.append(followed.add("harbour")),
        lambda: followed.say(harbour[-1], "de", "Hafen"),
        lambda: followed.write(harbour[-1], usageStatus="forbidden"),
        lambda: followed.write(pier, term="Skerry", caseSensitive=True),
        lambda: followed.say(pier, "fr", ""),
        lambda: followed.write(name, term="old"),
        lambda: (followed.drop(harbour[-1]), followed.add("two")),
    )
    for change in changes:
        before = followed.told()
        change()
        assert followed.told() == followed.anew() != before
        assert not any("FROM term" in each for each in followed.statements())


READ = ("plain_terms", "values_in")


def test_no_write_waits_until_a_glossary_is_read(workspace, monkeypatch):
    """That of 30,000 terms takes seconds, in which SQLite has no other writer."""
    storage, owner = workspace.framework.storage, workspace.owner
    project = workspace.project(languages=["de", "fr"])
    body = {"name": "Terms", "sourceLanguage": "en"}
    made = owner.post("/glossaries", json=body).data["glossary"]
    terms = f"/glossaries/{made['id']}/terms"
    owner.put(f"/projects/{project['id']}/glossaries/{made['id']}")
    new = {"term": "pier", "translations": {"de": "Pier", "fr": "quai"}}
    term = owner.post(terms, json=new).data["term"]["id"]
    writing, read = 0, list[tuple[str, int]]()
    transaction = storage.transaction

    @contextmanager
    def counted():
        nonlocal writing
        with transaction():
            writing += 1
            yield
            writing -= 1

    monkeypatch.setattr(storage, "transaction", counted)
    for name in READ:
        ask = getattr(storage.terms, name)

        def noted(*args, name=name, ask=ask):
            read.append((name, writing))
            return ask(*args)

        monkeypatch.setattr(storage.terms, name, noted)

    key = workspace.key(project, "a", values={"en": "Old pier", "de": "Altes"})
    owner.patch(f"{terms}/{term}", json={"term": "piers"})
    path = f"/projects/{project['id']}/keys/{key['id']}/values/fr"
    assert owner.put(path, json={"value": "vieux"}).status == 200

    assert {name for name, _ in read} == set(READ)
    assert not any(inside for _, inside in read), read
