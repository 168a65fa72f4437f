"""XLIFF files go in and come back, as Angular, Xcode and agencies use them."""

import pytest

from .test_tables import lines_changed

SOURCE = """\
<?xml version="1.0" encoding="UTF-8" ?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en-US" datatype="plaintext" original="ng2.template">
    <body>
      <trans-unit id="8419" datatype="html">
        <source>Hi <x id="INTERPOLATION" equiv-text="{{ name }}"/> &amp; all</source>
        <context-group purpose="location">
          <context context-type="linenumber">3</context>
        </context-group>
        <note priority="1" from="description">A greeting</note>
      </trans-unit>
      <trans-unit id="cart.pay">
        <source>Pay now</source>
      </trans-unit>
      <trans-unit id="sign in" maxwidth="12" size-unit="char">
        <source>Sign in</source>
      </trans-unit>
    </body>
  </file>
</xliff>
"""
HI = '<x id="INTERPOLATION" equiv-text="{{ name }}"/>'
GERMAN = (
    SOURCE.replace('"en-US"', '"en-US" target-language="de"')
    .replace("all</source>", f"all</source>\n        <target>Hallo {HI}</target>")
    .replace(
        "now</source>",
        'now</source>\n        <target state="needs-review-translation">Los</target>',
    )
    .replace("in</source>", 'in</source>\n        <target state="new">Sign in</target>')
)
ANGULAR = {"messages.xlf": SOURCE.encode(), "messages.de.xlf": GERMAN.encode()}


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de"])


@pytest.fixture
def shop(uploads, project):
    """The project with the files of Angular."""
    uploads.result(project, "locale.zip", uploads.zipped(ANGULAR))
    return project


def put(uploads, project, key, code, text, **query):
    body = {"items": [{"key": key, "languageCode": code, "value": text}]}
    path = f"/projects/{project['id']}/values"
    answer = uploads.workspace.owner.put(path, json=body, query=query)
    assert answer.data["results"][0]["outcome"] == "updated", answer


def exported(uploads, project, **query):
    path = f"/projects/{project['id']}/export"
    query = {"format": "xliff-1.2"} | query
    answer = uploads.workspace.owner.get(path, query=query)
    assert answer.status == 200, answer
    return answer.content


def files_of(uploads, project, **query):
    return uploads.unzipped(exported(uploads, project, **query))


def test_files_of_angular_bring_both_languages_and_their_states(uploads, shop):
    items = {item["key"]: item for item in uploads.items(shop)}
    statuses = {
        (item["key"], value["languageCode"]): value["status"]
        for item in items.values()
        for value in item["values"]
    }

    assert uploads.values(shop) == {
        "8419": {"en": f"Hi {HI} & all", "de": f"Hallo {HI}"},
        "cart.pay": {"en": "Pay now", "de": "Los"},
        "sign-in-af0b4e2461ec": {"en": "Sign in"},
    }
    assert items["8419"]["description"] == "A greeting"
    assert statuses["8419", "de"] == "approved"
    assert statuses["cart.pay", "de"] == "pending_review"


def test_without_a_change_the_same_bytes_come_back(uploads, shop):
    assert files_of(uploads, shop) == ANGULAR


def test_one_text_changes_its_lines(uploads, shop):
    put(uploads, shop, "cart.pay", "de", "Zahlen & los")

    files = files_of(uploads, shop)

    assert files["messages.xlf"] == ANGULAR["messages.xlf"]
    assert lines_changed(ANGULAR["messages.de.xlf"], files["messages.de.xlf"]) == (
        ['        <target state="needs-review-translation">Los</target>'],
        ['        <target state="final">Zahlen &amp; los</target>'],
    )


def test_a_source_text_changes_in_all_files(uploads, shop):
    put(uploads, shop, "cart.pay", "en", "Pay")

    files = files_of(uploads, shop)

    for name in ANGULAR:
        assert lines_changed(ANGULAR[name], files[name]) == (
            ["        <source>Pay now</source>"],
            ["        <source>Pay</source>"],
        )


def test_an_approval_is_written_as_a_state(uploads, shop):
    keys = {item["key"]: item["id"] for item in uploads.items(shop)}
    path = f"/projects/{shop['id']}/keys/{keys['cart.pay']}/values/de/approve"
    assert uploads.workspace.owner.post(path, json={}).status == 200

    content = files_of(uploads, shop)["messages.de.xlf"]

    assert lines_changed(ANGULAR["messages.de.xlf"], content)[1] == [
        '        <target state="final">Los</target>'
    ]


def test_a_translation_without_its_tag_is_found_by_the_checks(uploads, shop):
    put(uploads, shop, "8419", "de", "Hallo")
    uploads.workspace.run_jobs()

    path = f"/projects/{shop['id']}/issues"
    answer = uploads.workspace.owner.get(path)

    messages = [each["message"] for each in answer.data["items"]]
    assert any("tag <x/>" in message for message in messages), messages


def test_a_file_alone_brings_the_source_texts_too(uploads, project):
    uploads.result(project, "messages.de.xlf", GERMAN.encode())

    assert uploads.values(project)["cart.pay"] == {"en": "Pay now", "de": "Los"}
    assert exported(uploads, project, languageCodes="de") == GERMAN.encode()


def test_lengths_come_in(uploads, shop):
    [key] = [item for item in uploads.items(shop) if item["key"].startswith("sign")]

    path = f"/projects/{shop['id']}/keys/{key['id']}/detail"

    assert uploads.workspace.owner.get(path).data["detail"]["maxLength"] == 12


def test_new_keys_and_removed_ones_leave_the_others_alone(uploads, shop):
    workspace = uploads.workspace
    workspace.key(shop, "cart.title", values={"en": "Cart", "de": "Korb"})
    [key] = [item for item in uploads.items(shop) if item["key"] == "8419"]
    path = f"/projects/{shop['id']}/keys/{key['id']}"
    assert workspace.owner.delete(path).status == 200

    content = files_of(uploads, shop)["messages.de.xlf"]

    first, rest = GERMAN.index('      <trans-unit id="8419'), GERMAN.index("cart.pay")
    rest = GERMAN.rindex("\n", 0, rest) + 1
    end = GERMAN.index('      <trans-unit id="sign in')
    assert content.decode() == (
        GERMAN[:first]
        + GERMAN[rest:end]
        + """\
      <trans-unit id="cart.title">
        <source>Cart</source>
        <target>Korb</target>
      </trans-unit>
"""
        + GERMAN[end:]
    )


def test_an_import_merges_what_both_sides_changed(uploads, shop):
    put(uploads, shop, "cart.pay", "de", "Bezahlen")
    changed = GERMAN.replace(f"Hallo {HI}", f"Guten Tag {HI}")

    result = uploads.result(shop, "messages.de.xlf", changed.encode())

    assert result["conflicts"] == []
    values = uploads.values(shop)
    assert values["8419"]["de"] == f"Guten Tag {HI}"
    assert values["cart.pay"]["de"] == "Bezahlen"


def test_an_agency_may_split_the_texts_of_our_xliff_2_into_segments(uploads, project):
    texts = {"en": "One. Two.", "de": None}
    uploads.workspace.key(project, "a.b", values={"en": texts["en"]})
    ours = exported(uploads, project, format="xliff-2.0", languageCodes="de")
    whole = b"""      <segment>
        <source>One. Two.</source>
      </segment>
"""
    assert whole in ours
    theirs = ours.replace(
        whole,
        b"""      <segment state="translated">
        <source>One. </source><target>Eins. </target>
      </segment>
      <segment state="translated">
        <source>Two.</source><target>Zwei.</target>
      </segment>
""",
    )

    uploads.result(project, "back.xlf", theirs)

    assert uploads.values(project)["a.b"] == {"en": "One. Two.", "de": "Eins. Zwei."}


@pytest.mark.parametrize("version", ["1.2", "2.0", "2.1", "2.2"])
def test_a_release_has_a_file_for_each_language_with_the_source_texts(
    uploads, shop, version
):
    owner = uploads.workspace.owner
    body = {"name": "Web", "format": f"xliff-{version}"}
    made = owner.post(f"/projects/{shop['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    files = public.get(f"/content/{key}/manifest.json").json["files"]

    content = {f["path"]: public.get(f["url"]).content.decode() for f in files}
    assert {f["contentType"] for f in files} == {"application/xliff+xml; charset=utf-8"}
    assert sorted(content) == ["de.xlf", "en.xlf"]
    assert f"<source>Hi {HI} &amp; all</source>" in content["de.xlf"]
    assert f"<target>Hallo {HI}</target>" in content["de.xlf"]
    assert "<target" not in content["en.xlf"]
