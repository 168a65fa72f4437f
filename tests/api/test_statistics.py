"""GET …/statistics: how far each language is, on main and on branches."""

import pytest


class Shop:
    """A project in English, German and French, and what its statistics tell."""

    def __init__(self, workspace):
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{self.project['id']}"
        self.translator = workspace.client("translator")

    def key(self, name, *, on=None, **fields):
        body = {"key": name, **fields}
        answer = self.owner.post(f"{self.path}/keys", json=body, query=branch(on))
        return answer.data["key"]

    def put(self, key, lang, value, *, on=None, client=None, **more):
        path = f"{self.path}/keys/{key['id']}/values/{lang}"
        body = {"value": value, **more}
        answer = (client or self.owner).put(path, json=body, query=branch(on))
        assert answer.status == 200, answer
        return answer

    def statistics(self, on=None):
        answer = self.owner.get(f"{self.path}/statistics", query=branch(on))
        assert answer.status == 200, answer
        return answer.data["statistics"]

    def of(self, code, *, on=None):
        languages = self.statistics(on)["languages"]
        [found] = [each for each in languages if each["languageCode"] == code]
        return dict(found)

    def counts(self, code, *, on=None):
        """approved, pendingReview, draft, untranslated, outdated."""
        found = self.of(code, on=on)
        names = ("approved", "pendingReview", "draft", "untranslated", "outdated")
        return tuple(found[name] for name in names)


def branch(name):
    return {} if name is None else {"branch": name}


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


def test_an_empty_project_is_wholly_translated(shop):
    found = shop.statistics()

    assert (found["keyCount"], found["wordCount"]) == (0, 0)
    assert found["updatedAt"] == shop.project["createdAt"]
    assert [each["languageCode"] for each in found["languages"]] == ["en", "de", "fr"]
    assert found["languages"][1] == {
        "languageCode": "de",
        "approved": 0,
        "pendingReview": 0,
        "draft": 0,
        "untranslated": 0,
        "outdated": 0,
        "words": 0,
        "approvedWords": 0,
        "translatedPercentage": 100.0,
        "approvedPercentage": 100.0,
        "lastChangedAt": None,
    }


def test_keys_and_words_are_counted_by_language(shop):
    shop.key("a", values={"en": "Pay now", "de": "Jetzt zahlen"})
    shop.key("b", values={"en": "The third has three"})
    waiting = shop.key("c", values={"en": "One"})
    shop.put(waiting, "de", "Eins", client=shop.translator)

    found = shop.statistics()

    assert (found["keyCount"], found["wordCount"]) == (3, 7)
    german = shop.of("de")
    assert german.pop("lastChangedAt") is not None
    assert german == {
        "languageCode": "de",
        "approved": 1,
        "pendingReview": 1,
        "draft": 0,
        "untranslated": 1,
        "outdated": 0,
        "words": 3,  # of the source texts "Pay now" and "One"
        "approvedWords": 2,
        "translatedPercentage": 66.6,
        "approvedPercentage": 33.3,
    }
    assert shop.counts("fr") == (0, 0, 0, 3, 0)
    assert shop.of("fr")["lastChangedAt"] is None


def test_a_plural_key_counts_once_in_its_worst_state(shop):
    texts = {"one": "a file", "other": "{n} files"}
    key = shop.key("files", isPlural=True, values={"en": texts})
    shop.put(key, "de", {"one": "eine Datei"})
    assert shop.counts("de") == (1, 0, 0, 0, 0)

    shop.put(key, "de", {"other": "{n} Dateien"}, client=shop.translator)

    assert shop.counts("de") == (0, 1, 0, 0, 0)
    assert shop.statistics()["wordCount"] == 4  # of both forms


def test_a_new_source_text_changes_the_words_of_every_language(shop):
    key = shop.key("a", values={"en": "Pay", "de": "Zahlen"})

    shop.put(key, "en", "Pay right now")

    assert shop.statistics()["wordCount"] == 3
    assert (shop.of("de")["words"], shop.of("fr")["words"]) == (3, 0)
    assert shop.counts("de") == (1, 0, 0, 0, 1)
    shop.put(key, "en", "Pay", keepFresh=True)
    assert shop.of("de")["words"] == 1


def test_a_proposed_source_text_changes_no_words_until_it_is_approved(shop):
    key = shop.key("a", values={"en": "Pay", "de": "Zahlen"})

    shop.put(key, "en", "Pay right now", client=shop.translator)

    assert shop.statistics()["wordCount"] == 1
    assert shop.counts("en") == (0, 1, 0, 0, 0)


def test_clearing_a_text_makes_its_key_untranslated(shop):
    key = shop.key("a", values={"en": "Pay", "de": "Zahlen"})
    before = shop.of("de")["lastChangedAt"]

    shop.put(key, "de", "")

    assert shop.counts("de") == (0, 0, 0, 1, 0)
    assert shop.of("de")["words"] == 0
    assert shop.of("de")["lastChangedAt"] > before


def test_a_key_in_the_trash_counts_nowhere_and_counts_again_when_restored(shop):
    key = shop.key("a", values={"en": "Pay", "de": "Zahlen"})
    whole = shop.statistics()
    one = f"{shop.path}/keys/{key['id']}"

    shop.owner.delete(one)
    gone = shop.statistics()
    shop.owner.post(f"{one}/restore")
    back = shop.statistics()

    assert (gone["keyCount"], gone["wordCount"]) == (0, 0)
    assert gone["updatedAt"] > whole["updatedAt"]
    assert shop.counts("de") == (1, 0, 0, 0, 0)
    assert back["languages"] == whole["languages"]


def test_turning_plurals_keeps_the_counts(shop):
    key = shop.key("a", values={"en": "Pay now", "de": "Zahlen"})
    one = f"{shop.path}/keys/{key['id']}"

    for plural in (True, False):
        shop.owner.patch(one, json={"isPlural": plural})
        assert shop.counts("de") == (1, 0, 0, 0, 0)
        assert shop.statistics()["wordCount"] == 2


def test_languages_come_and_go(shop):
    shop.key("a", values={"en": "Pay", "de": "Zahlen", "fr": "Payer"})

    shop.owner.delete(f"{shop.path}/languages/de")
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "de"})

    codes = [each["languageCode"] for each in shop.statistics()["languages"]]
    assert codes == ["en", "fr", "de"]
    assert shop.counts("de") == (0, 0, 0, 1, 0)
    assert shop.of("de")["lastChangedAt"] is None
    assert shop.counts("fr") == (1, 0, 0, 0, 0)


def test_words_are_those_of_the_language_that_is_the_source_by_now(shop):
    shop.key("a", values={"en": "Pay now", "de": "Zahlen", "fr": "Payer"})
    shop.key("b", values={"en": "Cancel", "fr": "Tout annuler"})
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.key("c", on="spring", values={"en": "One", "de": "Nur eins"})

    shop.owner.patch(shop.path, json={"sourceLanguage": "de"})

    words = {
        on: [each["words"] for each in shop.statistics(on)["languages"]]
        for on in (None, "spring")
    }
    assert words == {None: [1, 1, 1], "spring": [3, 3, 1]}
    shop.owner.patch(shop.path, json={"sourceLanguage": "en"})
    assert shop.statistics()["wordCount"] == 3


def test_an_import_is_counted(shop):
    from locframework.http.records import Upload

    shop.key("a", values={"en": "Pay now"})
    shop.key("old", values={"en": "Old", "de": "Alt"})
    for code, texts, mode in (
        ("en", b'{"a": "Pay now", "b": "New"}', "replace"),
        ("de", b'{"a": "Zahlen", "b": "Neu"}', "merge"),
    ):
        file = Upload(f"{code}.json", texts, "application/json")
        form = {"mode": mode, "languageCode": code}
        answer = shop.owner.post(f"{shop.path}/import", form=form, files={"file": file})
        shop.workspace.job_of(answer)

    assert shop.statistics()["keyCount"] == 2
    assert shop.counts("de") == (2, 0, 0, 0, 0)
    assert (shop.of("de")["words"], shop.statistics()["wordCount"]) == (3, 3)


def test_a_branch_counts_main_and_what_it_changed_itself(shop):
    key = shop.key("a", values={"en": "Pay", "de": "Zahlen"})
    gone = shop.key("gone", values={"en": "Two words", "de": "Weg"})
    shop.key("rest", values={"en": "Rest"})
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    assert shop.statistics("spring")["languages"] == shop.statistics()["languages"]
    main = shop.statistics()

    shop.put(key, "en", "Pay at once", on="spring")
    shop.put(key, "fr", "Payer", on="spring", client=shop.translator)
    shop.owner.delete(f"{shop.path}/keys/{gone['id']}", query=branch("spring"))
    shop.key("new", on="spring", values={"en": "New"})

    assert shop.statistics() == main
    found = shop.statistics("spring")
    assert (found["keyCount"], found["wordCount"]) == (3, 5)
    assert found["updatedAt"] > main["updatedAt"]
    assert shop.counts("de", on="spring") == (1, 0, 0, 2, 1)
    assert shop.counts("fr", on="spring") == (0, 1, 0, 2, 0)
    assert shop.of("de", on="spring")["words"] == 3


def test_a_branch_counts_its_copies_and_main_for_the_rest(shop):
    key = shop.key("a", values={"en": "Pay"})
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.put(key, "fr", "Payer", on="spring")

    shop.put(key, "de", "Zahlen")
    shop.key("more", values={"en": "Two words"})

    assert shop.counts("de", on="spring") == (0, 0, 0, 2, 0)
    assert shop.statistics("spring")["wordCount"] == 3


def test_a_merged_branch_is_counted_on_main(shop):
    key = shop.key("a", values={"en": "Pay"})
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.put(key, "de", "Zahlen", on="spring")
    shop.key("new", on="spring", values={"en": "New one"})
    seen = shop.statistics("spring")

    merged = shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    assert merged.status == 200
    found = shop.statistics()
    assert (found["keyCount"], found["wordCount"]) == (2, 3)
    for now, then in zip(found["languages"], seen["languages"], strict=True):
        now.pop("lastChangedAt"), then.pop("lastChangedAt")
        assert now == then


def test_a_branch_that_ended_has_no_statistics(shop):
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.owner.delete(f"{shop.path}/branches/spring")

    ended = shop.owner.get(f"{shop.path}/statistics", query=branch("spring"))
    absent = shop.owner.get(f"{shop.path}/statistics", query=branch("winter"))

    assert (ended.status, ended.error["code"]) == (409, "branch_not_open")
    assert (absent.status, absent.error["code"]) == (404, "branch_not_found")


def test_only_who_may_read_them_sees_statistics(shop):
    may = shop.workspace.client("viewer", permissions=["statistics_read"])
    may_not = shop.workspace.client("manager", permissions=["translation_read"])
    _, stranger = shop.workspace.organization("Strangers")
    path = f"{shop.path}/statistics"

    assert may.get(path).status == 200
    refused = may_not.get(path)
    assert refused.status == 403
    assert refused.error["details"] == {"required": "statistics_read"}
    foreign = stranger.get(path)
    nowhere = stranger.get("/projects/01900000-0000-7000-8000-000000000000/statistics")
    assert foreign.status == 404
    assert foreign.content == nowhere.content


def test_a_branch_of_another_project_is_not_found(shop):
    other = shop.workspace.project(name="Other")
    made = shop.owner.post(f"/projects/{other['id']}/branches", json={"name": "theirs"})
    theirs = made.data["branch"]["id"]

    answer = shop.owner.get(f"{shop.path}/statistics", query=branch(theirs))

    assert (answer.status, answer.error["code"]) == (404, "branch_not_found")
