"""What files are made of, and what they say of keys beyond our model."""

from typing import Literal

from msgspec import Struct

from locframework.formats.records import Detail


class Selection(Struct, frozen=True):
    """Which texts of a language are read for a file."""

    min_status: Literal["approved", "any"] = "approved"
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
