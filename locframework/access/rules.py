"""Rules of what names of people, organizations and languages may be."""

from collections.abc import Sequence

import msgspec

from locframework.errors import ValidationFailed, abbreviate
from locframework.languages import require_tag
from locframework.validation import check_text

from .records import Email, Member


def is_whole_owner(member: Member) -> bool:
    """Whether the member owns all of the organization: bound to no part of it."""
    bound = member.project_ids is not None or bool(member.assigned_languages)
    return member.role == "owner" and not bound


def check_languages(codes: Sequence[str] | None) -> tuple[str, ...] | None:
    """Assigned languages in canonical spelling; empty means all, which is None."""
    if not codes:
        return None
    tags = [
        require_tag(code, f"$.assignedLanguages[{at}]") for at, code in enumerate(codes)
    ]
    return tuple(dict.fromkeys(tags))


def check_name(name: str, path: str = "$.name") -> str:
    """A name, trimmed. ValidationFailed when nothing but white space is in it."""
    trimmed = name.strip()
    if not trimmed:
        raise ValidationFailed.at(path, "length", "must not be blank")
    return trimmed


def check_email(email: str, path: str = "$.email") -> str:
    """The email, as the API takes one. Raises ValidationFailed."""
    check_text(email, path)
    try:
        return msgspec.convert(email, Email)
    except msgspec.ValidationError:
        message = f"{abbreviate(email)!r} is not an email address"
        raise ValidationFailed.at(path, "email", message) from None
