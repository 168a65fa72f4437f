"""What a list of issues is asked by."""

from typing import Annotated, Literal

from msgspec import Meta

from locframework.pagination import ByKey, SortedRequest
from locframework.projects.records import CheckName, LanguageTag


class IssueQuery(SortedRequest, frozen=True, rename="camel"):
    """What a list of issues is asked by."""

    branch: str | None = None
    check: CheckName | None = None
    language_code: LanguageTag | None = None
    severity: Literal["error", "warning"] | None = None
    key_id: Annotated[str, Meta(max_length=100)] | None = None
    sort: ByKey = "key"
