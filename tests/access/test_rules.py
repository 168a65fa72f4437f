"""What a token is, and what it adds up to."""

import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.access.permissions import (
    ORGANIZATION_WIDE,
    PERMISSIONS,
    ROLES,
    Permissions,
)
from locframework.access.records import (
    Grant,
    Holder,
    Membership,
    Scope,
    StoredToken,
    Token,
)
from locframework.access.rules import check_languages
from locframework.access.service import allows, covers, effective
from locframework.access.tokens import (
    ALPHABET,
    grants_of,
    is_live,
    is_token_text,
    new_token_text,
)
from locframework.errors import ValidationFailed

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


def token(**fields):
    defaults = {
        "id": "t",
        "kind": "personal",
        "name": "ci",
        "prefix": "svc_pat_0000",
        "permissions": ("translation_read", "translation_write"),
        "project_id": None,
        "assigned_languages": None,
        "expires_at": "2026-12-01T00:00:00.000Z",
        "last_used_at": None,
        "created_at": "2026-11-01T00:00:00.000Z",
    }
    return Token(**{**defaults, **fields})


def stored(record, **fields):
    defaults = {
        "token": record,
        "sha256": "00",
        "user_id": "u",
        "organization_id": None,
        "revoked_at": None,
    }
    return StoredToken(**{**defaults, **fields})


def member(**fields):
    defaults = {
        "organization_id": "o",
        "role": "translator",
        "assigned_languages": None,
        "project_ids": None,
    }
    return Membership(**{**defaults, **fields})


def test_a_token_has_its_prefix_36_random_characters_and_6_of_their_crc32():
    text = new_token_text("svc_pat_")

    body, check = text[:-6], text[-6:]
    number = 0
    for letter in check:
        number = number * 62 + ALPHABET.index(letter)
    assert text.startswith("svc_pat_")
    assert len(text) == len("svc_pat_") + 42
    assert number == zlib.crc32(body.encode())
    assert is_token_text(text)
    assert new_token_text("svc_proj_").startswith("svc_proj_")


@given(st.integers(0, 49), st.sampled_from(ALPHABET))
def test_a_token_with_one_character_changed_is_refused_before_any_look_up(at, letter):
    text = new_token_text("svc_pat_")
    changed = text[:at] + letter + text[at + 1 :]

    assert is_token_text(changed) is (changed == text)


@pytest.mark.parametrize("text", ["", "svc_pat_", "svc_pat_ä", "Bearer x", "svc_pat\n"])
def test_junk_is_no_token(text):
    assert not is_token_text(text)


def test_a_token_ends_at_its_expiry_and_when_it_is_revoked():
    live = stored(token())
    expired = stored(token(expires_at="2026-11-21T09:00:00.000Z"))
    revoked = stored(token(), revoked_at="2026-11-20T00:00:00.000Z")

    assert is_live(live, NOW)
    assert not is_live(expired, NOW)
    assert not is_live(revoked, NOW)


@pytest.mark.parametrize(
    ("of_member", "of_token", "together"),
    [
        (None, None, None),
        (("de",), None, {"de"}),
        (None, ("fr",), {"fr"}),
        (("de", "fr"), ("fr", "pl"), {"fr"}),
        ((), None, None),
    ],
)
def test_languages_are_those_of_the_member_and_of_the_token(
    of_member, of_token, together
):
    record = stored(token(assigned_languages=of_token), user_id="u")
    found = member(assigned_languages=of_member)

    [grant] = grants_of(Holder(record, (found,)), Permissions())

    assert grant.languages == together


def test_a_project_token_reaches_its_project_and_nothing_else():
    own = token(kind="project", project_id="p")
    record = stored(own, organization_id="o", user_id=None)

    [grant] = grants_of(Holder(record, ()), Permissions())

    assert covers(grant, Scope("o", "p"))
    assert not covers(grant, Scope("o", "other"))
    assert not covers(grant, Scope("elsewhere", "p"))


def test_who_is_bound_to_projects_sees_the_organization_and_changes_nothing():
    grant = Grant("o", frozenset(PERMISSIONS), project_ids=frozenset({"p"}))

    assert allows(grant, "project_read", Scope("o"))
    assert not allows(grant, "organization_manage", Scope("o"))
    assert not allows(grant, "project_create", Scope("o"))
    assert allows(grant, "project_update", Scope("o", "p"))


def test_effective_is_what_a_scope_of_the_grant_allows():
    for bound in (None, frozenset({"p"})):
        grant = Grant("o", frozenset(PERMISSIONS), project_ids=bound)
        scopes = [Scope("o"), Scope("o", "p")]

        allowed = {
            key for key in PERMISSIONS if any(allows(grant, key, s) for s in scopes)
        }

        assert effective(grant) == allowed
    assert set(PERMISSIONS) - effective(grant) == ORGANIZATION_WIDE


def test_roles_hold_what_decisions_says():
    assert ROLES["viewer"] < ROLES["translator"] < ROLES["reviewer"]
    assert ROLES["reviewer"] < ROLES["developer"] < ROLES["manager"] < ROLES["owner"]
    assert "translation_approve" not in ROLES["translator"]
    assert {"key_create", "key_update", "key_delete"} <= ROLES["developer"]
    assert "member_manage" not in ROLES["manager"]
    assert ROLES["owner"] == set(PERMISSIONS)


def test_assigned_languages_are_kept_canonical_and_once():
    assert check_languages(["pt_br", "pt-BR", "DE"]) == ("pt-BR", "de")
    assert check_languages([]) is None
    with pytest.raises(ValidationFailed, match="not a BCP-47"):
        check_languages(["de", "german language"])
