"""Decides what a key and its texts may be, and what becomes of a written value."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, TypeVar
from unicodedata import normalize

from msgspec import UNSET
from msgspec.structs import astuple, replace

from locframework.errors import (
    InvalidKey,
    InvalidPluralForm,
    LanguageNotInProject,
    NothingPending,
    PluralMismatch,
    ValidationFailed,
    abbreviate,
)
from locframework.events import Actor, ActorType
from locframework.fields import Timestamp
from locframework.formats.records import PLURAL_FORMS, Text
from locframework.languages import canonical_tag

from .key_fields import given_fields
from .records import (
    KEY_LENGTH,
    VALUE_BYTES,
    BulkKey,
    ExpectedRevision,
    Key,
    KeyValue,
    KeyWrite,
    NewKey,
    Origin,
    ReviewDecision,
    Revision,
    StoredValue,
    ValueSlot,
    ValueStatus,
)

V = TypeVar("V", StoredValue, KeyValue)

ROOT_MODULE = "@root"
"""The module of keys with one segment; ``@`` is not legal in keys."""

_READABLE = 40
_SEGMENT = "[A-Za-z0-9_-]+"
_FORM_ORDER = {form: at for at, form in enumerate((None, *PLURAL_FORMS))}


def check_key(key: str, separator: str) -> None:
    """Refuse a key that is empty, too long, or has an illegal segment.

    Source: service.md, Key: 1 to 500 characters; segments only letters, digits, ``_``
    and ``-``, which is ASCII (decisions 2.2, invalid_key).
    """
    if not is_legal_key(key, separator):
        raise InvalidKey(f"key {abbreviate(key)!r}{_fault_of(key, separator)}")


def is_legal_key(key: str, separator: str) -> bool:
    """Return whether a key may have this name."""
    return len(key) <= KEY_LENGTH and bool(_legal_keys(separator).fullmatch(key))


def legal_key(name: str, separator: str, identity: str | None = None) -> str:
    """Return the key for a message that a file calls ``name``.

    That is the name where it is a legal key. Else it is the legal segments that it
    begins with, its first words in lower case, and 12 hexadecimal digits of its hash:
    "Hello world" is ``hello-world-4f3b5f1a5a0c``. ``identity`` is hashed instead where
    several messages have one name; the key then always has the hash.
    """
    if identity is None:
        if is_legal_key(name, separator):
            return name
        identity = name
    start, parts = "", name.split(separator)
    if len(name) <= KEY_LENGTH // 2 and not any(
        p[:1].isspace() or not p for p in parts
    ):
        while len(parts) > 1 and _legal_keys(separator).fullmatch(parts[0]):
            start += parts.pop(0) + separator
    words = _words(separator.join(parts))
    digest = blake2b(
        identity.encode("utf-8", "surrogatepass"), digest_size=6
    ).hexdigest()
    return f"{start}{words}{'-' if words else ''}{digest}"


def _words(text: str) -> str:
    """Return the first words in lower-case kebab, of ASCII; may be empty."""
    plain = normalize("NFKD", text[: 3 * _READABLE].casefold())
    plain = plain.encode("ascii", "ignore").decode()
    kebab = re.sub("[^a-z0-9]+", "-", plain).strip("-")
    if len(kebab) > _READABLE:
        kebab = kebab[: _READABLE + 1].rpartition("-")[0] or kebab[:_READABLE]
    return kebab


@lru_cache(maxsize=16)
def _legal_keys(separator: str) -> re.Pattern[str]:
    return re.compile(rf"{_SEGMENT}(?:{re.escape(separator)}{_SEGMENT})*")


def _fault_of(key: str, separator: str) -> str:
    if not 1 <= len(key) <= KEY_LENGTH:
        return f" must have 1 to {KEY_LENGTH} characters"
    if not all(key.split(separator)):
        return " has an empty segment"
    return ": segments may have only A-Z a-z 0-9 _ -"


def module_of(key: str, separator: str) -> str:
    """The first segment, or ``@root`` for a key of one segment (decisions 2.8)."""
    first, found, _ = key.partition(separator)
    return first if found else ROOT_MODULE


def clean_tags(tags: Sequence[str], path: str = "$.tags") -> tuple[str, ...]:
    """Tags trimmed, each once, in order (decisions 2.3.1). Refuses blank ones."""
    trimmed = [tag.strip() for tag in tags]
    for at, tag in enumerate(trimmed):
        if not tag:
            raise ValidationFailed.at(f"{path}[{at}]", "length", "must not be blank")
    return tuple(dict.fromkeys(trimmed))


def tag_in_project(code: str, codes: Container[str], path: str) -> str:
    """The tag that a body names at ``path``, of the project's own ``codes``.

    What is no tag is no language of the project either. Raises LanguageNotInProject
    (decisions 2.2).
    """
    tag = canonical_tag(code)
    if tag is None or tag not in codes:
        message = f"the project has no language {abbreviate(code)!r}"
        raise LanguageNotInProject(f"{path}: {message}")
    return tag


def texts_by_form(
    text: Text, *, is_plural: bool, path: str = "$.value"
) -> dict[str | None, str]:
    """Return a written text by plural form; of a key without plurals that is None.

    Raises PluralMismatch, and what check_texts raises.
    """
    if isinstance(text, str) == is_plural:
        message = "a key without plurals takes a string"
        if is_plural:
            message = "a plural key takes an object, plural form to text"
        raise PluralMismatch(f"{path}: {message}")
    check_texts(text, path)
    return {None: text} if isinstance(text, str) else dict(text.items())


def check_texts(text: Text, path: str) -> None:
    """Refuse texts that no key can have, with plurals or without.

    Raises InvalidPluralForm, and ValidationFailed for a text over 64 KiB in UTF-8
    (decisions 2.10).
    """
    texts = {None: text} if isinstance(text, str) else text
    for form, one in texts.items():
        if form is not None:
            check_form(form, path)
        if is_too_long(one):
            message = f"must have at most {VALUE_BYTES} bytes in UTF-8"
            at = path if form is None else f"{path}.{form}"
            raise ValidationFailed.at(at, "length", message)


def is_too_long(text: str) -> bool:
    """Return whether a text has more than 64 KiB in UTF-8."""
    size = len(text)
    return size * 4 > VALUE_BYTES and len(text.encode(errors="replace")) > VALUE_BYTES


def check_form(form: str, path: str) -> None:
    """Refuse what is no plural form of CLDR."""
    if form not in PLURAL_FORMS:
        names = ", ".join(PLURAL_FORMS)
        message = f"{abbreviate(form)!r} is not one of {names}"
        raise InvalidPluralForm(f"{path}: {message}")


def apply_write(
    old: StoredValue | None, new: StoredValue, status: ValueStatus
) -> StoredValue | Literal["unchanged"] | None:
    """Return what becomes of a value when ``new.value`` is written with ``status``.

    That is the row to store, None if the value is cleared, or "unchanged". The last
    approved text is stored with a newer one that is not approved (decisions 2.3.3); an
    approved "" clears the value, a pending "" proposes that. A source text outdates no
    translations if it was written so; a pending one, if every proposal since the
    approved text was.
    """
    approved = old.approved_value if old else None
    keeps = old is None or "approved" in (old.status, status) or old.keeps_fresh
    if new.value == "" and (status == "approved" or approved is None):
        return "unchanged" if old is None else None
    if (
        old is not None
        and new.value == old.value
        and not old.is_outdated
        and old.status in (status, "approved")
    ):
        return "unchanged"
    is_final = status == "approved"
    approved_at = old.approved_at if old else None
    approved_by = old.approved_by if old else None
    return replace(
        new,
        status=status,
        is_outdated=False,
        revision=old.revision + 1 if old else 1,
        approved_value=new.value if is_final else approved,
        approved_at=new.updated_at if is_final else approved_at,
        approved_by=new.updated_by if is_final else approved_by,
        approved_outdated=not is_final and is_approved_outdated(old),
        keeps_fresh=new.keeps_fresh and keeps,
    )


def as_revision(
    row: StoredValue, at: Timestamp, by: Actor, **changes: object
) -> StoredValue:
    """Return the row after a change by ``by``."""
    return replace(
        row,
        updated_at=at,
        updated_by=by.id,
        actor_type=by.type,
        reason=None,
        note=None,
        **changes,
    )


def cleared(
    old: StoredValue, *, origin: Origin, at: Timestamp, by: Actor, note: str | None
) -> Revision:
    """Return the revision that records that a value was cleared."""
    gone = as_revision(old, at, by, value="", revision=old.revision + 1, origin=origin)
    nothing = {"approved_value": None, "approved_at": None, "approved_by": None}
    return replace(
        revision_of(gone),
        status="untranslated",
        is_outdated=False,
        note=note,
        **nothing,
    )


def take_over(
    old: StoredValue | None,
    value: StoredValue | None,
    *,
    origin: Origin,
    at: Timestamp,
    by: Actor,
) -> StoredValue | Literal["unchanged"] | None:
    """Return what becomes of a value when another is stored in its place as it is.

    Its revision is none that main or the branch has given to another text.
    """
    if value is None:
        return "unchanged" if old is None else None
    same = "value", "status", "approved_value", "is_outdated"
    if old is not None and all(getattr(old, n) == getattr(value, n) for n in same):
        return "unchanged"
    next_one = old.revision + 1 if old else 1
    return as_revision(
        value, at, by, revision=max(next_one, value.revision), origin=origin
    )


def last_number(slot: ValueSlot, cleared: Mapping[ValueSlot, int]) -> int:
    """Return the revision after which a new value in this slot begins, 0 for none.

    ``cleared``: the last revisions of cleared values. The text without plurals and the
    plural forms share no numbers: each continues where the others ended.
    """
    code, form = slot
    return max(
        (
            number
            for (other, its_form), number in cleared.items()
            if other == code and (its_form == form or None in (its_form, form))
        ),
        default=0,
    )


def new_value(
    key_id: str,
    language_code: str,
    plural_form: str | None,
    value: str,
    *,
    origin: Origin,
    at: Timestamp,
    by: str,
    actor_type: ActorType = "user",
    keeps_fresh: bool = False,
) -> StoredValue:
    """A value as it arrives, before ``written`` says what becomes of it."""
    return StoredValue(
        key_id=key_id,
        language_code=language_code,
        plural_form=plural_form,
        value=value,
        status="pending_review",
        is_outdated=False,
        revision=1,
        origin=origin,
        approved_value=None,
        approved_at=None,
        approved_by=None,
        updated_at=at,
        updated_by=by,
        actor_type=actor_type,
        keeps_fresh=keeps_fresh,
    )


def status_of_write(
    origin: Origin, *, approver: bool, needs_review: bool
) -> ValueStatus:
    """The review state of a write (service.md, States; decisions 2.3.3).

    What a machine or a memory writes is a draft, whoever asked for it.
    """
    if origin in ("ai", "tm"):
        return "draft"
    return "approved" if approver and not needs_review else "pending_review"


def moved_form(value: StoredValue, *, is_plural: bool) -> StoredValue | None:
    """A value after ``isPlural`` was turned: its text moves to ``other`` and back.

    None: a form that a key without plurals has no place for (decisions 2.3.4).
    """
    if is_plural:
        return replace(value, plural_form="other")
    return replace(value, plural_form=None) if value.plural_form == "other" else None


def with_forms_in_order(key: Key) -> Key:
    """A key whose ``values`` are in language order, in that of plural forms as well."""
    if not key.is_plural or not key.values:
        return key
    languages = dict.fromkeys(value.language_code for value in key.values)
    order = {code: at for at, code in enumerate(languages)}
    return replace(key, values=in_order(key.values, order))


def in_order(values: Iterable[V], language_order: Mapping[str, int]) -> list[V]:
    """Values by project language order, then plural form (decisions 2.3.4)."""
    last = len(language_order)

    def place(value: V) -> tuple[int, str, int]:
        code = value.language_code
        return language_order.get(code, last), code, _FORM_ORDER[value.plural_form]

    return sorted(values, key=place)


def shown_value(value: StoredValue) -> KeyValue:
    """The five fields of service.md's Key value."""
    return KeyValue(
        value.language_code,
        value.value,
        value.status,
        value.plural_form,
        value.is_outdated,
    )


def outdated(row: StoredValue) -> StoredValue:
    """Return the value after its source text changed; its approved text is outdated."""
    return replace(with_approved_outdated(row), is_outdated=True)


def with_approved_outdated(row: StoredValue) -> StoredValue:
    """Return a value of a new source text; an older approved text is outdated."""
    waits = row.status != "approved" and row.approved_value is not None
    return replace(row, approved_outdated=waits)


def is_approved_outdated(row: StoredValue | None) -> bool:
    """Whether the approved text, be it the newest or not, is outdated."""
    if row is None or row.approved_value is None:
        return False
    return row.is_outdated if row.status == "approved" else row.approved_outdated


def check_forms(asked: ExpectedRevision) -> None:
    """Refuse what no plural key can have read: InvalidPluralForm."""
    if isinstance(asked, Mapping):
        for form in asked:
            check_form(form, "$.revision")


def check_plurals(asked: ExpectedRevision, *, is_plural: bool) -> None:
    """Refuse plural forms of a key that has none: PluralMismatch."""
    if isinstance(asked, Mapping) and not is_plural:
        raise PluralMismatch("$.revision: a key without plurals takes one number")


def select_reviewable(
    rows: Iterable[StoredValue], decision: ReviewDecision, by: Actor | None = None
) -> list[StoredValue]:
    """Return the values of one language that the decision applies to.

    Values that are not approved can be approved, drafts too, and approved ones that are
    outdated. A draft without an approved text cannot be rejected. Only who wrote a
    pending text (``by``) can withdraw it. Raises NothingPending, also if the decision
    names another revision.
    """
    own = ""
    if decision.action == "withdraw":
        chosen, own = [row for row in rows if _is_proposal_of(row, by)], " of yours"
    else:
        may = _approvable if decision.action == "approve" else _rejectable
        chosen = [row for row in rows if may(row)]
    if not chosen:
        raise NothingPending(f"no text{own} waits for review in this language")
    if not _is_expected(chosen, decision.revision):
        raise NothingPending("another revision waits for review; read the value again")
    return chosen


def approve(row: StoredValue, *, at: Timestamp, by: Actor) -> StoredValue | None:
    """Return the approved value; None if that is a proposal to clear it."""
    if row.value == "":
        return None
    return as_revision(
        row,
        at,
        by,
        status="approved",
        is_outdated=False,
        revision=row.revision + 1,
        approved_value=row.value,
        approved_at=at,
        approved_by=by.id,
        approved_outdated=False,
    )


def reject(
    row: StoredValue, decision: ReviewDecision, *, at: Timestamp, by: Actor
) -> StoredValue:
    """Return the last approved text, outdated or not; else the text as a draft."""
    new = replace(
        as_revision(row, at, by, revision=row.revision + 1), reason=decision.reason
    )
    if row.approved_value is None:
        return replace(new, status="draft")
    return replace(
        new,
        value=row.approved_value,
        status="approved",
        is_outdated=row.approved_outdated,
        approved_outdated=False,
        keeps_fresh=False,
    )


def withdraw(row: StoredValue, *, at: Timestamp, by: Actor) -> StoredValue | None:
    """Return the last approved text; None: there is none, and the value is cleared."""
    if row.approved_value is None:
        return None
    return reject(row, ReviewDecision(row.language_code, "withdraw"), at=at, by=by)


def as_pending(
    old: StoredValue | None, new: StoredValue, *, keeps_fresh: bool
) -> StoredValue:
    """Return an approved value as pending review, with the approved text of ``old``."""
    if new.status != "approved":
        return new
    return replace(
        new,
        status="pending_review",
        approved_value=old.approved_value if old else None,
        approved_at=old.approved_at if old else None,
        approved_by=old.approved_by if old else None,
        approved_outdated=is_approved_outdated(old),
        keeps_fresh=keeps_fresh,
    )


def rebase_pending(old: StoredValue | None, new: StoredValue) -> StoredValue | None:
    """Return a pending value of a branch with the approved text of ``old``, main's.

    That is ``old`` if main approved the same text; None if the branch proposes to clear
    the value, and nothing is approved on main.
    """
    if new.status == "approved":
        return new
    if old is not None and old.status == "approved" and old.value == new.value:
        return old
    approved_value = old.approved_value if old else None
    if new.value == "" and approved_value is None:
        return None
    is_outdated = new.approved_outdated
    if approved_value != new.approved_value:
        is_outdated = is_approved_outdated(old) or (is_outdated and old is not None)
    return replace(
        new,
        approved_value=approved_value,
        approved_at=old.approved_at if old else None,
        approved_by=old.approved_by if old else None,
        approved_outdated=is_outdated and approved_value is not None,
    )


def _approvable(row: StoredValue) -> bool:
    return row.status != "approved" or row.is_outdated


def _rejectable(row: StoredValue) -> bool:
    if row.status == "approved":
        return False
    return row.status == "pending_review" or row.approved_value is not None


def _is_proposal_of(row: StoredValue, by: Actor | None) -> bool:
    """Whether this is the last change of a text that waits for review."""
    is_own = by is not None and (row.actor_type, row.updated_by) == (by.type, by.id)
    return is_own and row.status == "pending_review"


def _is_expected(waiting: Iterable[StoredValue], asked: ExpectedRevision) -> bool:
    """Whether the revisions that wait are those that the reviewer has read."""
    revisions = {row.plural_form: row.revision for row in waiting}
    if asked is None:
        return True
    if not isinstance(asked, Mapping):
        return set(revisions.values()) == {asked}
    return revisions == asked


def new_key_write(new: NewKey, codes: Container[str], separator: str) -> KeyWrite:
    """The write that makes a key. Raises all that is wrong with the body itself:

    InvalidKey, PluralMismatch, InvalidPluralForm, and what ``key_write`` raises.
    """
    check_key(new.key, separator)
    write = key_write(new, codes)
    for tag, text in write.values.items():
        texts_by_form(text, is_plural=new.is_plural, path=write.places[tag])
    return write


def key_write(
    new: NewKey | BulkKey,
    codes: Container[str],
    key_id: str | None = None,
    path: str = "$",
) -> KeyWrite:
    """The write that a body asks for, or a part of it at ``path``.

    ``codes``: the project's languages. Raises LanguageNotInProject, ValidationFailed.
    """
    places = {code: f"{path}.values.{abbreviate(code)}" for code in new.values}
    tags = {code: tag_in_project(code, codes, at) for code, at in places.items()}
    values = {tags[code]: text for code, text in new.values.items()}
    if len(values) < len(new.values):
        message = "names a language twice, in two spellings"
        raise ValidationFailed.at(f"{path}.values", "unique", message)
    fields = given_fields(new)
    del fields["key"]
    if new.tags is not UNSET:
        fields["tags"] = clean_tags(new.tags, f"{path}.tags")
    return KeyWrite(
        name=new.key,
        key_id=key_id,
        fields=fields,
        values=values,
        places={tag: places[code] for code, tag in tags.items()},
    )


def public_key(key: Key, values: list[KeyValue] | None = None) -> Key:
    """Return the key as responses show it, with ``values`` if they are given."""
    *fields, own_values = astuple(key)[: len(Key.__struct_fields__)]
    return Key(*(*fields, own_values if values is None else values))


def revision_of(value: StoredValue) -> Revision:
    """Return the value as a revision, to be stored when another replaces it."""
    return Revision(*astuple(value))


def value_of(revision: Revision) -> StoredValue | None:
    """The value as it stood; None: there was none."""
    if revision.status == "untranslated":
        return None
    return StoredValue(*astuple(revision))
