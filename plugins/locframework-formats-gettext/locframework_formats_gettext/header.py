"""The header of a PO file: what we read from its fields, and what we set in them."""

import re

from locframework.ports import locale_tag, match_language

_TEMPLATE_RULE = "nplurals=INTEGER; plural=EXPRESSION;"
_CONTENT_TYPE = "text/plain; charset=UTF-8"
_charset_in = re.compile(r"charset=([A-Za-z0-9_.:-]*)", re.IGNORECASE).search
_ABOUT_PEOPLE = (
    "Project-Id-Version",
    "PO-Revision-Date",
    "Last-Translator",
    "Language-Team",
)


def field_of(header: str, name: str) -> str | None:
    """The value of the field ``name``, stripped; None when it is not there."""
    prefix = f"{name.lower()}:"
    for line in header.split("\n"):
        if line.lower().startswith(prefix):
            return line[len(prefix) :].strip()
    return None


def with_field(header: str, name: str, value: str) -> str:
    """``header`` with the field set: in its place, else after all others."""
    prefix = f"{name.lower()}:"
    lines = header.removesuffix("\n").split("\n") if header else []
    for index, line in enumerate(lines):
        if line.lower().startswith(prefix):
            lines[index] = f"{name}: {value}"
            break
    else:
        lines.append(f"{name}: {value}")
    return "\n".join(lines) + "\n"


def language_of(header: str) -> str | None:
    """The ``Language`` field in BCP-47; None if it is missing or no language."""
    return locale_tag(field_of(header, "Language") or "")


def plural_rule_of(header: str) -> str | None:
    """The ``Plural-Forms`` field; None when it is missing, empty or a template's."""
    rule = field_of(header, "Plural-Forms")
    return None if not rule or rule == _TEMPLATE_RULE else rule


def in_utf8(header: str) -> str:
    """``header`` with the one charset that files are written in."""
    match = _charset_in(field_of(header, "Content-Type") or "")
    if match and match[1].lower() in ("utf-8", "utf8"):
        return header
    return with_field(header, "Content-Type", _CONTENT_TYPE)


def new_header(language: str, rule: str | None) -> str:
    """The header of a file that never was a PO file: all fields, and no date.

    ``language`` is empty in a template; ``rule`` None leaves Plural-Forms out.
    """
    fields = dict.fromkeys(_ABOUT_PEOPLE, "")
    fields["Language"] = _posix(language)
    fields["MIME-Version"] = "1.0"
    fields["Content-Type"] = _CONTENT_TYPE
    fields["Content-Transfer-Encoding"] = "8bit"
    if rule is not None:
        fields["Plural-Forms"] = rule
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def kept_header(header: str, language: str) -> str:
    """A stored header for a file in UTF-8 and this language; other fields stay.

    So does another spelling of the same language: ``zh_CN`` for ``zh-Hans``.
    """
    header = in_utf8(header)
    stored, wanted = language_of(header), locale_tag(language)
    if stored and wanted and match_language(stored, frozenset((wanted,))):
        return header
    return with_field(header, "Language", _posix(language))


def template_header(header: str | None, *, has_plurals: bool) -> str:
    """A template's header, from a stored one of a template or a translation."""
    if header is None:
        return new_header("", _TEMPLATE_RULE if has_plurals else None)
    header = in_utf8(header)
    rule = field_of(header, "Plural-Forms")
    if field_of(header, "Language"):
        header = with_field(header, "Language", "")
        rule = None
    if has_plurals and rule is None:
        header = with_field(header, "Plural-Forms", _TEMPLATE_RULE)
    return header


def _posix(language: str) -> str:
    return language.replace("-", "_")
