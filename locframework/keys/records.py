"""Keys, their values, and what may be asked of them (service.md, decisions 2.3)."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from locframework.events import Actor, ActorType
from locframework.fields import TimeInput, Timestamp
from locframework.formats.records import Detail, Text
from locframework.http.responses import Link
from locframework.pagination import (
    ByDeletion,
    CursorPage,
    GivenCursor,
    PageRequest,
    SortedRequest,
)
from locframework.projects.records import Checks, Severity
from locframework.quality.check import Finding, Issue

ValueStatus = Literal["draft", "pending_review", "approved"]
Origin = Literal["human", "tm", "ai", "import", "merge", "revert"]
KeySource = Literal["main", "branch"]

KEY_LENGTH = 500
DESCRIPTION_LENGTH = 1000
TAGS_MOST = 20
TAG_LENGTH = 50
VALUE_BYTES = 64 * 1024

KeyName = Annotated[
    str, Meta(min_length=1, max_length=KEY_LENGTH, examples=["checkout.pay"])
]
KeyDescription = Annotated[
    str, Meta(max_length=DESCRIPTION_LENGTH, examples=["The button under the cart"])
]
Tag = Annotated[str, Meta(max_length=TAG_LENGTH, examples=["button"])]
Tags = Annotated[list[Tag], Meta(max_length=TAGS_MOST)]
LONGEST_MAX_LENGTH = 65_536
MaxLength = Annotated[
    int,
    Meta(
        ge=1,
        le=LONGEST_MAX_LENGTH,
        description="How many characters (code points) a text of the key may have",
        examples=[30],
    ),
]
Outdated = Annotated[
    bool, Meta(description="true: keys with an outdated value; false: without any")
]
HasIssues = Annotated[
    bool, Meta(description="true: keys with a finding in any form; false: without any")
]
_ANY_FORM = "Keys with this status in any form; statistics count by the worst form"
StatusFilter = Annotated[
    Literal["draft", "pending_review", "approved", "untranslated"],
    Meta(description=_ANY_FORM),
]
KeySort = Literal["key", "-key", "createdAt", "-createdAt", "updatedAt", "-updatedAt"]
ValueText = str | dict[str, str]
Values = Annotated[dict[str, ValueText], Meta(examples=[{"en": "Pay", "de": "Zahlen"}])]


class KeyValue(Struct, frozen=True, gc=False, rename="camel"):
    """One text of a key, as the single-key read lists it (service.md, Key value)."""

    language_code: str
    value: str
    status: ValueStatus
    plural_form: str | None
    is_outdated: bool


class Key(Struct, frozen=True, gc=False, rename="camel"):
    """A key (service.md, Key). ``values`` is in reads that include them."""

    id: str
    project_id: str
    key: str
    description: str
    tags: tuple[str, ...]
    is_plural: bool
    screenshot_url: Link | None
    screenshot_file_id: str | None
    key_source: KeySource
    created_at: Timestamp
    updated_at: Timestamp
    values: list[KeyValue] | UnsetType = UNSET


ValueSlot = tuple[str, str | None]
"""Language code and plural form of a value; the form of a key without plurals is
None."""


class StoredKey(Key, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A key with what only its detail shows."""

    max_length: int | None = None
    disabled_checks: tuple[str, ...] = ()
    file_key: str | None = None
    format_flags: tuple[str, ...] = ()  # "qt-format"; files say them, people do not


class KeyDetail(Struct, frozen=True, rename="camel"):
    """What a key has beyond service.md's record."""

    max_length: int | None
    disabled_checks: tuple[str, ...]
    file_key: str | None  # what files call it, where that is no legal key
    file_details: dict[str, Detail] = {}
    """What files say of it beyond our model, the same in all languages, by family of
    formats."""


class KeyFields(Struct, frozen=True, rename="camel"):
    """The fields of a key, apart from its values."""

    key: str
    description: str
    tags: tuple[str, ...]
    is_plural: bool
    screenshot_file_id: str | None
    max_length: int | None = None
    disabled_checks: tuple[str, ...] = ()
    file_key: str | None = None


Field = Literal[
    "key", "value", "description", "tags", "isPlural", "maxLength", "disabledChecks",
    "screenshotFileId", "fileKey", "formatFlags",
]  # fmt: skip
"""What of a key can change apart from the rest; a value once more by language and
plural form."""


class TrashedKey(Key, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A key in the trash, as it was; ``updatedAt`` is that of its last change."""

    deleted_at: Timestamp
    deleted_by: str | None  # actor id; null: deleted before this was kept


RevisionStatus = Literal[ValueStatus, "untranslated"]


class Revision(Struct, frozen=True, gc=False):
    """A value as it was at one revision; ``untranslated``: it was cleared.

    The newest revision of a value is the value itself. Older ones, and those that
    cleared it, are stored apart.
    """

    key_id: str
    language_code: str
    plural_form: str | None  # None for a key without plurals
    value: str
    status: RevisionStatus
    is_outdated: bool  # of an older one: when the next revision was written
    revision: int  # up with each change, also after the value was cleared
    origin: Origin
    approved_value: str | None
    approved_at: Timestamp | None
    approved_by: str | None  # actor id
    updated_at: Timestamp
    updated_by: str  # actor id
    actor_type: ActorType = "user"  # of updated_by
    reason: str | None = None  # given by the reviewer who rejected another text
    note: str | None = None  # of a plugin, on the last change
    approved_outdated: bool = False  # the approved text, while another is pending
    keeps_fresh: bool = False  # of a source text: its approval outdates nothing


class StoredValue(Revision, frozen=True, gc=False):
    """A value as it is stored: the newest text and the last approved one.

    ``value`` is what people see; while ``status`` is not approved,
    ``approved_value`` is what is delivered. A row with ``value`` "" is a proposal to
    clear an approved text; without an approved text no such row is stored.
    """

    status: ValueStatus


class KeyState(Struct, frozen=True):
    """A key with all its texts, as it was at some moment."""

    key: StoredKey
    values: tuple[StoredValue, ...]


class StoredState(KeyState, frozen=True):
    """A key with its values, as read to write it."""

    has_findings: bool = True  # whether any may be stored


BranchKeyKind = Literal["copy", "own"]


class BranchKey(Struct, frozen=True):
    """A key that a branch does not read from main.

    ``copy``: the branch changed or deleted it; ``base`` is the copied state. ``own``:
    created on the branch.
    """

    key_id: str
    kind: BranchKeyKind
    base: KeyState | None = None  # of a copy
    changes: int = 0  # how many fields the branch has for itself


class Dismissal(Struct, frozen=True, gc=False, rename="camel"):
    """What a check found in the texts of a key in a language is no fault.

    It holds while these are the texts, and the source texts, that have the hash.
    """

    key_id: str
    language_code: str
    check: str
    texts_hash: int
    reason: str | None
    dismissed_by: Actor
    dismissed_at: Timestamp

    @property
    def finding(self) -> tuple[int, str]:
        """What of a Finding it is about: the hash of the texts, and the check."""
        return self.texts_hash, self.check


class DismissedIssue(Issue, frozen=True, rename="camel"):
    """A finding that somebody dismissed."""

    reason: str | None
    dismissed_by: Actor
    dismissed_at: Timestamp


PROVENANCE = "ai"
"""The family of details that Provenance is kept as, by plural form as the module."""


class Provenance(Struct, frozen=True, rename="camel"):
    """Where a machine's translation came from."""

    provider: str
    model: str
    job_id: str
    prompt_hash: str  # of what the engine was sent of this text, with its context
    cost: str  # its share of the calls, in the currency of the setting ai_currency


class ValueDetail(KeyValue, frozen=True, rename="camel"):
    """A value of a key, with its review state (decisions 2.3.6)."""

    revision: int
    origin: Origin
    approved_value: str | None
    approved_at: Timestamp | None
    approved_by: str | None
    updated_at: Timestamp
    updated_by: str
    issues: list[Issue]  # by check
    dismissed_issues: list[DismissedIssue]
    provenance: Provenance | UnsetType = UNSET  # of one of the origin ai


class NewKey(Struct, frozen=True, rename="camel"):
    """The body that makes a key (service.md, create a key)."""

    key: KeyName
    description: KeyDescription = ""
    tags: Tags = []
    is_plural: bool = False
    max_length: MaxLength | None = None
    values: Values = {}


class KeyChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a key may name; what is left out stays."""

    key: KeyName | UnsetType = UNSET
    description: KeyDescription | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    is_plural: bool | UnsetType = UNSET
    max_length: MaxLength | UnsetType | None = UNSET
    disabled_checks: Checks | UnsetType = UNSET
    screenshot_file_id: str | UnsetType | None = UNSET


REASON_LENGTH = 1000
RevisionNumber = Annotated[int, Meta(ge=1, le=2**53, examples=[2])]


class Approval(Struct, frozen=True):
    """The body of an approval. ``revision``: what was read; of a plural key also by
    plural form."""

    revision: RevisionNumber | dict[str, RevisionNumber] | None = None


class Rejection(Struct, frozen=True):
    """The body of a rejection."""

    reason: Annotated[str, Meta(max_length=REASON_LENGTH)] | None = None
    revision: RevisionNumber | dict[str, RevisionNumber] | None = None


class NewDismissal(Struct, frozen=True):
    """The body that dismisses what a check found."""

    reason: Annotated[str, Meta(max_length=REASON_LENGTH)] | None = None


BULK_MOST = 500
OnExisting = Literal["fail", "skip", "update"]


class KeyLimits(Struct, frozen=True):
    """How long what a batch says of a key may be."""

    key: KeyName
    description: KeyDescription | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    max_length: MaxLength | UnsetType | None = UNSET


def _of_item(**limits: int) -> Meta:
    """Limits that are told, and judged item by item: a batch is not refused for one."""
    return Meta(extra_json_schema=dict(limits))


_ItemKey = Annotated[str, _of_item(minLength=1, maxLength=KEY_LENGTH)]
_ItemText = Annotated[str, _of_item(maxLength=DESCRIPTION_LENGTH)]
_ItemTag = Annotated[str, _of_item(maxLength=TAG_LENGTH)]
_ItemLimit = Annotated[
    int,
    Meta(ge=-(2**53), le=2**53, extra_json_schema={"minimum": 1, "maximum": 65_536}),
]
_ItemTags = Annotated[list[_ItemTag], _of_item(maxItems=TAGS_MOST)]


class BulkKey(Struct, frozen=True, rename="camel"):
    """One key of a batch; if it exists, what is left out stays."""

    key: _ItemKey
    description: _ItemText | UnsetType = UNSET
    tags: _ItemTags | UnsetType = UNSET
    is_plural: bool | UnsetType = UNSET
    max_length: _ItemLimit | UnsetType | None = UNSET
    values: Values = {}
    keep_fresh: bool = False  # true: a new source text makes no translation outdated


class NewKeys(Struct, frozen=True, rename="camel"):
    """The body that makes many keys."""

    keys: Annotated[list[BulkKey], Meta(min_length=1, max_length=BULK_MOST)]
    on_existing: OnExisting = "skip"


class ItemError(Struct, frozen=True, omit_defaults=True):
    """Why one item of a batch was refused: an error like that of a refused request."""

    code: str
    message: str
    details: object = None


class ItemResult(Struct, frozen=True):
    """The outcome of one item of a batch; ``index`` is its place in the request."""

    index: int
    outcome: Literal["created", "updated", "skipped", "failed"]
    key: Key | None  # with its values; null when failed
    error: ItemError | None


class NewValue(Struct, frozen=True, rename="camel"):
    """The body that sets a value: a text, or texts by plural form."""

    value: ValueText
    keep_fresh: bool = False  # true: other languages do not become outdated


class ValueItem(Struct, frozen=True, rename="camel"):
    """One value of a batch; names its key by ``keyId`` or by ``key``."""

    language_code: str
    value: ValueText
    key_id: str | None = None
    key: str | None = None
    keep_fresh: bool = False


class NewValues(Struct, frozen=True):
    """The body that sets many values."""

    items: Annotated[list[ValueItem], Meta(min_length=1, max_length=BULK_MOST)]


ExpectedRevision = int | Mapping[str, int] | None
"""What a reviewer has read: one number, or one for each plural form that waits."""


class ReviewDecision(Struct, frozen=True, gc=False):
    """A decision on the values of a key in one language, all plural forms at once."""

    language_code: str
    action: Literal["approve", "reject", "withdraw"]
    revision: ExpectedRevision = None  # None: whatever waits
    reason: str | None = None  # of a rejection


class ReviewItem(Struct, frozen=True, rename="camel"):
    """The texts of a key in one language; names its key by ``keyId`` or by ``key``.

    ``revision``: what was read; of a plural key also by plural form.
    """

    language_code: str
    key_id: str | None = None
    key: str | None = None
    revision: RevisionNumber | dict[str, RevisionNumber] | None = None


class BulkReview(Struct, frozen=True):
    """Many texts to approve or to reject; ``reason`` is that of a rejection."""

    decision: Literal["approve", "reject"]
    items: Annotated[list[ReviewItem], Meta(min_length=1, max_length=BULK_MOST)]
    reason: Annotated[str, Meta(max_length=REASON_LENGTH)] | None = None


class KeyWrite(Struct, frozen=True, gc=False):
    """What a write makes of one key, on any path; what it does not name stays."""

    name: str  # of a key to create; else only for messages
    key_id: str | None = None  # None: create it
    fields: Mapping[str, object] = {}
    """New values of attributes of Key; ``key`` renames a key."""
    values: Mapping[str, Text] = {}  # canonical language tag to text; "" clears
    places: Mapping[str, str] = {}  # by tag: where a request has its text, ``$.value``
    review: frozenset[str] = frozenset()  # languages to be reviewed, whoever writes
    keep_fresh: bool = False  # true: a new source text outdates nothing
    new_id: str | None = None  # of a key to create that has an id already,
    created_at: Timestamp | None = None  # and was created then
    stored_values: Mapping[ValueSlot, StoredValue | None] = {}
    """Values to store with their review state and approved text, as a merge does; None
    clears one."""
    keep_approved: frozenset[ValueSlot] = frozenset()
    """Those of ``stored_values`` that, while pending, leave the approved text alone."""
    up_to_date: frozenset[ValueSlot] = frozenset()  # never made outdated
    decision: ReviewDecision | None = None  # on pending values


class KeyWritten(Struct, frozen=True, gc=False):
    """What became of a KeyWrite."""

    key: Key
    outcome: Literal["created", "updated", "unchanged"]
    values_written: int


class KeyQuery(SortedRequest, frozen=True, rename="camel"):
    """What a list of keys is asked by (decisions 2.3)."""

    branch: str | None = None
    search: Annotated[str, Meta(max_length=1000)] | None = None
    prefix: Annotated[str, Meta(max_length=KEY_LENGTH)] | None = None
    tag: Annotated[list[str], Meta(max_length=TAGS_MOST)] = field(default_factory=list)
    language_code: str | None = None
    status: StatusFilter | None = None
    is_outdated: Outdated | None = None
    has_issues: HasIssues | None = None
    is_plural: bool | None = None
    updated_since: TimeInput | None = None
    include: Literal["values", "details"] | None = None
    cursor: GivenCursor | None = None
    sort: KeySort = "key"


class KeyConditions(Struct, frozen=True, rename="camel"):
    """Which keys, as lists of keys have it; every condition that is set must hold."""

    search: Annotated[str, Meta(max_length=1000)] | None = None
    prefix: Annotated[str, Meta(max_length=KEY_LENGTH)] | None = None
    tag: Annotated[list[str], Meta(max_length=TAGS_MOST)] = []
    language_code: str | None = None
    status: StatusFilter | None = None
    is_outdated: bool | None = None
    has_issues: bool | None = None
    is_plural: bool | None = None
    updated_since: TimeInput | None = None

    def query(self) -> KeyQuery:
        """Return the query of a list with these keys."""
        given = {name: getattr(self, name) for name in self.__struct_fields__}
        return KeyQuery(**given)


class KeyPage(CursorPage[Key], frozen=True, rename="camel"):
    """A page of keys."""

    details: dict[str, KeyDetail] | UnsetType = UNSET
    """By id of the key; where the request includes them."""


class TrashQuery(SortedRequest, frozen=True):
    """What the trash is asked by."""

    branch: str | None = None  # a branch's name or id; left out: main
    search: Annotated[str, Meta(max_length=1000)] | None = None
    sort: ByDeletion = "-deletedAt"


class KeyFilter(Struct, frozen=True):
    """Which keys a list holds; every condition that is set must hold."""

    search: str | None = None  # folded (rules.fold); in key, description, any value
    prefix: str | None = None  # of the key, case-sensitive
    tags: tuple[str, ...] = ()  # all of them
    language_code: str | None = None  # of status, is_outdated, has_issues; else any
    status: ValueStatus | Literal["untranslated"] | None = None
    is_outdated: bool | None = None  # True: a value in that status is; False: none
    has_issues: bool | None = None  # that one of ``checks`` found something there
    checks: tuple[str, ...] = ()  # some, where has_issues is said
    is_plural: bool | None = None
    updated_since: Timestamp | None = None  # updated_at >= this
    nothing: bool = False  # True: a condition that no key can meet


KeyLanguage = tuple[str, str]
"""Key id and language code: what a check looks at."""


class KeyFinding(Struct, frozen=True, gc=False):
    """A finding with the key and the language it was made in."""

    key_id: str
    key: str
    language_code: str
    finding: Finding


class ProjectIssue(Struct, frozen=True, gc=False, rename="camel"):
    """A finding of a check in a text (decisions 2.6)."""

    key_id: str
    key: str
    language_code: str
    plural_form: str | None  # null for a key without plurals
    check: str
    severity: Severity
    message: str
    start: Annotated[int, Meta(description="In code points of the text")]
    end: int


class FindingFilter(Struct, frozen=True):
    """Which findings a list holds; every condition that is set must hold."""

    checks: tuple[str, ...]  # of one of these; none: nothing
    language_code: str | None = None
    key_id: str | None = None


class HistoryItem(Struct, frozen=True, rename="camel"):
    """One revision of a value, as its history shows it (decisions 2.3).

    ``actor`` is who caused it: the writer of a text, the reviewer who approved or
    rejected it (``reason``). ``note`` is what plugins noted about the write.
    """

    revision: int
    value: str
    status: RevisionStatus
    origin: Origin
    actor: Actor
    created_at: Timestamp
    plural_form: str | None
    reason: str | None
    note: str | None


def history_item(revision: Revision) -> HistoryItem:
    """The revision as it is shown."""
    return HistoryItem(
        revision=revision.revision,
        value=revision.value,
        status=revision.status,
        origin=revision.origin,
        actor=Actor(revision.actor_type, revision.updated_by),
        created_at=revision.updated_at,
        plural_form=revision.plural_form,
        reason=revision.reason,
        note=revision.note,
    )


class HistoryQuery(PageRequest, frozen=True):
    """What a history is asked by."""

    branch: str | None = None  # a branch's name or id; left out: main


class Reversion(Struct, frozen=True, rename="camel"):
    """The body that brings a revision's text back."""

    revision: RevisionNumber
    plural_form: str | None = None  # of a plural key, where several have that number
    keep_fresh: bool = False  # true: other languages do not become outdated


class Selection(Struct, frozen=True):
    """Which texts of a language are read for a file."""

    min_status: Literal["approved", "best", "any"] = "approved"
    """approved: the approved text; any: the newest one; best: the approved text, and
    where there is none the newest one."""
    module: str | None = None  # first segment of the key; "@root": keys of one segment
    tag: str | None = None


class FileDetail(Struct, frozen=True, gc=False):
    """What a file of one format family says of a key beyond our model.

    Kept so that an export gives it back. ``language_code`` "" is about the key in
    every language. ``key_id`` "" is about the file as a whole, per ``module`` ("" is
    no module).
    """

    project_id: str
    family: str  # of formats: "gettext" of "gettext-po"
    key_id: str
    module: str
    language_code: str
    detail: Detail


class TextRow(Struct, frozen=True, gc=False):
    """One key with its texts in one language, as files are made of them."""

    key_id: str
    key: str
    is_plural: bool
    description: str
    texts: dict[str | None, str]  # by plural form; empty: nothing to deliver
    needs_review: bool  # a text among them is not approved
    file_key: str | None = None
    max_length: int | None = None
    format_flags: tuple[str, ...] = ()
