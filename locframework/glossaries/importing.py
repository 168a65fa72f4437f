"""Decides what becomes of a term that a file names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from locframework.errors import truncate
from locframework.fields import Timestamp, new_id
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import drafted, standing, written

from .file_records import FileTerm, FileText, ImportResult
from .records import Term, TermWrite
from .rules import check_translatable, told, translation_in, with_translations


class Merged(Struct):
    """What a file makes of one term."""

    TYPES: ClassVar[tuple[str, ...]] = (
        "term.created",
        "term.updated",
        "translation.updated",
        "translation.proposed",
    )

    term_id: str
    write: TermWrite | None  # None: nothing new
    outcome: str = ""  # of the term: created, updated, or "" for neither
    outcomes: dict[str, str] = field(default_factory=dict)  # by language code
    kept: list[str] = field(default_factory=list)  # told of what stays, and differs

    def items(self, type_: str) -> Iterator[dict[str, object]]:
        """What is told by events of the type."""
        about, _, what = type_.partition(".")
        if about == "term" and self.outcome == what:
            yield {"termId": self.term_id}
        if about == "translation":
            for code, outcome in self.outcomes.items():
                if (outcome == "proposed") == (what == "proposed"):
                    yield {"termId": self.term_id, "languageCode": code}

    def count(self, result: ImportResult) -> None:
        """Add it to what came of the whole file."""
        if self.outcome == "created":
            result.terms_created += 1
        elif self.write is not None:
            result.terms_updated += 1
        else:
            result.terms_unchanged += 1
        for outcome in self.outcomes.values():
            if outcome == "proposed":
                result.translations_proposed += 1
            elif outcome == "drafted":
                result.translations_drafted += 1
            else:
                result.translations_applied += 1
        for each in self.kept:
            result.keep(each)


def merged(
    old: Term | None, said: FileTerm, glossary_id: str, *, applies: bool, at: Timestamp
) -> Merged:
    """What the file says, over what is there; what it does not say stays.

    ``applies``: what is written counts at once. A draft takes the place of nothing but
    drafts: what stays for that is told. Raises TermNotTranslatable.
    """
    term = _with_fields(old or _empty(said, glossary_id, at), said)
    changed: list[TermTranslation] = []
    outcomes: dict[str, str] = {}
    kept: list[str] = []
    for text in said.texts:
        before = translation_in(term, text.language_code)
        after = _after(before, text, applies=applies, at=at)
        if after is not None and after != before:
            changed.append(after)
            is_draft = after.status == "draft"
            outcome = "drafted" if is_draft else told(before, after)
            outcomes[text.language_code] = outcome
        elif before is not None and text.is_draft and standing(before) != text.value:
            kept.append(_stays(said, before))
    term = with_translations(term, changed)
    if term == old:
        return Merged(term.id, None, kept=kept)
    check_translatable(term)
    term = replace(term, updated_at=at)
    own = old is None or _fields(term) != _fields(old)
    of_term = "created" if old is None else "updated" if own else ""
    write = TermWrite(term, is_new=old is None, changed=changed)
    return Merged(term.id, write, of_term, outcomes, kept)


def _after(
    before: TermTranslation | None, text: FileText, *, applies: bool, at: Timestamp
) -> TermTranslation | None:
    code, value = text.language_code, text.value
    if text.is_draft:
        return drafted(before, code, value)
    return written(before, code, value, applies=applies, at=at)


def _stays(said: FileTerm, text: TermTranslation) -> str:
    stays = f"{truncate(said.term)!r} stays {truncate(standing(text))!r}"
    why = "a draft replaces only drafts"
    return f"line {said.line}: {stays} in {text.language_code}: {why}"


def _empty(said: FileTerm, glossary_id: str, at: Timestamp) -> Term:
    return Term(
        id=new_id(),
        glossary_id=glossary_id,
        term=said.term,
        do_not_translate=False,
        case_sensitive=said.case_sensitive,
        usage_status="preferred",
        notes=None,
        created_at=at,
        updated_at=at,
        translations=(),
    )


def _with_fields(term: Term, said: FileTerm) -> Term:
    untranslated = said.do_not_translate
    return replace(
        term,
        term=said.term,
        do_not_translate=(
            term.do_not_translate if untranslated is None else untranslated
        ),
        usage_status=said.usage_status or term.usage_status,
        notes=said.notes or term.notes,
    )


def _fields(term: Term) -> Term:
    return replace(term, translations=(), updated_at="")
