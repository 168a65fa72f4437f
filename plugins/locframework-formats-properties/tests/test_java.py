"""Java's own Properties read what we write, and we read what they store."""

import os
import shutil
import subprocess

import pytest
from locframework_formats_properties import PropertiesPlugin, PropertiesSettings

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile
from locframework.testing.contracts.formats import KEYS, TEXTS
from tests.empty_databases import REQUIRED_VARIABLE

OPTIONS = FileOptions(key_separator=".", source_language="en")
PROGRAM = """
import java.io.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.util.*;

public class Judge {
    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(
                Path.of(args[0]), Charset.forName(args[1]))) {
            properties.load(reader);
        }
        try (OutputStream out = new FileOutputStream(args[2])) {
            properties.store(out, "Stored: \\u00fc");
        }
        for (String key : properties.stringPropertyNames()) {
            String both = key + "\\0" + properties.getProperty(key);
            System.out.println(HexFormat.of().formatHex(
                both.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Loads a file in Java, and stores it again; what it says, and the new file."""
    if shutil.which("javac") is None:
        if os.environ.get(REQUIRED_VARIABLE) == "1":
            pytest.fail("Java is not installed")
        pytest.skip("Java is not installed")
    folder = tmp_path_factory.mktemp("java")
    (folder / "Judge.java").write_text(PROGRAM)
    subprocess.run(["javac", "Judge.java"], cwd=folder, check=True)

    def judge(content, charset):
        (folder / "in.properties").write_bytes(content)
        command = ["java", "Judge", "in.properties", charset, "out.properties"]
        told = subprocess.run(command, cwd=folder, check=True, capture_output=True)
        lines = told.stdout.decode().split()
        pairs = [bytes.fromhex(line).decode().split("\0") for line in lines]
        return dict(pairs), (folder / "out.properties").read_bytes()

    return judge


@pytest.mark.parametrize(("utf8", "charset"), [(True, "UTF-8"), (False, "ISO-8859-1")])
def test_java_reads_every_text_and_stores_it_for_us(judge, utf8, charset):
    format_, *_ = PropertiesPlugin(PropertiesSettings(utf8)).loc_provide_formats()
    texts = {f"key {at}": text for at, text in enumerate(TEXTS.values())}
    texts |= dict.fromkeys((*KEYS, "a b", "a=b", "#a", "!", "ü:ö", "a\\b", "\t"), "x")
    entries = [Entry(k, text, description=f"ü {k!r}") for k, text in texts.items()]
    written = format_.write([Catalogue("en", entries)], OPTIONS)

    told, stored = judge(written.content, charset)
    [read] = format_.read(SourceFile("x.properties", stored), OPTIONS)

    assert told == texts
    assert {entry.key: entry.value for entry in read.entries} == texts
