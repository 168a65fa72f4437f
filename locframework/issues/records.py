"""What is wrong with the texts of a project, as it is asked for and shown."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.paging import PageRequest
from locframework.projects.records import CheckName, LanguageTag, Severity


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


class IssueQuery(PageRequest, frozen=True, rename="camel"):
    """What a list of issues is asked by."""

    branch: str | None = None
    check: CheckName | None = None
    language_code: LanguageTag | None = None
    severity: Literal["error", "warning"] | None = None
    key_id: Annotated[str, Meta(max_length=100)] | None = None
