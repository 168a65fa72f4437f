"""TMX and CSV files come into a memory, and go out of it (decisions 2.5, 2.11)."""

import pytest

from locframework.file_import.xml_text import AS_HTML, LEFT_OUT

from .memory_files import CSV, TMX, Memory


@pytest.fixture
def memory(sqlite_workspace):
    return Memory(sqlite_workspace)


def test_a_tmx_file_is_imported_with_its_tags_and_languages(workspace):
    memory = Memory(workspace)

    result = memory.bring(TMX)

    assert memory.entries() == {
        'Press <ph x="1"/> | menu': {"de": 'Drücke <ph x="1"/>'},
        "Pay | ": {"de": "Zahlen", "pl": "Zapłać"},
    }
    assert result == {
        "entriesCreated": 2,
        "entriesUpdated": 0,
        "entriesUnchanged": 0,
        "translationsWritten": 3,
        "translationsKept": 0,
        "unitsFailed": 1,
        "errors": [{"line": 9, "message": "there is no text in en"}],
        "languagesLeftOut": [],
        "languagesTakenAs": {},
        "languagesAdded": ["pl"],
        "warningCount": 0,
        "warnings": [],
    }


def test_texts_in_the_language_of_the_memory_are_no_translations(memory):
    result = memory.bring("source,en,de\nHi there,Hi there,Hallo\n")

    assert memory.entries() == {"Hi there | ": {"de": "Hallo"}}
    assert result["languagesLeftOut"] == ["en"]
    memory.bring(memory.export(format="csv").content.decode())


def test_a_csv_file_is_imported_and_formulas_stay_text(memory):
    memory.bring(CSV)

    assert memory.entries() == {
        "=SUM(1) | menu": {"de": "=SUMME(1)"},
        "Pay | ": {"de": "Kaufen"},
    }


def test_what_is_there_is_kept_or_replaced(memory):
    memory.bring(TMX)

    kept = memory.bring(CSV)
    unchanged = memory.entries()["Pay | "]
    replaced = memory.bring(CSV, onExisting="replace")

    assert (kept["entriesCreated"], kept["entriesUnchanged"]) == (1, 1)
    assert unchanged == {"de": "Zahlen", "pl": "Zapłać"}
    assert (replaced["entriesUpdated"], replaced["entriesUnchanged"]) == (1, 1)
    assert memory.entries()["Pay | "] == {"de": "Kaufen", "pl": "Zapłać"}
    again = memory.bring(CSV, onExisting="replace")
    assert (again["entriesUpdated"], again["translationsWritten"]) == (0, 0)


@pytest.mark.parametrize("on_existing", ["keep", "replace"])
def test_a_draft_that_takes_no_place_is_kept_from_it_and_told(memory, on_existing):
    draft = '<prop type="x-locframework-status">draft</prop>'
    memory.bring("en,de\nPay,Kaufen\n")

    file = TMX.replace("<seg>Zahlen", f"{draft}<seg>Zahlen")
    result = memory.bring(file, onExisting=on_existing)
    again = memory.bring(file.replace("Zahlen", "Kaufen"), onExisting=on_existing)

    assert memory.entries()["Pay | "] == {"de": "Kaufen", "pl": "Zapłać"}
    assert (result["translationsKept"], again["translationsKept"]) == (1, 0)
    assert result["warnings"] == ["line 6: 'Pay' stays 'Kaufen' in de"]


def test_the_same_unit_twice_is_one_entry(memory):
    result = memory.bring("en,de\nPay,Zahlen\nPay,Kaufen\nPay,Zahlen\n")
    kept = memory.entries()
    memory.bring("en,de\nPay,Eins\nPay,Zwei\n", onExisting="replace")

    assert result["translationsKept"] == 1
    assert result["warnings"] == ["line 3: 'Pay' stays 'Zahlen' in de"]
    assert kept == {"Pay | ": {"de": "Zahlen"}}
    assert memory.entries() == {"Pay | ": {"de": "Zwei"}}


def test_the_languages_that_a_file_adds_are_told(workspace):
    memory = Memory(workspace)

    result = memory.bring("ID,en,de,fr\n17,Pay,Zahlen,Payer\n")
    again = memory.bring("ID,en,de,fr\n18,Go,Los,Va\n")

    assert result["languagesAdded"] == ["fr", "id"]
    assert again["languagesAdded"] == []


@pytest.mark.parametrize("word", ["key", "URL", "tag", "max"])
def test_a_column_that_is_headed_by_a_word_is_no_language(memory, word):
    rows = f"en,de,{word}\nPay,Zahlen,menu.pay\n"

    refused = memory.send(rows)
    one = memory.bring(rows, languageCodes="de")

    assert (refused.status, refused.error["code"]) == (400, "unreadable_file")
    assert refused.error["message"] == (
        f"{word.lower()!r} is not a known column, nor a language that exists here or"
        " that CLDR knows: if it is a language, name it in languageCodes"
    )
    assert one["languagesLeftOut"] == [word.lower()]
    assert memory.entries() == {"Pay | ": {"de": "Zahlen"}}


def test_any_language_comes_in_that_is_named_or_there_or_in_tmx(memory):
    rows = "en,key\nPay,Uma\n"

    named = memory.bring(rows, languageCodes="key")
    there = memory.bring(rows.replace("Pay", "Go"))
    tmx = memory.bring(TMX.replace('"pl"', '"max"'))

    assert memory.entries()["Go | "] == {"key": "Uma"}
    added = [result["languagesAdded"] for result in (named, there, tmx)]
    assert added == [["key"], [], ["max"]]


def test_only_the_languages_that_are_named_are_imported(memory):
    result = memory.bring(TMX, languageCodes="pl")

    assert result["languagesLeftOut"] == ["de"]

    assert memory.entries()["Pay | "] == {"pl": "Zapłać"}


def test_who_cannot_manage_a_memory_adds_no_language(memory):
    result = memory.bring(TMX, memory.workspace.client("translator"))

    assert result["languagesLeftOut"] == ["pl"]
    assert memory.entries()["Pay | "] == {"de": "Zahlen"}


def test_a_language_that_the_memory_has_under_another_code_is_taken_as_that(workspace):
    memory = Memory(workspace, languageCodes=["de", "pt-BR"])
    rows = "en,de-DE,pt,fr-FR\nPay,Zahlen,Pagar,Payer\n"

    result = memory.bring(rows, workspace.client("translator"))
    scoped = workspace.client("translator", languages=["pt-BR"])
    refused = memory.send(rows, scoped)

    assert memory.entries() == {"Pay | ": {"de": "Zahlen", "pt-BR": "Pagar"}}
    assert result["languagesTakenAs"] == {"de-DE": "de", "pt": "pt-BR"}
    assert result["languagesLeftOut"] == ["fr-FR"]
    told = "fr-FR is left out: the memory lacks it, and adding it takes tm_manage"
    assert result["warnings"] == [told]
    assert refused.error["details"] == {"languageCode": "de"}


def test_why_languages_are_left_out_is_told(memory):
    result = memory.bring("source,en,de,fr\nPay,Pay,Zahlen,Payer\n", languageCodes="de")

    assert result["warnings"] == [
        "en is left out: it is the memory's source language",
        "fr is left out: it is not one of the requested languages",
    ]


def test_a_language_that_is_asked_for_as_the_file_has_it_stays_apart(memory):
    as_there = memory.bring("en,de-DE\nPay,Zahlen\n", languageCodes="de")
    apart = memory.bring("en,de-AT\nPay,Zahlen\n", languageCodes="de-AT")

    assert memory.entries() == {"Pay | ": {"de": "Zahlen", "de-AT": "Zahlen"}}
    assert as_there["languagesTakenAs"] == {"de-DE": "de"}
    assert apart["languagesTakenAs"] == {}


def test_only_assigned_languages_are_imported(memory):
    scoped = memory.workspace.client("translator", languages=["pl"])

    refused = memory.send(TMX, scoped)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "de"}
    assert memory.entries() == {}


def test_where_approval_is_required_a_translators_file_proposes(sqlite_workspace):
    memory = Memory(sqlite_workspace, requiresApproval=True)
    memory.bring("en,de\nPay,Zahlen\n")

    translator = sqlite_workspace.client("translator")
    memory.bring("en,de\nPay,Kaufen\nNew,Neu\n", translator, onExisting="replace")

    items = memory.owner.get(f"{memory.path}/entries").data["items"]
    rows = [
        (each["value"], each["proposedValue"], each["status"])
        for entry in items
        for each in entry["translations"]
    ]
    assert rows == [("Zahlen", "Kaufen", "approved"), ("", "Neu", "pending_review")]


@pytest.mark.parametrize("who", ["owner", "translator"])
def test_a_proposal_that_waits_is_there_and_is_kept(workspace, who):
    memory = Memory(workspace, requiresApproval=True)
    memory.bring("en,de\nPay,Mine\n", workspace.client("translator"))

    result = memory.bring("en,de\nPay,Theirs\n", workspace.client(who))

    assert memory.waiting() == {"Pay": "Mine"}
    assert (result["translationsKept"], result["translationsWritten"]) == (1, 0)
    assert result["warnings"] == ["line 2: 'Pay' stays 'Mine' in de"]


def test_of_one_text_twice_in_a_file_the_first_is_proposed(sqlite_workspace):
    memory = Memory(sqlite_workspace, requiresApproval=True)

    translator = sqlite_workspace.client("translator")
    result = memory.bring("en,de\nPay,Eins\nPay,Zwei\n", translator)

    assert memory.waiting() == {"Pay": "Eins"}
    assert result["warnings"] == ["line 3: 'Pay' stays 'Eins' in de"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("<!DOCTYPE tmx SYSTEM 'x.dtd'>\n<tmx/>", 1),
        (TMX[: TMX.index("</body>")], 10),
        ("<!DOCTYPE tmx [<!ENTITY a 'b'>]>\n<tmx>&a;</tmx>", 1),
        ("<html/>", 1),
        ("", 1),
        ("en,colour me\nx", 1),
        ("context,de\n", 1),
        ("en,de,de\n", 1),
        ('en,de\na,"b\n', 2),
        (b"en,de\n\xff,\xfe\n", 2),
    ],
)
def test_a_file_that_cannot_be_read_changes_nothing(sqlite_workspace, content, line):
    memory = Memory(sqlite_workspace)

    refused = memory.send(content)

    assert (refused.status, refused.error["code"]) == (400, "unreadable_file")
    assert refused.error["details"][0]["path"] == f"line {line}"
    assert memory.entries() == {}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (" \n\t\n", "line 1: the file is empty"),
        (
            b"PK\x03\x04\x14\x00\x06\x00docProps/app.xml\n",
            "line 1: the file is not text, as CSV is: save a spreadsheet as CSV",
        ),
    ],
)
def test_what_is_no_file_of_ours_is_told_plainly(memory, content, told):
    assert memory.send(content).error["message"] == told


def test_a_format_or_choice_that_there_is_not_is_refused(memory):
    unknown = memory.send(TMX, format="xliff")
    neither = memory.send(TMX, onExisting="merge")
    exported = memory.owner.get(f"{memory.path}/export?format=xliff")

    assert (unknown.status, unknown.error["code"]) == (400, "unknown_format")
    assert (neither.status, neither.error["code"]) == (400, "validation_failed")
    assert exported.error["code"] == "unknown_format"


def test_units_that_an_entry_cannot_be_are_told(memory):
    rows = ["en,de,context", f"{'x' * 5001},a,", " ,b,", f"c,d,{'x' * 1001}", "ok,e,"]

    result = memory.bring("\n".join(rows))

    assert (result["entriesCreated"], result["unitsFailed"]) == (1, 3)
    assert [each["line"] for each in result["errors"]] == [2, 3, 4]


def test_texts_that_are_left_out_of_a_unit_are_warnings_and_no_failed_units(workspace):
    memory = Memory(workspace)
    strange = '<tuv xml:lang="no such"><seg>x</seg></tuv>'
    large = f'<tuv xml:lang="pl"><seg>{"x" * 65_537}</seg></tuv>'
    file = TMX.replace("<seg>Zahlen</seg></tuv>", f"<seg>Zahlen</seg></tuv>{strange}")
    alone = f'<tu><tuv xml:lang="en"><seg>Go <b>on</b></seg></tuv>{large}</tu></body>'

    result = memory.bring(file.replace("</body>", alone))

    assert (result["unitsFailed"], result["entriesCreated"]) == (1, 3)
    assert memory.entries()["Go on | "] == {}
    assert result["warningCount"] == 3
    assert result["warnings"] == [
        "line 6: a text in 'no such', which is not a BCP-47 language, is left out",
        "line 10: the tags of <b> are left out, their text is kept",
        "line 10: the text in pl is left out: it has more than 65,536 bytes in UTF-8",
    ]


def test_what_is_no_xml_in_one_text_costs_no_other_and_is_told(memory):
    noted = '<prop type="client">A</prop><note>n</note>'
    bad = "<tu><tuv xml:lang='en'><seg>&#x1F;</seg></tuv></tu></body>"
    file = TMX.replace("Zahlen", "Zah\x1flen&nbsp;").replace("</body>", bad)

    result = memory.bring(file.replace("<tuv", f"{noted}<tuv", 4))

    assert memory.entries()["Pay | "]["de"] == "Zahlen\xa0"
    assert [each["message"] for each in result["errors"]] == [
        "there is no text in en",
        "the source text is blank",
    ]
    assert result["warnings"] == [
        '<prop type="client">: left out in 4 places',
        "<note>: left out in 4 places",
        f"line 6: U+001F: {LEFT_OUT}; &nbsp;: {AS_HTML}",
        f"line 10: &#x1F;: {LEFT_OUT}",
    ]


def test_a_text_that_cannot_be_stored_costs_only_that_text(memory):
    result = memory.bring("en,de\na\0,x\nb,y\0\nc,z\n")

    assert memory.entries() == {"b | ": {}, "c | ": {"de": "z"}}
    reason = "holds U+0000 or a lone surrogate"
    assert [each["message"] for each in result["errors"]] == [f"a text {reason}"]
    assert result["warnings"] == [f"line 3: the text in de is left out: it {reason}"]


def test_alternatives_that_differ_in_context_are_kept_apart(memory):
    units = "".join(
        f'<tu><prop type="file">a.docx</prop><prop type="id">{number}</prop>'
        '<tuv lang="en"><seg>Save</seg></tuv>'
        f'<tuv lang="de"><seg>{value}</seg></tuv></tu>'
        for number, value in enumerate(("Sichern", "Speichern"))
    )

    result = memory.bring(f"<tmx version='1.1'><body>{units}</body></tmx>")

    assert memory.entries() == {
        "Save | a.docx | 0": {"de": "Sichern"},
        "Save | a.docx | 1": {"de": "Speichern"},
    }
    assert result["warnings"] == []


@pytest.mark.parametrize("format_", ["tmx", "csv"])
def test_what_is_exported_is_imported_as_the_same(workspace, format_):
    memory, other = Memory(workspace), Memory(workspace, name="Copy")
    memory.bring(TMX)
    memory.bring(CSV)

    file = memory.export(format=format_)
    other.bring(file.content.decode(), format=format_)

    assert other.entries() == memory.entries()
    name = file.headers["Content-Disposition"]
    assert name == f'attachment; filename="main.{format_}"'
    assert file.headers["Content-Length"] == str(len(file.content))
    assert memory.export(format=format_).content == file.content


def test_an_export_has_the_languages_that_are_named(memory):
    memory.bring(TMX)

    german = memory.export(format="csv", languageCodes="de").content.decode()
    unknown = memory.owner.get(f"{memory.path}/export?format=csv&languageCodes=sv")

    assert german.splitlines()[0] == "\ufeffcontext,en,de"
    assert (unknown.status, unknown.error["code"]) == (400, "language_not_in_project")
