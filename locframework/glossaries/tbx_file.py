"""Terms as TBX-Basic (ISO 30042): the way from one terminology tool to another.

Written as of 2019 (``tbx``, style dca). What TBX cannot say is written as termNotes
whose type begins with ``x-locframework-``; other tools pass them over.
"""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from locframework.file_import.xml_writing import element_text, is_blank_in_xml

from .records import Glossary, Term

CONTENT_TYPE = "application/x-tbx+xml"
OWN = "x-locframework-"
STATUSES = {
    "preferred": "preferredTerm-admn-sts",
    "deprecated": "deprecatedTerm-admn-sts",
    "forbidden": "deprecatedTerm-admn-sts",
}

_SPACE = "urn:iso:std:iso:30042:ed-2"


def write_tbx(glossary: Glossary, terms: Iterable[Term]) -> Iterator[bytes]:
    """The terms with their approved translations and drafts; no proposals.

    Characters that XML cannot hold (control characters) are left out, and so are terms
    and translations that have no others. The same terms give the same bytes.
    """
    language = quoteattr(glossary.source_language)
    yield _lines(
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<tbx type="TBX-Basic" style="dca" xml:lang={language} xmlns="{_SPACE}">',
        "<tbxHeader><fileDesc>",
        f"<titleStmt><title>{element_text(glossary.name)}</title></titleStmt>",
        "<sourceDesc><p>A glossary, exported</p></sourceDesc>",
        "</fileDesc></tbxHeader>",
        "<text><body>",
    )
    for term in terms:
        yield _lines(*_concept(glossary, term))
    yield _lines("</body></text>", "</tbx>")


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _concept(glossary: Glossary, term: Term) -> Iterable[str]:
    if is_blank_in_xml(term.term):
        return
    yield f'<conceptEntry id="c{term.id}">'
    if term.notes:
        yield f"<note>{element_text(term.notes)}</note>"
    flags = {"administrativeStatus": STATUSES[term.usage_status]}
    if term.usage_status == "forbidden":
        flags[f"{OWN}usageStatus"] = "forbidden"
    if term.do_not_translate:
        flags[f"{OWN}doNotTranslate"] = "true"
    if term.case_sensitive:
        flags[f"{OWN}caseSensitive"] = "true"
    yield from _section(glossary.source_language, term.term, flags)
    for each in term.translations:
        if not is_blank_in_xml(each.value):
            is_draft = each.status == "draft"
            flags = {f"{OWN}status": "draft"} if is_draft else {}
            if each.language_code == glossary.source_language:
                flags[f"{OWN}translation"] = "true"
            yield from _section(each.language_code, each.value, flags)
    yield "</conceptEntry>"


def _section(language_code: str, text: str, flags: dict[str, str]) -> Iterable[str]:
    notes = "".join(
        f"<termNote type={quoteattr(type_)}>{element_text(value)}</termNote>"
        for type_, value in flags.items()
    )
    yield f"<langSec xml:lang={quoteattr(language_code)}>"
    yield f"<termSec><term>{element_text(text)}</term>{notes}</termSec></langSec>"
