"""GET /formats."""


def test_every_format_is_listed_with_what_it_can_do(sqlite_workspace):
    viewer = sqlite_workspace.client("viewer")

    formats = viewer.get("/formats").data["formats"]

    by_id = {each["id"]: each for each in formats}
    assert list(by_id) == sorted(by_id)
    assert by_id["json-flat"] == {
        "id": "json-flat",
        "name": "JSON, flat",
        "extension": ".json",
        "otherExtensions": [],
        "contentType": "application/json",
        "canImport": True,
        "canExport": True,
        "plurals": True,
        "comments": False,
        "maxLengths": False,
        "multilingual": False,
        "sourceTexts": False,
        "marksUnreviewed": False,
        "composedNames": False,
        "isTemplate": False,
        "precedence": 0,
        "placeholders": "",
        "limits": [
            "descriptions",
            "the length that a text may have",
            "whether a text is approved",
        ],
        "family": "json",
        "plugin": "json",
    }
    assert (
        by_id["gettext-pot"]["limits"][0] == "translations: it has source texts alone"
    )
    assert by_id["gettext-po"]["comments"] is True
    assert by_id["gettext-po"]["plugin"] == "gettext"


def test_formats_are_for_those_with_a_token(sqlite_workspace):
    answer = sqlite_workspace.owner.with_token(None).get("/formats")

    assert (answer.status, answer.error["code"]) == (401, "unauthorized")
