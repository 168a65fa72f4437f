"""Writes TMX 1.4b, unit by unit."""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from locframework.file_import.xml_writing import element_text, is_blank_in_xml

from .inline import content_of
from .records import MemoryEntry, TranslationMemory

CONTENT_TYPE = "application/x-tmx+xml"
CONTEXT = "x-context"  # the type of the prop that has an entry's context
STATUS = "x-locframework-status"  # of a variant; others do not mind it


def write_tmx(
    memory: TranslationMemory, entries: Iterable[MemoryEntry]
) -> Iterator[bytes]:
    """The entries, with their approved translations and drafts; no proposals.

    The same entries give the same bytes. Entries without a translation are units of
    the source text alone. Texts of nothing but characters that XML cannot hold are
    left out, and so are entries with such a source text.
    """
    language = quoteattr(memory.source_language)
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="locframework" creationtoolversion="1" '
        'segtype="block" o-tmf="locframework" adminlang="en" '
        f'srclang={language} datatype="plaintext"/>\n<body>\n'
    ).encode()
    for entry in entries:
        yield "".join(_unit(memory, entry)).encode()
    yield b"</body>\n</tmx>\n"


def _unit(memory: TranslationMemory, entry: MemoryEntry) -> Iterable[str]:
    if is_blank_in_xml(entry.source_text):
        return
    yield f'<tu tuid="{entry.id}">\n'
    if entry.context:
        yield f'<prop type="{CONTEXT}">{element_text(entry.context)}</prop>\n'
    yield _variant(memory.source_language, entry.source_text)
    for each in entry.translations:
        if not is_blank_in_xml(each.value):
            is_draft = each.status == "draft"
            yield _variant(each.language_code, each.value, is_draft=is_draft)
    yield "</tu>\n"


def _variant(language_code: str, text: str, *, is_draft: bool = False) -> str:
    prop = f'<prop type="{STATUS}">draft</prop>' if is_draft else ""
    content = content_of(text)
    return f'<tuv xml:lang="{language_code}">{prop}<seg>{content}</seg></tuv>\n'
