"""A PO message as the file has it: what the parser gives and the renderer takes."""

from collections.abc import Mapping, Sequence

from msgspec import Struct


class Message(Struct, gc=False):  # a file has many, and none refers to another
    """One message. Texts are unescaped; a note is None where the file has none."""

    msgid: str
    msgctxt: str | None = None
    msgid_plural: str | None = None
    texts: Sequence[str] = ()  # msgstr, or msgstr[0], [1], …
    comment: str | None = None  # "# ", the translators'
    extracted: str | None = None  # "#.", the developers'
    references: str | None = None  # "#:", the lines as they are
    fuzzy: bool = False
    flags: str = ""  # "#,", without fuzzy: "python-format, no-wrap"
    previous: Mapping[str, str] | None = None  # "#|", by keyword
    line: int = 0  # 1-based, of the first keyword
    obsolete: bool = False
    block: str = ""  # of an obsolete message: its lines, untouched

    @property
    def is_header(self) -> bool:
        """Whether this is the message that holds the header."""
        return self.msgid == "" and self.msgctxt is None and not self.obsolete
