"""Webhooks, their deliveries and attempts (decisions 2.7)."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.branches.records import BRANCH_NAME
from locframework.fields import TimeInput, Timestamp
from locframework.outgoing.client import SendError
from locframework.pagination import ByTime, SortedRequest

DisabledReason = Literal["manual", "failing", "gone"]
DeliveryStatus = Literal["pending", "succeeded", "failed"]
Trigger = Literal["auto", "replay", "test"]

ATTEMPT_SECONDS = 20.0  # CHOSEN, decisions 2.7; the Standard Webhooks say 15 to 30
KEPT_BYTES = 1024  # of an answer's body, for the log: decisions 2.7
TYPE_LENGTH = 100

Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        examples=["https://hooks.example.com/l10n"],
        description="https, publicly reachable",
    ),
]
EventTypes = Annotated[
    list[Annotated[str, Meta(max_length=TYPE_LENGTH)]],
    Meta(min_length=1, max_length=100, examples=[["key.created"]]),
]
LanguageCodes = Annotated[list[str], Meta(min_length=1, max_length=500)]
BranchNames = Annotated[
    list[
        Annotated[
            str,
            Meta(
                max_length=100,
                pattern=rf"^\*$(?!\n)|{BRANCH_NAME}",
                description='The name of a branch, "main" or "*"',
            ),
        ]
    ],
    Meta(
        min_length=1,
        max_length=100,
        description='Names of branches, "main" for main; `["*"]`: all',
    ),
]
Description = Annotated[str, Meta(max_length=1000)]


class Webhook(Struct, frozen=True, rename="camel"):
    """A registered URL, and the events that are sent to it."""

    id: str
    project_id: str
    url: str
    description: str
    event_types: tuple[str, ...]
    language_codes: tuple[str, ...] | None  # None: all
    branches: tuple[str, ...] | None  # None: main only; ("*",): all
    is_active: bool
    disabled_reason: DisabledReason | None  # None exactly while it is active
    created_at: Timestamp
    updated_at: Timestamp
    last_delivery_at: Timestamp | None  # of the last attempt, whatever came of it


class SealedSecret(Struct, frozen=True):
    """A signing secret, encrypted; only ``signing.SecretBox`` opens it."""

    key_id: str  # which of the operator's keys sealed it
    sealed: str  # base64
    signs_until: Timestamp | None  # None: the current one


class WebhookHealth(Struct, frozen=True):
    """The failures of an endpoint since its last success."""

    good_at: Timestamp  # of the last success; before one, when it was (re)activated
    failing_since: Timestamp | None = None  # first failure since then; None: none
    failed_at: Timestamp | None = None  # the latest one
    failed_delivery: str | None = None  # the first delivery that failed since then
    failed_others: bool = False  # whether a second one did


class StoredWebhook(Struct, frozen=True):
    """A webhook with its secrets and its health."""

    webhook: Webhook
    organization_id: str
    secrets: tuple[SealedSecret, ...]  # the current one first
    health: WebhookHealth


class NewWebhook(Struct, frozen=True, rename="camel"):
    """The body that makes a webhook."""

    url: Url
    event_types: EventTypes
    description: Description = ""
    language_codes: LanguageCodes | None = None
    branches: BranchNames | None = None
    is_active: bool = True


class WebhookChanges(Struct, frozen=True, rename="camel"):
    """The body that changes a webhook."""

    url: Url | UnsetType = UNSET
    event_types: EventTypes | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    language_codes: LanguageCodes | UnsetType | None = UNSET
    branches: BranchNames | UnsetType | None = UNSET
    is_active: bool | UnsetType = UNSET


class WebhookQuery(SortedRequest, frozen=True):
    """The query of a list of webhooks."""

    sort: ByTime = "-createdAt"


class DeliveryAttempt(Struct, frozen=True, rename="camel"):
    """One attempt to send a delivery. Without ``statusCode`` and ``error`` it is still
    running, or its process was killed."""

    number: int  # counts from 1
    at: Timestamp
    trigger: Trigger
    status_code: int | None
    error: str | None  # why there was no answer: connection_refused, timeout, …
    duration_ms: int | None
    response_body: str | None  # at most the first 1 KiB


class Delivery(Struct, frozen=True, rename="camel"):
    """One event on its way to one webhook."""

    id: str  # the webhook-id: msg_ and 32 hex digits
    webhook_id: str
    event_type: str
    status: DeliveryStatus
    attempts: tuple[DeliveryAttempt, ...]  # oldest first
    next_attempt_at: Timestamp | None  # null once it has ended
    created_at: Timestamp
    payload: Mapping[str, object] | UnsetType = UNSET  # in the single read only


class DeliveryQuery(SortedRequest, frozen=True, rename="camel"):
    """The query of a list of deliveries."""

    status: DeliveryStatus | None = None
    event_type: Annotated[str, Meta(max_length=TYPE_LENGTH)] | None = None
    sort: ByTime = "-createdAt"


class DeliveryFilter(Struct, frozen=True):
    """Selects deliveries of a webhook; every condition that is set must hold."""

    status: DeliveryStatus | None = None
    event_type: str | None = None
    since: Timestamp | None = None  # created_at >= this


class ReplayMany(Struct, frozen=True):
    """The body that sends deliveries again."""

    since: TimeInput | None = None  # those created then or later; None: all
    status: Literal["failed", "succeeded"] = "failed"


class NewDelivery(Struct, frozen=True):
    """A delivery to be inserted; it is due at once."""

    id: str
    webhook_id: str
    project_id: str
    event_type: str
    payload: str  # JSON; these very bytes, in UTF-8, are signed and sent
    created_at: Timestamp
    trigger: Trigger = "auto"


class ClaimedDelivery(Struct, frozen=True):
    """A delivery that this process may send until the lease ends."""

    id: str
    webhook_id: str
    project_id: str
    event_type: str
    payload: str
    created_at: Timestamp
    number: int  # of this attempt; fences off who claimed it before
    trigger: Trigger
    tries: int  # attempts of the plan so far, this one included if it is of the plan
    planned_at: Timestamp | None  # a replay or test: when the plan goes on, if it does
    lost: int = 0  # a replay or test: of the six attempts before, those without end


class AttemptOutcome(Struct, frozen=True):
    """An attempt that has ended, and the new state of its delivery."""

    claimed: ClaimedDelivery
    attempt: DeliveryAttempt
    status: DeliveryStatus
    next_at: Timestamp | None  # pending: when it is tried again
    url: str = ""  # it was sent to; the webhook may have another by now


class WaitingWebhook(Struct, frozen=True):
    """A webhook with due deliveries; their number is counted up to a limit."""

    webhook_id: str
    due: int
    is_failing: bool


class EventType(Struct, frozen=True, rename="camel"):
    """A type of event that webhooks can subscribe to. A plugin names its own
    ``plugin.<its name>.<event>``; ``item_schema`` is a JSON Schema of one item,
    ``example_items`` are 1 to 100 such items."""

    type: str
    description: str
    item_schema: Mapping[str, object]
    example_items: tuple[Mapping[str, object], ...]


class ShownEventType(Struct, frozen=True, rename="camel"):
    """An event type as the API shows it."""

    type: str
    group: str
    description: str
    schema: Mapping[str, object]  # JSON Schema of the payload
    example: Mapping[str, object]  # a payload


class Post(Struct, frozen=True):
    """One attempt to deliver: what is signed, and how long it may take."""

    url: str
    # in this order; Host, Content-Length and Connection are the transport's
    headers: tuple[tuple[str, str], ...]
    body: bytes  # sent as it is
    seconds: float = ATTEMPT_SECONDS  # from looking up the name to the last byte read


class Answer(Struct, frozen=True):
    """The result of an attempt: either a status or an error."""

    status_code: Annotated[int, Meta(ge=100, le=999)] | None
    error: SendError | None
    duration_ms: Annotated[int, Meta(ge=0)]
    retry_after: str | None = None  # the header as it came: printable ASCII, up to 100
    body: bytes = b""  # the first KEPT_BYTES of it as they came, not decompressed
