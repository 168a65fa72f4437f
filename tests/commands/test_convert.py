"""``locframework convert``: files in other formats, without a project."""

import json

import pytest

ENGLISH = """<resources>
    <string name="greeting">Hi %1$s</string>
    <plurals name="files">
        <item quantity="one">%d file</item>
        <item quantity="other">%d files</item>
    </plurals>
</resources>
"""


@pytest.fixture
def android(folder):
    """Files of an app, in English and German."""
    for name, content in (
        ("values", ENGLISH),
        ("values-de", ENGLISH.replace("Hi", "Hallo")),
    ):
        (folder / name).mkdir()
        (folder / name / "strings.xml").write_text(content)
    return folder / "values-de" / "strings.xml"


def test_a_file_is_converted_with_warnings(command, folder, android):
    result = command("convert", android, "de.strings")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "Warning: de.strings: files has only one text" in result.stderr
    assert (folder / "de.strings").read_text() == (
        '"greeting" = "Hallo %1$@";\n"files" = "%lld files";\n'
    )
    assert not (folder / "data").exists()


def test_a_file_is_replaced_only_with_overwrite(command, folder, android):
    (folder / "de.strings").write_text("mine")

    refused = command("convert", android, "de.strings")
    content = (folder / "de.strings").read_text()
    replaced = command("convert", android, "de.strings", "--overwrite")

    assert (refused.exit_code, content) == (1, "mine")
    assert "de.strings exists already" in refused.stderr
    assert replaced.exit_code == 0


def test_source_texts_come_from_their_file(command, folder, android):
    result = command("convert", android, "-", "--to", "gettext-po", "--source",
                     folder / "values" / "strings.xml")  # fmt: skip

    assert result.exit_code == 0
    assert 'msgid "Hi %1$s"\nmsgstr "Hallo %1$s"\n' in result.stdout
    assert '"Language: de\\n"' in result.stdout


def test_names_are_numbered_by_the_source_file(command, folder):
    texts = {"en": "{a} of {b}", "de": "{b}: {a}"}
    for code, text in texts.items():
        messages = {"a b": {"defaultMessage": text, "description": ""}}
        (folder / f"{code}.json").write_text(json.dumps(messages))

    alone = command("convert", "de.json", "-", "--to", "apple-strings")
    result = command("convert", "de.json", "-", "--to", "resx", "--source", "en.json")

    assert '"a b" = "{b}: {a}";' in alone.stdout
    assert "a b: the placeholders are not converted: '{b}' is not in" in alone.stderr
    assert "<value>{1}: {0}</value>" in result.stdout
    assert 'name="a b"' in result.stdout


def test_one_language_of_a_table_is_chosen(command, folder):
    (folder / "texts.csv").write_text("key,en,de\na,Pay,Zahlen\nb,Back,\n")
    to = ("--to", "json-flat")

    refused = command("convert", "texts.csv", "-", *to)
    unknown = command("convert", "texts.csv", "-", *to, "--language", "fr")
    german = command("convert", "texts.csv", "-", *to, "--language", "de")

    assert refused.exit_code == 2
    assert "texts.csv has en, de: choose one with --language" in refused.stderr
    assert (unknown.exit_code, german.exit_code) == (1, 0)
    assert json.loads(german.stdout) == {"a": "Zahlen"}


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("app.json", "de.json"), 2, "choose a format with --to"),
        (("app.json", "x.txt"), 2, "those of files named x.txt: none"),
        (("app.json", "x.arb"), 2, "name the language of app.json with --language"),
        (("app.json", "x.arb", "--to", "nope"), 1, "there is no format 'nope'"),
        (("none.json", "x.arb"), 2, "does not exist"),
        (("bad.json", "x.arb", "--language", "de"), 1, "bad.json"),
    ],
)
def test_what_cannot_be_converted_is_refused(command, folder, arguments, code, told):
    (folder / "app.json").write_text('{"a": "A", "b": {"c": "C"}}')
    (folder / "bad.json").write_text('{"a": ')

    result = command("convert", *arguments)

    assert result.exit_code == code
    assert told in result.stderr
    assert not (folder / "x.arb").exists()


def test_a_template_becomes_a_file_of_the_source_language(command, folder):
    (folder / "shop.pot").write_text('msgid ""\nmsgstr ""\n\nmsgid "Pay"\nmsgstr ""\n')

    result = command("convert", "shop.pot", "-", "--to", "json-flat")

    assert json.loads(result.stdout) == {"Pay": "Pay"}


def test_messages_of_qt_get_keys_that_other_formats_can_have(command, folder):
    (folder / "app_de.ts").write_text(
        '<!DOCTYPE TS><TS version="2.1" language="de"><context><name>Cart</name>'
        "<message><source>Pay now</source><translation>Zahlen</translation></message>"
        "</context></TS>"
    )

    result = command("convert", "app_de.ts", "de.xlf", "--to", "xliff-1.2")
    again = command("convert", "de.xlf", "-", "--to", "json-flat")

    assert (result.exit_code, result.stderr) == (0, "de.xlf: 394 bytes\n")
    [(key, text)] = json.loads(again.stdout).items()
    assert key.startswith("cart-pay-now-")
    assert text == "Zahlen"
