"""POST /projects/{projectId}/tm/search (service.md; decisions 2.5.1)."""

import pytest

from .memories import Memories


@pytest.fixture
def memories(workspace):
    return Memories(workspace)


def test_an_item_has_exactly_these_fields(memories):
    entry = memories.entry("Pay now", de="Jetzt zahlen", fr="Payer", context="cart")

    answer = memories.search("pay")

    assert answer.status == 200
    assert answer.data == {
        "items": [
            {
                "entryId": entry["id"],
                "sourceText": "Pay now",
                "context": "cart",
                "tmId": memories.tm["id"],
                "tmName": "Main",
                "translations": [
                    {
                        "languageCode": "de",
                        "value": "Jetzt zahlen",
                        "status": "approved",
                    },
                    {"languageCode": "fr", "value": "Payer", "status": "approved"},
                ],
            }
        ],
        "total": 1,
        "page": 1,
        "limit": 50,
    }


def test_language_codes_restrict_what_is_returned_and_what_is_searched(memories):
    memories.entry("One", de="Datei", fr="Fichier")

    [item] = memories.search("one", languageCodes=["fr", "fr"]).data["items"]
    assert [each["languageCode"] for each in item["translations"]] == ["fr"]
    assert memories.found("datei", searchIn="target", languageCodes=["DE"]) == ["One"]
    assert memories.found("datei", searchIn="target", languageCodes=["fr"]) == []
    assert memories.found("datei", searchIn="both", languageCodes=["xx-!"]) == []


def test_it_looks_where_it_is_told(memories):
    memories.entry("File", de="Akte")
    memories.entry("Akte", de="File")

    assert memories.found("file") == ["File"]
    assert memories.found("file", searchIn="target") == ["Akte"]
    assert memories.found("file", searchIn="both") == ["Akte", "File"]


def test_what_waits_for_approval_is_never_shown(memories):
    tm = memories.memory("Careful", requiresApproval=True)
    entry = memories.entry("Pay now", tm, de="Jetzt zahlen")
    translator = memories.workspace.client("translator")
    path = f"{memories.path_of(entry)}/translations"
    assert translator.put(f"{path}/de", json={"value": "Bezahlen"}).status == 200
    assert translator.put(f"{path}/fr", json={"value": "Payer"}).status == 200

    [item] = memories.search("pay").data["items"]

    assert item["translations"] == [
        {"languageCode": "de", "value": "Jetzt zahlen", "status": "approved"}
    ]
    assert memories.found("payer", searchIn="both") == []


def test_whole_segments_come_first_then_shorter_ones_then_newer_ones(memories):
    memories.entry("Save as", de="x")
    newer = memories.entry("Save it", de="x")
    for source in ("Unsaved", "Save  all the files", "Save"):
        memories.entry(source, de="save nothing")
    memories.entry("A much longer text than all of them", de="save")
    path = f"{memories.path_of(newer)}/translations/de"
    memories.owner.put(path, json={"value": "y"})

    assert memories.found("SAVE") == [
        "Save",
        "Save it",
        "Unsaved",
        "Save as",
        "Save  all the files",
    ]
    assert memories.found("save", searchIn="both")[:2] == [
        "Save",
        "A much longer text than all of them",
    ]


def test_a_text_is_found_in_any_script_and_nothing_in_it_is_special(memories):
    texts = [
        ("Größe ändern", "GRÖSSE"),
        ("Gro\u0308ße", "gröss"),
        ("STRASSE", "straße"),
        ("two\t\n words", "TWO WORDS"),
        ("ファイルを開く", "を"),
        ("ファイルを開く", "ファ"),
        ("ファイルを開く", "ァイルを"),
        ("Не удалось", "УДА"),
        ("هل أنت متأكد؟", "متأكد"),
        ("ไม่สามารถ", "สาม"),
        ("a🎈b", "🎈"),
        ('say "hi" AND c++ NOT*', '"hi" and C++ not*'),
        ("100%_done\\", "%_DONE\\"),
        ("x ! y", "!"),
        ("O'Reilly; --", "'reilly; --"),
        ("column:value ^x", "column:value ^x"),
    ]
    for at, (text, _) in enumerate(texts):
        memories.entry(text, de=f"<{text}>", context=str(at))
    memories.entry("nothing of it", de="gar nichts davon")

    for text, query in texts:
        assert text in memories.found(query), query
        assert text in memories.found(query, searchIn="target"), query
        assert "nothing of it" not in memories.found(query, searchIn="both"), query


def test_accents_count_and_wildcards_are_none(memories):
    memories.entry("Größe Résumé", de="x")

    for query in ("grosse", "gröse", "resume", "%", "_", "*", '"', " ", "e_r", "g%e"):
        assert memories.found(query, searchIn="both") == [], query


def test_an_entry_is_counted_once_however_often_it_holds_the_text(memories):
    memories.entry("pay pay", de="pay", fr="pay pay")

    answer = memories.search("pay", searchIn="both")

    assert (answer.data["total"], len(answer.data["items"])) == (1, 1)


def test_pages_go_on_where_the_last_one_ended(memories):
    for number in range(7):
        memories.entry(f"Pay {number}", de="x", context="abc"[number % 3])

    pages = [memories.search("pay", page=at, limit=3).data for at in (1, 2, 3, 4)]

    listed = [[item["sourceText"] for item in page["items"]] for page in pages]
    assert [text for page in listed for text in page] == memories.found("pay")
    assert [len(each) for each in listed] == [3, 3, 1, 0]
    assert {page["total"] for page in pages} == {7}


def test_what_was_changed_is_found_by_the_next_request(memories):
    entry = memories.entry("Pay now", de="Jetzt zahlen")
    path = memories.path_of(entry)

    memories.owner.patch(path, json={"sourceText": "Buy later"})
    memories.owner.put(f"{path}/translations/de", json={"value": "Später kaufen"})
    assert memories.found("pay") == memories.found("zahlen", searchIn="target") == []
    assert memories.found("buy") == memories.found("kaufen", searchIn="target")
    assert memories.found("buy") == ["Buy later"]
    memories.owner.delete(f"{path}/translations/de")
    assert memories.found("kaufen", searchIn="both") == []
    memories.owner.delete(path)
    assert memories.found("buy") == []


def test_bad_bodies_are_refused_where_they_are_bad(memories):
    bad = [
        ("query", ""),
        ("query", "a" * 1001),
        ("query", 1),
        ("query", None),
        ("languageCodes", []),
        ("languageCodes", ["de"] * 51),
        ("languageCodes", [""]),
        ("languageCodes", "de"),
        ("languageCodes", None),
        ("searchIn", "everywhere"),
        ("page", 0),
        ("page", 1_000_001),
        ("page", True),
        ("page", "1"),
        ("limit", 0),
        ("limit", 201),
        ("limit", 1.5),
    ]
    for field, value in bad:
        body = {"query": "pay", field: value}
        answer = memories.owner.post(f"{memories.path}/tm/search", json=body)

        assert answer.status == 400, body
        assert answer.json["error"]["code"] == "validation_failed"
        assert answer.json["error"]["details"][0]["path"].startswith(f"$.{field}")


def test_the_limits_themselves_are_fine(memories):
    memories.entry("a" * 1000, de="x")

    assert memories.found("a" * 1000, languageCodes=["de"] * 50) == ["a" * 1000]
    assert memories.search("a", page=1_000_000, limit=200).data["items"] == []
