"""What loc_decide_write sees of the key and of its source text, on every path."""

import json

import pytest

from locframework.http.records import Upload
from tests.databases import statements_of


def seen(veto, code="de"):
    """Of each text in the language: the form, and the source text."""
    return [
        (change.plural_form, change.source_text)
        for change in veto.seen
        if change.language_code == code
    ]


def sent(keys, texts, code="de", **form):
    content = json.dumps(texts).encode()
    file = Upload(f"{code}.json", content, "application/json")
    form = {"languageCode": code, "onConflict": "overwrite", **form}
    path = f"/projects/{keys.project['id']}/import"
    job = keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))
    assert job["status"] == "succeeded", job
    return job


def test_a_text_is_seen_with_tags_description_and_source_text(watched, veto):
    key = watched.made(values={"en": "Pay"}, tags=["legal"], description="A button")
    veto.seen.clear()

    watched.put(key, "de", "Zahlen", watched.translator)
    watched.act(key, "approve")
    watched.put(key, "de", "")

    assert [change.action for change in veto.seen] == ["write", "approve", "write"]
    for change in veto.seen:
        assert (change.tags, change.description) == (("legal",), "A button")
        assert (change.source_text, change.file_key) == ("Pay", None)


def test_what_the_same_write_sets_is_seen(watched, veto):
    watched.made(values={"de": "Zahlen", "en": "Pay"}, tags=["a"], description="new")

    assert seen(veto) == [(None, "Pay")]
    assert seen(veto, "en") == [(None, None)]  # it is the source text
    assert {(change.tags, change.description) for change in veto.seen} == {
        (("a",), "new")
    }


def test_a_new_source_text_is_the_newest_also_while_it_waits(watched, veto):
    key = watched.made(values={"en": "Pay"})
    watched.put(key, "en", "Pay now", watched.translator)

    watched.put(key, "de", "Zahlen")
    watched.put(key, "en", "")

    assert seen(veto) == [(None, "Pay now")]
    watched.put(key, "de", "Bezahlen")
    assert seen(veto)[-1] == (None, None)


def test_the_source_text_is_that_of_the_plural_form(watched, veto):
    key = watched.made(isPlural=True, values={"en": {"one": "1", "other": "n"}})

    watched.put(key, "ar", {"one": "واحد", "few": "قليل", "other": "آخر"})

    assert sorted(seen(veto, "ar")) == [("few", "n"), ("one", "1"), ("other", "n")]


def test_a_key_that_turns_plural_shows_its_source_text_as_other(watched, veto):
    key = watched.made(values={"en": "Page", "de": "Seite"})
    path = f"{watched.path}/{key['id']}"
    watched.owner.patch(path, json={"isPlural": True})
    veto.seen.clear()

    watched.put(key, "de", {"one": "Seite", "other": "Seiten"})

    assert {source for _, source in seen(veto)} == {"Page"}


def test_an_import_is_seen_with_the_names_of_the_file_and_the_stored_sources(
    watched, veto
):
    sent(watched, {"Sign in": "Sign in", "plain": "Plain"}, "en", format="json-flat")
    veto.seen.clear()

    sent(watched, {"Sign in": "Anmelden", "plain": "Schlicht"}, format="json-flat")

    of_file = {
        change.file_key: (change.source_text, change.after) for change in veto.seen
    }
    assert of_file == {"Sign in": ("Sign in", "Anmelden"), None: ("Plain", "Schlicht")}


def test_a_branch_shows_its_own_source_and_a_merge_the_merged_one(watched, veto):
    key = watched.made(values={"en": "Pay"}, tags=["main"])
    here = f"/projects/{watched.project['id']}"
    watched.owner.post(f"{here}/branches", json={"name": "spring"})
    on_branch = {"query": {"branch": "spring"}}
    path = f"{watched.path}/{key['id']}"
    watched.owner.put(f"{path}/values/en", json={"value": "Pay now"}, **on_branch)
    watched.owner.patch(path, json={"tags": ["spring"]}, **on_branch)
    watched.owner.put(f"{path}/values/de", json={"value": "Zahlen"}, **on_branch)

    of_branch = veto.seen[-1]
    assert (of_branch.source_text, of_branch.tags) == ("Pay now", ("spring",))
    merge = watched.owner.post(f"{here}/branches/spring/merge", json={})

    assert merge.status == 200
    [merged] = [each for each in veto.seen
                if each.origin == "merge" and each.language_code == "de"]  # fmt: skip
    assert (merged.source_text, merged.tags) == ("Pay now", ("spring",))


@pytest.fixture
def count(keys_with):
    """Counts the statements of some paths, with plugins or without."""

    def count(number, *plugins):
        keys = keys_with(*plugins)
        names = [f"k{at}" for at in range(number)]
        here = f"/projects/{keys.project['id']}"
        made = [{"key": name, "values": {"en": name}} for name in names]
        keys.owner.post(f"{here}/keys/bulk", json={"keys": made})
        items = [{"key": each, "languageCode": "de", "value": "x"} for each in names]
        counts = []
        for write in (
            lambda: keys.owner.put(f"{here}/values", json={"items": items}),
            lambda: sent(keys, dict.fromkeys(names, "y"), "ar", format="json-flat"),
        ):
            with statements_of(keys.workspace.framework.storage) as statements:
                write()
            counts.append(len(statements))
        return counts

    return count


def test_no_statement_is_added_for_what_is_seen(count, veto):
    without = count(1)

    assert count(1, veto) == without
    assert count(100, veto) == count(100)
    assert len(veto.seen) == 3 * 1 + 3 * 100  # en, de and ar, of each key
    assert all(change.source_text for change in veto.seen
               if change.language_code != "en")  # fmt: skip


def test_a_key_is_seen_with_its_fields(watched, veto):
    key = watched.made(tags=["a"], maxLength=9)
    sent(watched, {"Sign in": "Sign in"}, "en", format="json-flat")
    watched.owner.delete(f"{watched.path}/{key['id']}")

    created, imported, deleted = veto.seen_keys
    assert (created.after.tags, created.after.max_length) == (("a",), 9)
    assert imported.after.file_key == "Sign in"
    assert deleted.before == created.after
