"""Languages of translation memories over HTTP (service.md, TM language)."""

from locframework.errors import Unavailable
from locframework.memories import service


def test_a_language_has_its_english_name_unless_it_is_given_another(memory):
    path = f"{memory.path}/languages"

    plain = memory.owner.post(path, json={"languageCode": "pt_br"})
    named = memory.owner.post(path, json={"languageCode": "ar", "label": "Arabisch"})

    assert plain.status == 201
    language = plain.data["language"]
    assert language == {
        "id": language["id"],
        "tmId": memory.record["id"],
        "languageCode": "pt-BR",
        "label": "Portuguese (Brazil)",
    }
    assert named.data["language"]["label"] == "Arabisch"
    for code in ("pt-BR", "de", "en"):
        again = memory.owner.post(path, json={"languageCode": code})
        assert (again.status, again.error["code"]) == (409, "language_exists")
    codes = [each["languageCode"] for each in memory.owner.get(path).data["items"]]
    assert codes == ["de", "fr", "pt-BR", "ar"]


def test_a_language_that_is_removed_takes_its_translations_along(memory):
    gone = memory.owner.delete(f"{memory.path}/languages/de")

    assert gone.status == 200
    assert gone.data["deleted"] is True
    assert memory.read()["translations"] == []
    again = memory.owner.delete(f"{memory.path}/languages/de")
    assert (again.status, again.error["code"]) == (404, "language_not_found")


def test_others_write_between_the_steps_in_which_a_language_is_removed(
    memory, monkeypatch
):
    for number in range(4):
        memory.add(sourceText=f"Buy {number}", translations={"de": "x", "fr": "y"})
    path, left, added = f"{memory.path}/entries", [], []

    def write(begun):
        found = memory.owner.get(path, query={"languageCode": "de"}).data["total"]
        left.append(found)
        more = {"sourceText": f"Sell {found}", "translations": {"de": "new"}}
        if len(added) < 2:
            added.append(memory.add(**more))

    monkeypatch.setattr(service, "ENTRIES_PER_STEP", 2)
    monkeypatch.setattr(service, "pause_after", write)
    gone = memory.owner.delete(f"{memory.path}/languages/de")

    assert gone.status == 200
    assert left == [3, 2, 1]  # one was added after the first, one after the second
    listed = memory.owner.get(path, query={"sort": "createdAt"}).data["items"]
    codes = [[t["languageCode"] for t in each["translations"]] for each in listed]
    assert codes == [[], *[["fr"]] * 4, [], []]


def test_removing_a_language_goes_on_where_it_was_cut_off(memory, monkeypatch):
    for number in range(4):
        memory.add(sourceText=f"Buy {number}", translations={"de": "x"})
    path = f"{memory.path}/languages/de"

    def cut_off(begun):
        raise Unavailable("somebody stopped the process")

    with monkeypatch.context() as patch:
        patch.setattr(service, "ENTRIES_PER_STEP", 2)
        patch.setattr(service, "pause_after", cut_off)
        assert memory.owner.delete(path).status == 503
    there = memory.owner.get(f"{memory.path}/languages").data["items"]
    again = memory.owner.delete(path)

    assert [each["languageCode"] for each in there] == ["de", "fr"]
    assert again.status == 200
    listed = memory.owner.get(f"{memory.path}/entries").data["items"]
    assert [each["translations"] for each in listed] == [[]] * 5
