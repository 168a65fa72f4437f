"""Android's own compiler accepts what is written, and reads the same texts."""

import os
import re
import shutil
import subprocess

import pytest
from locframework_formats_android import AndroidPlugin

from locframework.ports import Catalogue, Entry, FileOptions
from locframework.testing.contracts.formats import TEXTS

IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
OPTIONS = FileOptions(".", "en")
MANIFEST = """\
<manifest xmlns:android="http://schemas.android.com/apk/res/android"
    package="org.example"/>
"""
TEMPLATE = """\
<resources xmlns:tools="http://schemas.android.com/tools">
    <color name="red">#f00</color>
    <string name="kept" translatable="false" tools:ignore="x">Kept</string>
    <string name="old">
        <![CDATA[old]]>
    </string>
</resources>
"""
STRINGS = {
    f"text_{at}": text
    for at, (name, text) in enumerate(TEXTS.items())
    if len(text) < 32_768 and name != "percents"  # aapt has limits
} | {"a.b-c_d": "<b", "old": "<i>It's</i>", "escape": "\x1b\u0007\\u0041\\"}
STRING = re.compile(
    r"^    resource \S+ string/(\S+)\n      \(\) \"(.*?)\"\n(?=    res|  type|\Z)",
    re.DOTALL | re.MULTILINE,
)
MARKUP = '<b>It\'s</b> &amp; <xliff:g id="x">%1$s</xliff:g>  <a href="y">z</a> '

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        shutil.which("aapt2") is None and not IS_REQUIRED,
        reason="needs apt-get install aapt",
    ),
]


def compiled(folder, content):
    """What aapt2 has as the resources of an application with this file."""
    values = folder / "res" / "values"
    values.mkdir(parents=True)
    (values / "strings.xml").write_bytes(content)
    (folder / "AndroidManifest.xml").write_text(MANIFEST)
    output = ""
    for command in (
        ["compile", "--dir", "res", "-o", "res.zip"],
        ["link", "--manifest", "AndroidManifest.xml", "-o", "out.apk", "res.zip"],
        ["dump", "resources", "out.apk"],
    ):
        done = subprocess.run(
            ["aapt2", *command], cwd=folder, capture_output=True, check=False
        )
        if done.returncode:
            raise ValueError(done.stderr.decode())
        output = done.stdout.decode()
    return output


@pytest.mark.parametrize("template", [None, TEMPLATE.encode()], ids=["new", "filled"])
def test_aapt_reads_the_texts_that_were_written(tmp_path, template):
    [format_, _] = AndroidPlugin().loc_provide_formats()
    entries = [
        *(Entry(key, text) for key, text in STRINGS.items() if key != "old"),
        Entry("old", STRINGS["old"], key_detail={"style": "cdata"}),
        Entry("markup", MARKUP),
        Entry("things", {"one": "a thing", "other": '%d "things"'}, is_plural=True),
        Entry("steps.0", "it's", key_detail={"array": True}),
        Entry("steps.2", "@c", key_detail={"array": True}),
    ]

    written = format_.write([Catalogue("en", entries, template=template)], OPTIONS)
    found = compiled(tmp_path, written.content)

    texts = {
        key: text.replace("\n      ", "\n")  # which the dump indents
        for key, text in STRING.findall(found)
    }
    assert texts.pop("kept", None) == (None if template is None else "Kept")
    assert texts == STRINGS
    assert '(styled string) "It\'s & %1$s  z " b:0,3 a;href=y:' in found
    assert 'one="a thing"' in found
    assert '["it\'s", "", "@c"]' in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("a", text) for text in ("%s, %d", "%1$s, %d", "%s%%", "%s%n", "%1$s %2$s")),
        *((name, "x") for name in ("a.b-c", "_x", "1a", "a b", "-a", "é", "a/b")),
        ("a", TEXTS["percents"]),
    ],
)
def test_aapt_refuses_the_placeholders_and_names_that_are_told(tmp_path, name, text):
    [format_, _] = AndroidPlugin().loc_provide_formats()
    written = format_.write([Catalogue("en", [Entry(name, text)])], OPTIONS)
    try:
        compiled(tmp_path, written.content)
        is_refused = False
    except ValueError:
        is_refused = True

    assert is_refused is bool(written.warnings)
