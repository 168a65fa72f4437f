"""Decides what an import does to each key: pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType

from locframework.errors import InvalidKey, ValidationFailed, abbreviate, truncate
from locframework.formats.records import Text
from locframework.keys.records import TAGS_MOST, Key, KeyWrite, StoredValue
from locframework.keys.rules import check_key, status_of_write

from .records import Conflict, ImportedKey, ImportOptions, ImportResult, OnConflict

LISTED_LIMIT = 100  # conflicts and warnings of a result
WARNING_COUNT_HEADER = "X-Service-Warning-Count"
WARNINGS_HEADER = "X-Service-Warnings"
HEADER_BYTES_LIMIT = 4096  # proxies take 8 KiB of headers in all

Place = tuple[str, str | None]
"""Language code and plural form."""

There = Mapping[Place, StoredValue]
"""The texts of a key as it is."""


def check_module(module: str, separator: str) -> None:
    """Raise InvalidKey unless it can be the first segment of keys (decisions 2.8)."""
    check_key(module, separator)
    if separator in module:
        raise InvalidKey(
            f"a module is one segment, and {abbreviate(module)!r} has several"
        )


def branch_of(options: ImportOptions, named: str | None) -> str | None:
    """The branch to import to: the form or the query names it, or both the same.

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
    fill_source: bool  # may a source text beside a translation become the source value
    may_describe: bool  # may description, tags and plurals of a key there be changed
    may_approve: bool  # are texts written approved
    keep_fresh: bool = False  # do translations of a new source text stay fresh


class KeyPlan(Struct, frozen=True, gc=False):
    """What becomes of one key; ``write`` None: it stays as it is."""

    write: KeyWrite | None
    values_written: int
    conflicts: list[Conflict]
    warnings: list[str]


def plan_key(
    new: ImportedKey,
    old: Key | None,
    values: Iterable[StoredValue],
    rules: ImportRules,
) -> KeyPlan:
    """What the import does to one key.

    ``old`` is the key as it is, None when there is none, and ``values`` are its
    texts. A text that is missing is filled in; one that differs is a conflict, kept
    unless the rules say ``overwrite``. One that is the same is written only if that
    approves it or ends that it is outdated (decisions 2.3.3, 2.3.5). Texts and forms
    that the file does not name stay.
    """
    if old is None:
        return _plan_new(new, rules)
    there = {(row.language_code, row.plural_form): row for row in values}
    turns_plural = new.is_plural and not old.is_plural
    texts = _texts(new, there, rules)
    if turns_plural and not _may_turn(there, rules):
        return _left_singular(new, there, texts, rules)
    if turns_plural:
        there = {(tag, "other"): row for (tag, _), row in there.items()}
    is_plural = old.is_plural or turns_plural
    wanted: dict[str, dict[str | None, str]] = {}
    conflicts = []
    for tag, text in texts.items():
        for form, one in _forms(text, is_plural=is_plural).items():
            existing = there.get((tag, form))
            if existing is not None and existing.value == one:
                if _is_settled(existing, new, rules):
                    continue
            elif existing is not None:
                said = _text_of(existing)
                if said != one:
                    conflicts.append(_conflict(new.name, (tag, form), said, one))
                if rules.on_conflict != "overwrite":
                    continue
            wanted.setdefault(tag, {})[form] = one
    write, warnings = _write(new, old, wanted, rules, turns_plural=turns_plural)
    warnings += _left_out(new, there, rules)
    return KeyPlan(write, sum(map(len, wanted.values())), conflicts, warnings)


def count(result: ImportResult, plan: KeyPlan, *, is_new: bool) -> None:
    """Add what becomes of one key to the result."""
    if is_new:
        result.keys_created += 1
    elif plan.write is not None:
        result.keys_updated += 1
    else:
        result.keys_unchanged += 1
    result.values_written += plan.values_written
    if plan.conflicts:
        result.conflict_count += len(plan.conflicts)
        result.conflicts += plan.conflicts[: LISTED_LIMIT - len(result.conflicts)]
    if plan.warnings:
        warn(result, plan.warnings)


def warn(result: ImportResult, warnings: Iterable[str]) -> None:
    """Add warnings, as long as there is room for them."""
    for warning in warnings:
        if len(result.warnings) < LISTED_LIMIT:
            result.warnings.append(truncate(warning))


def _plan_new(new: ImportedKey, rules: ImportRules) -> KeyPlan:
    """All that the files say: there is nothing that could differ."""
    texts = {
        tag: fitting
        for tag, text in _texts(new, {}, rules).items()
        if (fitting := _fitting(text, is_plural=new.is_plural))
    }
    write = KeyWrite(
        name=new.name,
        description=new.description,
        tags=rules.tags,
        is_plural=new.is_plural,
        values=texts,
        review=_languages(new.review),
        keep_fresh=rules.keep_fresh,
    )
    forms = sum(map(len, texts.values())) if new.is_plural else len(texts)
    return KeyPlan(write, forms, [], _left_out(new, {}, rules))


@lru_cache(maxsize=256)
def _languages(tags: tuple[str, ...]) -> frozenset[str]:
    """The same set each time, as nearly every key has none."""
    return frozenset(tags)


def _is_settled(row: StoredValue, new: ImportedKey, rules: ImportRules) -> bool:
    """Whether writing the text that is there would say nothing new of it."""
    if row.is_outdated:
        return False
    status = status_of_write(
        "import",
        approver=rules.may_approve,
        needs_review=row.language_code in new.review,
    )
    return row.status in (status, "approved")


def _texts(new: ImportedKey, there: There, rules: ImportRules) -> Mapping[str, Text]:
    """The file's texts; with the source text, where the project has none."""
    if not rules.fill_source or (source := _missing_source(new, there, rules)) is None:
        return new.values
    return {rules.source_language: source, **new.values}


def _missing_source(new: ImportedKey, there: There, rules: ImportRules) -> Text | None:
    """The source text beside a translation, where the project has none."""
    language = rules.source_language
    if language in new.values:
        return None
    if any(tag == language and row.value for (tag, _), row in there.items()):
        return None
    return new.source


def _left_out(new: ImportedKey, there: There, rules: ImportRules) -> list[str]:
    """A warning where that source text may not be written."""
    if rules.fill_source or _missing_source(new, there, rules) is None:
        return []
    language = rules.source_language
    return [
        f"{new.name}: its source text is left out, as {language} is not assigned to you"
    ]


def _fitting(text: Text, *, is_plural: bool) -> Text | None:
    """A text as its key takes it; a plain text of a plural key is its ``other``.

    Of forms for a key without plurals only ``other`` has a place.
    """
    if isinstance(text, str):
        return {"other": text} if is_plural else text
    return text if is_plural else text.get("other")


def _forms(text: Text, *, is_plural: bool) -> dict[str | None, str]:
    """The same by plural form."""
    fitting = _fitting(text, is_plural=is_plural)
    if fitting is None:
        return {}
    return {None: fitting} if isinstance(fitting, str) else dict(fitting.items())


def _text_of(row: StoredValue) -> str:
    """What is there; where it waits to be cleared, the approved text still is."""
    return row.value or row.approved_value or ""


def _may_turn(there: There, rules: ImportRules) -> bool:
    """Whether a key without plurals may become plural: never unasked with texts."""
    has_texts = any(row.value for row in there.values())
    is_free = not has_texts or rules.on_conflict == "overwrite"
    return is_free and rules.may_describe


def _left_singular(
    new: ImportedKey,
    there: There,
    texts: Mapping[str, Text],
    rules: ImportRules,
) -> KeyPlan:
    before = {tag: _text_of(row) for (tag, _), row in there.items()}
    conflicts = [
        _conflict(new.name, (tag, form), before.get(tag, ""), one)
        for tag, text in texts.items()
        for form, one in _forms(text, is_plural=True).items()
        if before.get(tag, "") != one
    ]
    reason = (
        "onConflict overwrite" if rules.may_describe else "the permission key_update"
    )
    warning = f"{new.name}: is plural only in the file; making it plural needs {reason}"
    return KeyPlan(None, 0, conflicts, [warning])


def _write(
    new: ImportedKey,
    old: Key,
    wanted: Mapping[str, Mapping[str | None, str]],
    rules: ImportRules,
    *,
    turns_plural: bool,
) -> tuple[KeyWrite | None, list[str]]:
    """The write, or None when it would change nothing; and what was left out."""
    description, tags, warnings = _described(new, old, rules)
    changes = (description, tags) != (UNSET, UNSET) or turns_plural
    if not wanted and not changes:
        return None, warnings
    write = KeyWrite(
        name=new.name,
        key_id=old.id,
        description=description,
        tags=tags,
        is_plural=True if turns_plural else UNSET,
        values={tag: _text(forms) for tag, forms in wanted.items()},
        review=_languages(new.review),
        keep_fresh=rules.keep_fresh,
    )
    return write, warnings


def _described(
    new: ImportedKey, old: Key, rules: ImportRules
) -> tuple[str | UnsetType, tuple[str, ...] | UnsetType, list[str]]:
    description: str | UnsetType = UNSET
    overwrites = not old.description or rules.on_conflict == "overwrite"
    if new.description not in ("", old.description) and overwrites:
        description = new.description
    tags: tuple[str, ...] | UnsetType = UNSET
    both = tuple(dict.fromkeys((*old.tags, *rules.tags)))
    if both != old.tags:
        tags = both
    if (description, tags) == (UNSET, UNSET):
        return UNSET, UNSET, []
    if not rules.may_describe:
        warning = f"{new.name}: description and tags stay, as key_update is missing"
        return UNSET, UNSET, [warning]
    if len(both) > TAGS_MOST:
        warning = f"{new.name}: would have more than {TAGS_MOST} tags; its tags stay"
        return description, UNSET, [warning]
    return description, tags, []


def _text(forms: Mapping[str | None, str]) -> Text:
    if None in forms:
        return forms[None]
    return {form: text for form, text in forms.items() if form is not None}


def _conflict(name: str, place: Place, existing: str, imported: str) -> Conflict:
    tag, form = place
    return Conflict(name, tag, form, truncate(existing), truncate(imported))


def warning_headers(warnings: Sequence[str]) -> dict[str, str]:
    """How the answer of an export tells its warnings, as its body is the file.

    The count is told always; where it is not 0, the first warnings follow as a JSON
    list in ASCII, each cut to 200 characters, as many as fit.
    """
    headers = {WARNING_COUNT_HEADER: str(len(warnings))}
    told, size = [], len("[]")
    for warning in warnings:
        text = json.dumps(truncate(warning)).replace("\x7f", "\\u007f")
        size += len(text) + len(", ")
        if size > HEADER_BYTES_LIMIT:
            break
        told.append(text)
    if told:
        headers[WARNINGS_HEADER] = f"[{', '.join(told)}]"
    return headers
