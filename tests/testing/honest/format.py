"""Two honest formats; mutants/format.py makes mistakes in them."""

import json
import re
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import pytest
from msgspec.structs import replace

from locframework.ports import (
    Block,
    Catalogue,
    Entry,
    Faults,
    FormatInfo,
    TextFile,
    WrittenFile,
    fill_template,
    unreadable,
)
from locframework.testing.contracts.formats import FormatContract, Sample

_STRING = r'"(?:[^"\\]|\\.)*"'
_LINE = re.compile(rf"({_STRING})(?: (zero|one|two|few|many|other))? *= *({_STRING})")


class Lines:
    """``"key" = "text"``, below ``# a description`` and ``! review``; a plural has a
    line for each form: ``"key" one = "text"``."""

    info = FormatInfo(
        "lines",
        "Lines",
        ".lines",
        "text/x-lines; charset=utf-8",
        comments=True,
        marks_unreviewed=True,
    )

    def recognizes(self, file):
        return file.name.lower().endswith(".lines")

    def read(self, file, options):
        blocks, warnings = self.blocks(TextFile.of(file.content).text)
        entries = [block.entry for block in blocks if block.entry]
        return [Catalogue(None, entries, warnings=warnings)]

    def blocks(self, text):
        faults, blocks, lines, seen = Faults(), [], [], set()
        notes, review = [], False
        for number, raw in enumerate(text.splitlines(keepends=True), 1):
            line = raw.replace("\0", "").strip()
            lines.append(raw.replace("\0", ""))
            if line.startswith("#"):
                notes.append(line[1:].strip())
                continue
            if line.startswith("!"):
                review = True
                continue
            found = _LINE.fullmatch(line)
            if found:
                key, form, value = self.parts(found)
                last = blocks[-1] if blocks else None
                if last and last.key == key and form and len(lines) == 1:
                    value = {**last.entry.value, form: value}
                    entry = replace(last.entry, value=value)
                    blocks[-1] = Block(last.text + raw, key, entry)
                elif key in seen or "\0" in f"{key}{value}":
                    faults.add(number, "duplicate", "another text has the key")
                else:
                    seen.add(key)
                    entry = self.entry(key, form, value, notes, review, number)
                    blocks.append(Block("".join(lines), key, entry))
            else:
                if line:
                    faults.add(number, "syntax", "neither a text nor a note")
                blocks.append(Block("".join(lines)))
            lines, notes, review = [], [], False
        faults.raise_any()
        return [*blocks, *([Block("".join(lines))] if lines else [])], faults.warnings

    def parts(self, found):
        try:
            key, value = json.loads(found[1]), json.loads(found[3])
            f"{key}{value}".encode()
        except ValueError:
            return "\0", None, ""
        return key, found[2], value

    def entry(self, key, form, value, notes, review, number):
        return Entry(
            key,
            {form: value} if form else value or None,
            is_plural=form is not None,
            description="\n".join(notes),
            needs_review=review,
            line=number,
        )

    def write(self, catalogues, options):
        [catalogue] = catalogues
        blocks, newline = [], "\n"
        file = TextFile("", "utf-8")
        if catalogue.template:
            file = TextFile.of(catalogue.template)
            blocks, _ = self.blocks(file.text)
            newline = file.newline

        def lines_of(entry, block):
            old = block and block.entry
            if old and self.says(old) == self.says(entry):
                return block.text
            return self.lines(entry).replace("\n", newline)

        text = fill_template(blocks, catalogue.entries, lines_of, newline)
        return WrittenFile(file.encoded(text))

    def says(self, entry):
        return entry.value or None, entry.needs_review, entry.description.split()

    def lines(self, entry):
        if not entry.value:
            return ""
        lines = [f"# {line}" for line in entry.description.splitlines()]
        lines += ["! review"] if entry.needs_review else []
        key = json.dumps(entry.key, ensure_ascii=False)
        if isinstance(entry.value, str):
            lines.append(f"{key} = {self.text(entry.value)}")
        else:
            forms = sorted(entry.value.items())
            lines += [f"{key} {form} = {self.text(text)}" for form, text in forms]
        return "".join(f"{line}\n" for line in lines)

    def text(self, text):
        # what splits lines, too
        raw = json.dumps(text, ensure_ascii=False)
        return re.sub("[\x7f-\x9f\u2028\u2029]", lambda m: f"\\u{ord(m[0]):04x}", raw)


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_AS_NUMBERS = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


class Xml:
    """A line ``<text key="a" note="…"><in lang="de" form="one">…</in></text>`` for each
    key, and an ``in`` for each language."""

    info = FormatInfo(
        "xml",
        "XML",
        ".texts",
        "application/xml; charset=utf-8",
        comments=True,
        marks_unreviewed=True,
        multilingual=True,
    )

    def recognizes(self, file):
        return file.name.lower().endswith(".texts")

    def read(self, file, options):
        rows, order = self.rows(file.content), {}
        for row in rows.values():
            order |= row
        return [
            Catalogue(code, [row[code] for row in rows.values() if code in row])
            for code in order
        ]

    def rows(self, content):
        """By key, by language."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        rows, row, said = {}, {}, None

        def refuse(*_):
            raise unreadable(parser.CurrentLineNumber, "syntax", "not allowed here")

        def start(tag, given):
            nonlocal row, said
            line = parser.CurrentLineNumber
            if tag == "text" and "key" in given and given["key"] not in rows:
                row = rows[given["key"]] = {}
                row[""] = Entry(given["key"], description=given.get("note", ""))
            elif tag == "in" and row and given.get("lang"):
                old = row.get(given["lang"], row[""])
                form = given.get("form")
                if old.value is not None and (form is None or form in old.value):
                    refuse()
                review = "review" in given
                said = given["lang"], form, ""
                row[given["lang"]] = replace(
                    old, line=line, needs_review=review, is_plural=form is not None
                )
            elif tag != "texts":
                refuse()

        def text(more):
            nonlocal said
            if said:
                said = (*said[:2], said[2] + more)
            elif more.strip():
                refuse()

        def end(tag):
            nonlocal said
            if tag == "in":
                code, form, value = said
                old = row[code].value
                value = {**(old or {}), form: value} if form else value
                row[code] = replace(row[code], value=value)
                said = None
            elif tag == "text":
                del row[""]

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = refuse
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            raise unreadable(error.lineno, "syntax", str(error)) from None
        return rows

    def write(self, catalogues, options):
        rows, warnings = {}, []
        for one in catalogues:
            for entry in one.entries:
                rows.setdefault(entry.key, {})[one.language_code] = entry
        blocks = [Block("<texts>\n"), Block("</texts>\n")]
        before = {}
        if template := catalogues[0].template:
            before = self.rows(template)
            blocks = self.blocks(template, before)

        def lines_of(entry, block):
            old = before.get(entry.key, {})
            row = {**old, **rows[entry.key]}
            if block and self.says(old) == self.says(row):
                return block.text
            return self.line(row, warnings)

        entries = [next(iter(row.values())) for row in rows.values()]
        if not catalogues[0].template:
            lines = [lines_of(entry, None) for entry in entries]
            text = "".join([blocks[0].text, *lines, blocks[1].text])
        else:
            text = fill_template(blocks, entries, lines_of)
        return WrittenFile(text.encode(), warnings)

    def blocks(self, content, rows):
        lines = {e.line: key for key, row in rows.items() for e in row.values()}
        text = TextFile.of(content).text.splitlines(keepends=True)
        return [Block(line, lines.get(at)) for at, line in enumerate(text, 1)]

    def says(self, row):
        return {c: (e.value, e.needs_review) for c, e in row.items() if e.value}

    def line(self, row, warnings):
        [first, *_] = row.values()
        head = f"<text key={quoteattr(first.key)}"
        note = next((e.description for e in row.values() if e.description), "")
        if _FORBIDDEN.search(note + first.key):
            note = _FORBIDDEN.sub("", note)
            warnings.append(f"{first.key}: XML lacks some characters")
        head += f" note={quoteattr(note)}>" if note else ">"
        texts = ""
        for code, entry in row.items():
            is_text = isinstance(entry.value, str)
            forms = {"": entry.value} if is_text else entry.value or {}
            for form, text in sorted(forms.items()):
                if not text or _FORBIDDEN.search(text):
                    warnings.append(f"{entry.key} is left out: XML lacks it")
                    continue
                mark = f" form={quoteattr(form)}" if form else ""
                mark += ' review="yes"' if entry.needs_review else ""
                text = escape(text, _AS_NUMBERS)
                texts += f"<in lang={quoteattr(code)}{mark}>{text}</in>"
        return f"{head}{texts}</text>\n" if texts else ""


LINES = """\
# about all

# A button
"cart.pay" = "Pay now"
"cart.title"="Größe"
! review
"items" one = "1 item"
"items" other = "{n} items"

# no key
# "lost" = "x"
"Sign in" = "Sign in\\u0021"
"""
XML = """\
<?xml version="1.0"?>
<texts>
<text key="a" note="A button"><in lang="en">Save</in><in lang="de">Sichern</in></text>
<!-- a comment -->
<text key="b.c"><in lang="en" form="one">1 item</in><in lang="en" form="other">n</in>\
<in lang="de" form="other" review="yes">n St&#xFC;ck</in></text>

<text  key="Sign in"><in lang="en" review="yes">Sign &amp; go</in></text>
</texts>
"""


class TestLines(FormatContract):
    samples = {  # noqa: RUF012
        "lines": Sample(
            LINES.encode(),
            [
                Entry("cart.pay", "Pay now", description="A button", line=4),
                Entry("cart.title", "Größe", line=5),
                Entry(
                    "items",
                    {"one": "1 item", "other": "{n} items"},
                    is_plural=True,
                    needs_review=True,
                    line=7,
                ),
                Entry(
                    "Sign in",
                    "Sign in!",
                    description='no key\n"lost" = "x"',
                    line=12,
                ),
            ],
            LINES.replace("# about all\n\n", "")
            .replace("\n\n", "\n")
            .replace('"="', '" = "')
            .replace("\\u0021", "!")
            .encode(),
        ),
        "windows": Sample(
            b'\xef\xbb\xbf"a" = "x"\r\n\r\n"b" = "y"\r\n',
            [Entry("a", "x", line=1), Entry("b", "y", line=3)],
            b'"a" = "x"\n"b" = "y"\n',
        ),
    }
    unreadable = {  # noqa: RUF012
        "a key twice": (b'"a" = "x"\n\n"a" = "y"\n', 3),
        "no text": (b'"a" = "x"\n# b\nb\n', 3),
    }

    @pytest.fixture
    def format(self):
        return Lines()


class TestXml(FormatContract):
    samples = {  # noqa: RUF012
        "xml": Sample(
            XML.encode(),
            {
                "en": [
                    Entry("a", "Save", description="A button", line=3),
                    Entry("b.c", {"one": "1 item", "other": "n"}, True, line=5),
                    Entry("Sign in", "Sign & go", needs_review=True, line=7),
                ],
                "de": [
                    Entry("a", "Sichern", description="A button", line=3),
                    Entry("b.c", {"other": "n Stück"}, True, needs_review=True, line=5),
                ],
            },
            XML.replace('<?xml version="1.0"?>\n', "")
            .replace("<!-- a comment -->\n", "")
            .replace("\n\n", "\n")
            .replace("<text  ", "<text ")
            .replace("&#xFC;", "ü")
            .encode(),
        )
    }
    unreadable = {  # noqa: RUF012
        "not closed": (b'<texts>\n<text key="a">\n</texts>\n', 3),
        "a key twice": (b'<texts>\n<text key="a"/>\n<text key="a"/>\n</texts>\n', 3),
    }

    @pytest.fixture
    def format(self):
        return Xml()
