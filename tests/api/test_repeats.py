"""Decisions 2.10: no message repeats more than 200 characters of what was sent."""

import pytest

from locframework.http.records import Upload

LONG = "\u00e6" * 3000  # no message of ours has it
MOST = 200


@pytest.fixture
def path(workspace):
    return f"/projects/{workspace.project()['id']}"


def _longest(messages):
    return max(each.count("\u00e6") for each in messages)


def _refused(answer):
    assert answer.status >= 400
    return answer.content.decode()


@pytest.mark.parametrize(
    ("where", "body"),
    [
        ("keys", {"key": LONG[:400]}),
        ("keys", {"key": "a", "values": {LONG: "A"}}),
        ("keys", {"key": "a", "isPlural": True, "values": {"en": {LONG: "A"}}}),
        ("keys/bulk", {"keys": [{"key": "a"}], "onExisting": LONG}),
        ("languages", {"languageCode": LONG[:90]}),
        (
            "distributions",
            {"name": "a", "format": LONG[:90], "channel": LONG, "missing": LONG},
        ),
        ("distributions", {"name": "a", "format": "json-nested", "storage": LONG[:90]}),
    ],
)
def test_a_refused_body_is_not_repeated_at_length(workspace, path, where, body):
    answer = workspace.owner.post(f"{path}/{where}", json=body)

    assert _refused(answer).count("\u00e6") <= MOST


@pytest.mark.parametrize("names", [["status"], ["status", "sort", "include"]])
def test_a_refused_query_is_not_repeated_at_length(workspace, path, names):
    answer = workspace.owner.get(f"{path}/keys", query=dict.fromkeys(names, LONG[:400]))

    assert _refused(answer).count("\u00e6") <= MOST


def test_items_of_a_batch_are_not_repeated_at_length(workspace, path):
    keys = [{"key": f"{at:02}{LONG[:300]}"} for at in range(50)]

    answer = workspace.owner.post(f"{path}/keys/bulk", json={"keys": keys})

    results = answer.data["results"]
    assert _longest(result["error"]["message"] for result in results) <= MOST
    assert {result["error"]["code"] for result in results} == {"invalid_key"}
    assert all(result["error"]["message"] for result in results)


def test_values_of_a_batch_are_not_repeated_at_length(workspace, path):
    workspace.owner.post(f"{path}/keys", json={"key": "a", "isPlural": True})
    bad = [{"languageCode": f"{at}{LONG}", "value": "A"} for at in range(9)]
    bad += [{"languageCode": "en", "value": {LONG[: at + 60]: "A"}} for at in range(9)]
    items = [{"key": "a", **each} for each in bad]
    good = {"languageCode": "en", "value": "A"}
    items += [
        {name: f"{LONG}{at}", **good} for name in ("key", "keyId") for at in "123"
    ]

    answer = workspace.owner.put(f"{path}/values", json={"items": items})

    results = answer.data["results"]
    assert _longest(result["error"]["message"] for result in results) <= MOST
    failed = [result["error"]["code"] for result in results]
    assert failed[18:] == ["key_not_found"] * 6
    codes = ["language_not_in_project"] * 9 + ["invalid_plural_form"] * 9
    assert failed[:18] == codes


def test_few_short_mistakes_of_a_batch_are_told_in_full(workspace, path):
    keys = [{"key": f"a b{at}"} for at in range(5)]

    answer = workspace.owner.post(f"{path}/keys/bulk", json={"keys": keys})

    messages = [result["error"]["message"] for result in answer.data["results"]]
    assert all(
        repr(key["key"]) in told for key, told in zip(keys, messages, strict=True)
    )


def test_the_faults_of_a_file_are_not_repeated_at_length(workspace, path):
    names = [f'"{at} {LONG[:300]}"' for at in range(90)]
    content = "{" + ",".join(f'{name}: "A", {name}: "B"' for name in names) + "}"
    answer = workspace.owner.post(
        f"{path}/import",
        form={"languageCode": "en", "format": "json-flat"},
        files={"file": Upload("en.json", content.encode(), "application/json")},
    )

    assert _longest(each["message"] for each in answer.error["details"]) <= MOST
