"""What cannot be served stops the start, with a sentence that names it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from locframework.http.operation import (
    DeclarationError,
    camel,
    operation,
    operations_of,
    snake,
)
from locframework.http.records import Accepted, RawBody


class Done(Struct, frozen=True):
    """Done."""

    id: str


class Body(Struct, frozen=True):
    """A body."""

    name: str = ""


def declare(**how: Any) -> Any:
    return operation("GET", **{"permission": None, "tag": "T", **how})


class UnknownArgument:
    @declare(path="/things/{thingId}")
    def get(self, id_: str) -> Done:
        """Get."""


class MissingArgument:
    @declare(path="/things/{thingId}")
    def get(self) -> Done:
        """Get."""


class ReservedName:
    @declare(path="/things/{query}")
    def get(self, query: str) -> Done:
        """Get."""


class NoPermission:
    @operation("GET", "/things", tag="T")
    def get(self) -> Done:
        """Get."""


class PublicWithCaller:
    @operation("GET", "/things", tag="T", public=True)
    def get(self, caller: object) -> Done:
        """Get."""


class BodyOfMany:
    @operation("POST", "/things", tag="T", permission=None)
    def get(self, body: dict[str, str]) -> Done:
        """Get."""


class RawQuery:
    @declare(path="/things")
    def get(self, query: RawBody) -> Done:
        """Get."""


@pytest.mark.parametrize(
    "wrong",
    [
        UnknownArgument,
        MissingArgument,
        ReservedName,
        NoPermission,
        PublicWithCaller,
        BodyOfMany,
        RawQuery,
    ],
)
def test_a_declaration_that_does_not_fit_names_its_method(wrong):
    with pytest.raises(DeclarationError, match=rf"{wrong.__name__}\.get: "):
        list(operations_of(wrong()))


class Twins:
    @declare(path="/things/{thingId}")
    def get(self, thing_id: str) -> Done:
        """Get."""

    @declare(path="/things/{thingId}")
    def get_again(self, thing_id: str) -> Done:
        """Get."""


class Rival:
    @declare(path="/things/{otherId}")
    def find(self, other_id: str) -> Done:
        """Get."""


class Unrivalled:
    @declare(path="/things/{thingId}")
    def look(self, thing_id: str) -> Done:
        """Look."""


class Stranger:
    @declare(path="/things", permission="thing_fly")
    def fly(self) -> Done:
        """Fly."""


class Unguarded:
    @declare(path="/things/{thingId}", permission="note_read")
    def ask(self, thing_id: str, query: Body) -> Done:
        """Ask."""


class Namesake:
    @declare(path="/other")
    def whoami(self) -> Done:
        """Get."""


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([Twins()], "both have GET /things/{thing_id}"),
        ([Rival(), Unrivalled()], "/things/{thing_id}"),
        ([Stranger()], "the permission 'thing_fly' is unknown"),
        ([Unguarded()], "no permission check for 'thingId'"),
        ([Namesake()], "both have the name whoami"),
    ],
)
def test_operations_that_do_not_fit_together_stop_the_start(build, wrong, sentence):
    with pytest.raises(DeclarationError) as raised:
        build(*wrong)

    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


class Several:
    @declare(path="/b/{thingId}/parts/{partId}")
    def b(self, thing_id: str, part_id: str) -> Done | Accepted[Body] | None:
        """Do b.

        More of it,
        on two lines.
        """

    @operation("POST", "/a", public=True, tag="T", status=201)
    def a(self, body: Body) -> Done:
        """Do a."""

    def no_operation(self) -> None: ...


def test_operations_are_read_from_their_signatures_in_order():
    b, a = operations_of(Several())

    assert (b.name, b.method, b.path) == ("b", "GET", "/b/{thingId}/parts/{partId}")
    assert b.template == "/b/{thing_id}/parts/{part_id}"
    assert (b.summary, b.description) == ("Do b", "More of it,\non two lines.")
    assert b.accepted is Body
    assert b.decodes
    assert (a.public, a.status, a.body) == (True, 201, Body)
    assert a.answer is Done
    assert a.body_optional
    assert a.decodes


def test_names_turn_from_one_case_into_the_other():
    assert snake("projectId") == "project_id"
    assert camel("set_term_translation") == "setTermTranslation"
