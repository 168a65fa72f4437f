"""Import and export of terms, as a job with a result."""

import pytest

from locframework.file_import import imports

from .glossary_files import CSV, Files


@pytest.fixture
def files(workspace):
    return Files(workspace)


def test_a_term_that_is_found_in_no_text_is_told(files):
    project = files.workspace.project()
    files.owner.put(f"/projects/{project['id']}{files.path}")

    result = files.imported("term\n{name}\nR&D\n100%\nthe <b>quay</b>\n%s nights\n")

    told = "has a placeholder, a tag or an entity, and is never found in a text"
    assert result["termsCreated"] == 5
    assert result["warnings"] == [
        f"line 2: '{{name}}' {told}",
        f"line 5: 'the <b>quay</b>' {told}",
        f"line 6: '%s nights' {told}",
    ]
    text = "{name}: the <b>quay</b>, %s nights, 100%, R&D"
    body = {"texts": [text]}
    path = f"/projects/{project['id']}/glossary/matches"
    matches = files.owner.post(path, json=body).data["matches"][text]
    assert [each["term"] for each in matches] == ["100%", "R&D"]


def test_languages_are_taken_as_those_of_the_terms_and_of_projects(files):
    project = files.workspace.project(languages=["pt-BR", "en-GB"])
    files.owner.put(f"/projects/{project['id']}{files.path}")
    files.imported("term,de\npier,Anleger\n")

    result = files.imported("term,de-DE,pt,fr,en-US\npier,Pier,cais,quai,pier\n")

    assert result["languagesTakenAs"] == {"de-DE": "de", "pt": "pt-BR"}
    assert result["languagesAdded"] == ["en-US", "fr", "pt-BR"]
    [term] = files.terms()
    said = {each["languageCode"]: each["value"] for each in term["translations"]}
    assert said == {"de": "Pier", "en-US": "pier", "fr": "quai", "pt-BR": "cais"}


def test_a_column_that_is_headed_by_a_word_is_no_language(files):
    rows = "key,term,de\nmenu.pier,pier,Anleger\n"

    refused = files.send(rows)
    nothing = files.terms()
    project = files.workspace.project(languages=["key"])
    files.owner.put(f"/projects/{project['id']}{files.path}")
    of_project = files.imported(rows)

    assert (refused.status, refused.error["code"]) == (400, "unreadable_file")
    assert refused.error["message"] == (
        "'key' is not a known column, nor a language that exists here or that CLDR"
        " knows:"
        " if it is a language, translate a term into it first"
    )
    assert nothing == []
    assert of_project["languagesAdded"] == ["de", "key"]


def test_a_language_that_is_taken_as_another_must_be_assigned(files):
    files.imported("term,de\npier,Anleger\n")
    french = files.workspace.client("translator", languages=["de-DE", "fr"])

    refused = files.send("term,de-DE\npier,Pier\n", french)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "de"}


def test_blank_notes_in_a_file_say_nothing(files):
    files.imported("term,notes\nquay,where one waits")

    files.imported('term,notes\nquay," "\npier,"\t"')

    assert {each["term"]: each["notes"] for each in files.terms()} == {
        "quay": "where one waits",
        "pier": None,
    }


def test_a_file_is_imported_by_a_job_of_the_glossary(files):
    answer = files.send(CSV)

    assert answer.status == 202
    job = answer.data["job"]
    assert (job["status"], job["projectId"]) == ("queued", None)
    location = answer.headers["Location"] or ""
    assert location.endswith(f"{files.path}/jobs/{job['id']}")
    assert answer.headers["Retry-After"] == "2"
    files.workspace.run_jobs()
    done = files.owner.get(f"{files.path}/jobs/{job['id']}").data["job"]
    assert (done["status"], done["progress"]) == ("succeeded", {"done": 2, "total": 2})
    assert done["result"] == {
        "termsCreated": 2,
        "termsUpdated": 0,
        "termsUnchanged": 0,
        "translationsApplied": 2,
        "translationsProposed": 0,
        "translationsDrafted": 1,
        "translationsKept": 0,
        "languagesTakenAs": {},
        "languagesAdded": ["de", "fr"],
        "warningCount": 0,
        "warnings": [],
    }
    pier, skerry = files.terms()
    assert (skerry["doNotTranslate"], skerry["usageStatus"]) == (True, "deprecated")
    assert [(t["value"], t["status"]) for t in pier["translations"]] == [
        ("Anleger", "approved"),
        ("quai", "draft"),
    ]


def test_a_second_import_changes_nothing_and_a_third_what_it_says(files):
    files.imported(CSV)
    before = files.terms()

    assert files.imported(CSV) == {"termsUnchanged": 2}
    assert files.terms() == before
    assert files.imported("term,de\nPIER,Steg\nquay,\n") == {
        "termsCreated": 1,
        "termsUpdated": 1,
        "translationsApplied": 1,
    }
    pier = files.terms()[0]
    assert (pier["term"], pier["notes"]) == ("PIER", "where one waits")
    assert [t["value"] for t in pier["translations"]] == ["Steg", "quai"]


@pytest.mark.parametrize("format_", ["csv", "tbx"])
def test_what_was_exported_makes_the_same_glossary_again(workspace, format_):
    one, other = Files(workspace), Files(workspace, name="Copy")
    one.imported(CSV.replace("pier", '"=pier, ""ü"" <&>\n"'))

    file = one.export(format_)
    other.imported(file.content, format=format_)

    assert file.status == 200
    disposition = file.headers["Content-Disposition"]
    assert disposition == f'attachment; filename="ferry-terms.{format_}"'
    assert other.terms() == one.terms()
    assert other.export(format_).content == file.content or format_ == "tbx"


def test_what_needs_approval_is_proposed(workspace):
    files = Files(workspace, requiresApproval=True)
    translator = workspace.client("translator")

    result = files.imported("term,de\npier,Anleger\n", client=translator)

    assert (result["termsCreated"], result["translationsProposed"]) == (1, 1)
    [pier] = files.terms()
    [german] = pier["translations"]
    assert (german["status"], german["proposedValue"]) == ("pending_review", "Anleger")


def test_a_draft_that_takes_no_place_is_told(workspace):
    files = Files(workspace, requiresApproval=True)
    files.imported("term,de,fr,fr:status,pl\npier,Pier,quai,draft,molo\n")
    translator = workspace.client("translator")
    files.imported("term,it\npier,molo\n", client=translator)
    rows = "de:status,fr,fr:status,pl,pl:status,it,it:status"

    result = files.imported(
        f"term,de,{rows}\npier,Steg,draft,pont,draft,molo,draft,pontile,draft\n"
    )

    why = "a draft replaces only drafts"
    assert result == {
        "termsUpdated": 1,
        "translationsDrafted": 1,
        "translationsKept": 2,
        "warningCount": 2,
        "warnings": [
            f"line 2: 'pier' stays 'Pier' in de: {why}",
            f"line 2: 'pier' stays 'molo' in it: {why}",
        ],
    }


def test_a_file_spells_no_term_otherwise_that_its_sender_could_not(workspace):
    files = Files(workspace, requiresApproval=True)
    files.imported("term,de,fr\npier,Pier,quai\nquay,,\n")
    translator = workspace.client("translator")

    result = files.imported("term,de\nPIER,Steg\nQUAY,Kai\n", client=translator)

    why = "to respell it, one must be allowed to write all its translations"
    assert result == {
        "termsUpdated": 2,
        "translationsProposed": 2,
        "warningCount": 1,
        "warnings": [f"line 2: 'pier' keeps its spelling: {why}"],
    }
    assert [term["term"] for term in files.terms()] == ["pier", "QUAY"]


def test_languages_of_a_file_must_be_assigned(files):
    german = files.workspace.client("translator", languages=["de"])

    answer = files.send(CSV, german)

    assert (answer.status, answer.error["code"]) == (403, "language_not_assigned")
    assert answer.error["details"] == {"languageCode": "fr"}
    assert files.terms() == []


def test_a_file_that_cannot_be_read_changes_nothing(files):
    answer = files.send("term,de\npier,Anleger\n ,x\n")

    assert (answer.status, answer.error["code"]) == (400, "unreadable_file")
    assert answer.error["details"] == [
        {"path": "line 3", "rule": "length", "message": "the term is blank"}
    ]
    doctype = files.send('<!DOCTYPE x SYSTEM "http://127.0.0.1/"><tbx/>')
    assert doctype.error["details"][0]["rule"] == "doctype"
    unknown = files.send(CSV, format="xlsx")
    assert (unknown.status, unknown.error["code"]) == (400, "unknown_format")
    assert files.export("xlsx").error["code"] == "unknown_format"
    assert files.terms() == []


def test_a_term_that_does_not_go_with_its_translations_stays_and_is_told(
    files, monkeypatch
):
    """Also in the last of many steps: the others are no job that failed half way."""
    monkeypatch.setattr(imports, "TEXTS_A_STEP", 2)
    files.imported(CSV)
    pier, skerry = files.terms()
    content = "term,doNotTranslate,de\nquay,,Kai\npier,yes,\nskerry,,Schäre\n"

    result = files.imported(content)

    quay = {**pier, "term": "quay", "notes": None}
    quay["translations"] = [{**pier["translations"][0], "value": "Kai"}]
    assert files.terms() == [pier, quay, skerry]
    stays = "doNotTranslate: the term stays as it is in de too"
    why = f"{stays}; clear the translation that differs, or turn doNotTranslate off"
    assert result == {
        "termsCreated": 1,
        "termsUnchanged": 2,
        "translationsApplied": 1,
        "warningCount": 2,
        "warnings": [f"line 3: 'pier': {why}", f"line 4: 'skerry': {why}"],
    }


@pytest.mark.parametrize("format_", ["csv", "tbx"])
def test_homonyms_are_imported_as_one_term_and_told(workspace, format_):
    files = Files(workspace)
    rows = "".join(f"two,z{number}\n" for number in range(150))
    concepts = "".join(
        f"""<conceptEntry><langSec xml:lang="en"><termSec><term>two</term></termSec>
        </langSec><langSec xml:lang="de"><termSec><term>z{number}</term></termSec>
        </langSec></conceptEntry>"""
        for number in range(150)
    )
    content = {
        "csv": f"term,de\n{rows}",
        "tbx": f"<tbx>{concepts}</tbx>".replace("\n", ""),
    }[format_]

    result = files.imported(content)

    assert (result["termsCreated"], result["warningCount"]) == (1, 149)
    assert len(result["warnings"]) == 100
    [term] = files.terms()
    assert [each["value"] for each in term["translations"]] == ["z0"]
