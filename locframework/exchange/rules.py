"""Rules of imports and exports: what an import changes of each key."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from locframework.errors import InvalidKey, ValidationFailed, abbreviate, truncate
from locframework.formats.records import Text
from locframework.keys.records import TAGS_MOST, KeyWrite, StoredKey, StoredValue
from locframework.keys.rules import check_key, status_of_write

from .records import (
    Conflict,
    ImportedKey,
    ImportOptions,
    ImportResult,
    OnConflict,
)

LISTED_LIMIT = 100  # conflicts and warnings of a result
WARNING_COUNT_HEADER = "X-Service-Warning-Count"
WARNINGS_HEADER = "X-Service-Warnings"
HEADER_BYTES_LIMIT = 4096  # proxies take 8 KiB of headers in all

Stored = Mapping[tuple[str, str | None], StoredValue]
"""The texts of a key, by language code and plural form."""


def check_module(module: str, separator: str) -> None:
    """Raise InvalidKey unless it can be the first segment of keys (decisions 2.8)."""
    check_key(module, separator)
    if separator in module:
        raise InvalidKey(
            f"a module is one segment, and {abbreviate(module)!r} has several"
        )


def branch_of(options: ImportOptions, named: str | None) -> str | None:
    """Return the branch that the form or the query names, or both the same.

    Raises ValidationFailed.
    """
    if named is not None and options.branch not in (None, named):
        message = "the form and the query name different branches"
        raise ValidationFailed.at("form.branch", "branch", message)
    return named if options.branch is None else options.branch


class ImportRules(Struct, frozen=True):
    """What holds for every key of one import."""

    on_conflict: OnConflict
    tags: tuple[str, ...]
    source_language: str
    fill_source: bool  # whether a source text beside a translation is written
    may_describe: bool  # whether description, tags and plurals of a key may change
    may_approve: bool  # whether written texts are approved
    keep_fresh: bool = False  # whether translations of a new source text stay fresh


class KeyPlan(Struct, frozen=True, gc=False):
    """What an import changes of one key; ``write`` None: nothing."""

    write: KeyWrite | None
    values_written: int
    conflicts: list[Conflict]
    warnings: list[str]


def plan_key(
    new: ImportedKey,
    old: StoredKey | None,
    values: Iterable[StoredValue],
    rules: ImportRules,
) -> KeyPlan:
    """Plan what the import changes of one key.

    ``old`` is the stored key, if there is one, and ``values`` are its texts. A missing
    text is filled in. Of one that differs, ``auto`` is a three-way merge of base, file
    and project: a side that left the base wins; where both did, or nobody knows a base,
    it is a conflict, which the file wins in the source language and the project in the
    others. A resolution decides any text that differs. One that is the same is written
    only if that approves it or makes it up to date (decisions 2.3.3, 2.3.5). Texts and
    forms that the file does not name stay.
    """
    stored = {(row.language_code, row.plural_form): row for row in values}
    texts, source_warnings = _texts(new, stored, rules)
    is_plural = new.is_plural if old is None else old.is_plural
    # of plain texts alone, the project said that they are plural, and no longer does
    is_plain = bool(new.values) and all(isinstance(t, str) for t in new.values.values())
    turns_plural = new.is_plural and not is_plural and not is_plain
    turns_plural = turns_plural and not (old and _is_plain_again(new, rules))
    if turns_plural:
        has_texts = any(row.value for row in stored.values())
        may_turn = not has_texts or rules.on_conflict in ("auto", "overwrite")
        if not (rules.may_describe and may_turn):
            return _keep_singular(new, stored, texts, rules)
        is_plural = True
        stored = {(tag, "other"): row for (tag, _), row in stored.items()}
    elif old is not None and turns_singular(new, old, rules):
        is_plural = False
        others = {at: row for at, row in stored.items() if at[1] == "other"}
        stored = {(tag, None): row for (tag, _), row in others.items()}
    elif is_plural and loses_forms(new, rules):
        source_warnings.append(_stays_plural(new, rules))
    changed: dict[str, dict[str | None, str]] = {}
    conflicts: list[Conflict] = []
    for tag, text in texts.items():
        for form, one in _forms(text, is_plural=is_plural).items():
            existing = stored.get((tag, form))
            if existing is not None and existing.value == one:
                if _is_settled(existing, new, rules, tag, form):
                    continue
            elif existing is not None:
                conflict, is_taken = _decide(new, tag, form, existing, one, rules)
                if conflict is not None:
                    conflicts.append(conflict)
                if not is_taken:
                    continue
            changed.setdefault(tag, {})[form] = one
    fields, warnings = _described(new, old, rules)
    if old is None or is_plural != old.is_plural:
        fields["is_plural"] = is_plural
    write = None
    if changed or fields:
        write = KeyWrite(
            name=new.name,
            key_id=None if old is None else old.id,
            fields=fields,
            values={tag: _text(forms) for tag, forms in changed.items()},
            review=frozenset(new.review),
            keep_fresh=rules.keep_fresh,
        )
    count = sum(map(len, changed.values()))
    warnings += [*source_warnings, *_idle(new, conflicts)]
    return KeyPlan(write, count, conflicts, warnings)


def turns_singular(new: ImportedKey, old: StoredKey, rules: ImportRules) -> bool:
    """Return whether the file of the source language makes a plural key one text: the
    ``other`` of each language."""
    may_turn = rules.may_describe and rules.on_conflict in ("auto", "overwrite")
    return old.is_plural and may_turn and loses_forms(new, rules)


def _is_plain_again(new: ImportedKey, rules: ImportRules) -> bool:
    """Return whether the source text is plain, as it was, and other languages have the
    plurals that they had: the key was made plain with them."""
    source = rules.source_language
    before, now = new.base.get(source), new.values.get(source)
    return (
        isinstance(before, str)
        and isinstance(now, str)
        and all(
            isinstance(text, str) or not isinstance(new.base.get(code), str | None)
            for code, text in new.values.items()
        )
    )


def loses_forms(new: ImportedKey, rules: ImportRules) -> bool:
    """Return whether the file of the source language has one text where it had plural
    forms. One that was plain before says nothing new of a key that became plural."""
    source = rules.source_language
    text, before = new.values.get(source), new.base.get(source)
    return isinstance(text, str) and isinstance(before, Mapping)


def _stays_plural(new: ImportedKey, rules: ImportRules) -> str:
    reason = f"onConflict is {rules.on_conflict}"
    if not rules.may_describe:
        reason = "key_update is missing"
    told = "is no plural in the file any more; it stays one, as"
    return f"{new.name}: {told} {reason} (isPlural: false ends it)"


def count(result: ImportResult, plan: KeyPlan, *, is_new: bool) -> None:
    """Add what changes of one key to the result."""
    if is_new:
        result.keys_created += 1
    elif plan.write is not None:
        result.keys_updated += 1
    else:
        result.keys_unchanged += 1
    result.values_written += plan.values_written
    if plan.conflicts:
        result.conflict_count += len(plan.conflicts)
        kept = [each for each in plan.conflicts if each.kept == "existing"]
        result.texts_not_taken += len(kept)
        result.conflicts += plan.conflicts[: LISTED_LIMIT - len(result.conflicts)]
    warn(result, plan.warnings)


def warn(result: ImportResult, warnings: Sequence[str]) -> None:
    """Add warnings, up to the limit of the list."""
    for warning in warnings[: LISTED_LIMIT - len(result.warnings)]:
        result.warnings.append(truncate(warning))


def _is_settled(
    row: StoredValue, new: ImportedKey, rules: ImportRules, tag: str, form: str | None
) -> bool:
    """Return whether writing the stored text again would change nothing, or confirm a
    text that the file had before the source text changed."""
    if row.is_outdated:
        base = _base(new, tag, form)
        is_old = _is_base(new, tag, form, base, row.value)
        if not (is_old and rules.on_conflict == "auto"):
            return False
    status = status_of_write(
        "import",
        approver=rules.may_approve,
        needs_review=row.language_code in new.review,
    )
    return row.status in (status, "approved")


def _texts(
    new: ImportedKey, stored: Stored, rules: ImportRules
) -> tuple[Mapping[str, Text], list[str]]:
    """Return the file's texts, with the source text beside a translation where the
    project has none, or a warning if that may not be written."""
    language = rules.source_language
    if new.source is None or language in new.values:
        return new.values, []
    if any(tag == language and row.value for (tag, _), row in stored.items()):
        return new.values, []
    if rules.fill_source:
        return {language: new.source, **new.values}, []
    reason = f"as {language} is not assigned to you"
    return new.values, [f"{new.name}: its source text is left out, {reason}"]


def _forms(text: Text, *, is_plural: bool) -> dict[str | None, str]:
    """Return a text by plural form, as its key has it.

    A plain text of a plural key is its ``other``, and of forms for a key without
    plurals only ``other`` is used.
    """
    if isinstance(text, str):
        return {"other" if is_plural else None: text}
    if is_plural:
        return dict(text.items())
    return {None: text["other"]} if text.get("other") else {}


def _text_of(row: StoredValue) -> str:
    """Return the text; of one whose clearing is pending, the approved text."""
    return row.value or row.approved_value or ""


def _keep_singular(
    new: ImportedKey,
    stored: Stored,
    texts: Mapping[str, Text],
    rules: ImportRules,
) -> KeyPlan:
    rows = {tag: row for (tag, _), row in stored.items()}
    conflicts = [
        _conflict(
            new.name,
            tag,
            form,
            None,
            _text_of(rows[tag]) if tag in rows else "",
            one,
            taken=False,
        )
        for tag, text in texts.items()
        for form, one in _forms(text, is_plural=True).items()
        if tag not in rows or _text_of(rows[tag]) != one
    ]
    reason = (
        "onConflict overwrite" if rules.may_describe else "the permission key_update"
    )
    warning = f"{new.name}: is plural only in the file; making it plural needs {reason}"
    return KeyPlan(None, 0, conflicts, [warning, *_idle(new, conflicts)])


def _idle(new: ImportedKey, conflicts: Sequence[Conflict]) -> list[str]:
    """Return warnings of the resolutions that decide nothing."""
    places = {(each.language_code, each.plural_form or "") for each in conflicts}
    return [
        f"{new.name}: its resolution for {' '.join(filter(None, (tag, form)))} decides"
        " nothing, as there is no other text"
        for tag, forms in new.decided.items()
        for form in forms
        if (tag, form) not in places
    ]


def is_decided(new: ImportedKey, conflict: Conflict) -> bool:
    """Return whether a resolution chose the text that stands."""
    forms = new.decided.get(conflict.language_code, {})
    return forms.get(conflict.plural_form or "") == conflict.kept


def _described(
    new: ImportedKey, old: StoredKey | None, rules: ImportRules
) -> tuple[dict[str, object], list[str]]:
    """Return the fields of the key that the file sets, and warnings."""
    fields: dict[str, object] = {}
    if old is None:
        fields |= {"description": new.description, "tags": rules.tags}
        fields["format_flags"] = new.format_flags
        if new.file_key is not None:
            fields["file_key"] = new.file_key
        if new.max_length is not None:
            fields["max_length"] = new.max_length
        return fields, []
    overwrites = not old.description or rules.on_conflict == "overwrite"
    if new.file_key is not None and old.file_key is None:
        fields["file_key"] = new.file_key
    if new.description not in ("", old.description) and overwrites:
        fields["description"] = new.description
    is_open = old.max_length is None or rules.on_conflict == "overwrite"
    if new.max_length not in (None, old.max_length) and is_open:
        fields["max_length"] = new.max_length
    tags = tuple(dict.fromkeys((*old.tags, *rules.tags)))
    if tags != old.tags:
        fields["tags"] = tags
    if fields and not rules.may_describe:
        warning = f"{new.name}: description and tags stay, as key_update is missing"
        return {}, [warning]
    if rules.may_describe and new.format_flags not in ((), old.format_flags):
        fields["format_flags"] = new.format_flags
    if len(tags) > TAGS_MOST:
        fields.pop("tags", None)
        warning = f"{new.name}: would have more than {TAGS_MOST} tags; its tags stay"
        return fields, [warning]
    return fields, []


def _text(forms: Mapping[str | None, str]) -> Text:
    if None in forms:
        return forms[None]
    return {form: text for form, text in forms.items() if form is not None}


def _decide(
    new: ImportedKey,
    tag: str,
    form: str | None,
    row: StoredValue,
    imported: str,
    rules: ImportRules,
) -> tuple[Conflict | None, bool]:
    """Return the conflict of two texts that differ, if it is one, and whether the
    file's is taken."""
    existing = _text_of(row)
    if existing == imported:
        return None, rules.on_conflict == "overwrite"
    base = _base(new, tag, form)
    taken = rules.on_conflict == "overwrite"
    resolved = new.decided.get(tag, {}).get(form or "")
    if resolved is not None:
        taken = resolved == "imported"
    elif rules.on_conflict == "auto":
        if _is_base(new, tag, form, base, imported):
            return None, False
        if _is_base(new, tag, form, base, existing):
            return None, True
        taken = tag == rules.source_language
    return _conflict(new.name, tag, form, base, existing, imported, taken=taken), taken


def _base(new: ImportedKey, tag: str, form: str | None) -> str | None:
    """Return the text that the file last brought; None if the client saw another."""
    text = _form_in(new.base.get(tag), form)
    seen = new.seen.get(tag)
    if seen is not None and text is not None and _hash_in(seen, form) != digest(text):
        return None
    return text


def _is_base(
    new: ImportedKey, tag: str, form: str | None, base: str | None, text: str
) -> bool:
    """Return whether the text is the base: by hash what the client saw last, if it
    said so, else what the file last brought, on either side of a merge."""
    seen = new.seen.get(tag)
    if seen is not None:
        return _hash_in(seen, form) == digest(text)
    return text in (base, _form_in(new.other_base.get(tag), form))


def _form_in(text: Text | None, form: str | None) -> str | None:
    """Return a form of what a file brought; a plain text is its ``other``."""
    if text is not None and not isinstance(text, str):
        return text.get(form or "other")
    return text if form in (None, "other") else None


def _hash_in(seen: Mapping[str, str], form: str | None) -> str | None:
    """Return what the client saw of a form. A text that is plural only on one side is
    the form ``other``."""
    if form not in (None, "other"):
        return seen.get(form)
    return seen.get(form or "", seen.get("" if form else "other"))


SeenTexts = Mapping[tuple[str, str, str | None, str], str]
"""Texts of a history by key id, language, plural form and hash."""


def with_bases(
    plan: KeyPlan, new: ImportedKey, key_id: str, texts: SeenTexts
) -> KeyPlan:
    """Return the plan with the texts that the client saw last in its conflicts."""
    conflicts = []
    for each in plan.conflicts:
        form = each.plural_form
        seen = _hash_in(new.seen.get(each.language_code, {}), form)
        base = texts.get((key_id, each.language_code, form, seen or ""))
        conflicts.append(each if base is None else replace(each, base=base))
    return replace(plan, conflicts=conflicts)


def digest(text: str) -> str:
    """Return the hash of a text as clients send it."""
    return sha256(text.encode()).hexdigest()


def _conflict(
    name: str,
    tag: str,
    form: str | None,
    base: str | None,
    existing: str,
    imported: str,
    *,
    taken: bool,
) -> Conflict:
    kept: Literal["existing", "imported"] = "imported" if taken else "existing"
    return Conflict(name, tag, form, base, existing, imported, kept)


def warning_headers(warnings: Sequence[str]) -> dict[str, str]:
    """Return the warnings of an export as headers, because its body is the file.

    The count, and a JSON list in ASCII of the first warnings, each cut to 200
    characters, as many as fit.
    """
    headers = {WARNING_COUNT_HEADER: str(len(warnings))}
    listed, size = [], len("[]")
    for warning in warnings:
        text = json.dumps(truncate(warning)).replace("\x7f", "\\u007f")
        size += len(text) + len(", ")
        if size > HEADER_BYTES_LIMIT:
            break
        listed.append(text)
    if listed:
        headers[WARNINGS_HEADER] = f"[{', '.join(listed)}]"
    return headers
