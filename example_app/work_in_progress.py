"""Adds work in progress to the demo: reviews, a glossary, a branch, a webhook's log."""

from __future__ import annotations

from msgspec.structs import replace

from locframework import OPERATOR, Framework, hookimpl
from locframework.access.records import Caller, NewMember, NewToken, Organization
from locframework.branches.records import NewBranch
from locframework.glossaries.records import (
    NewGlossary,
    NewTerm,
    NewTranslation,
)
from locframework.keys.records import KeyChanges, KeyQuery, NewKey, NewValue
from locframework.pagination import PageRequest
from locframework.ports import Answer, Post, Transport
from locframework.projects.records import Project
from locframework.webhooks.records import (
    DeliveryQuery,
    NewWebhook,
    Webhook,
    WebhookChanges,
)

ALL = PageRequest(limit=200)
TRANSLATOR = "ines@skerry.example"
BRANCH = "winter-timetable"
GLOSSARY = "Words of Skerry"
PROPOSED = ("passenger", "de", "Fahrgast")
TERMS = (
    NewTerm(
        "crossing",
        notes="One trip of a ferry, from port to port",
        translations={"de": "Überfahrt", "fr": "traversée"},
    ),
    NewTerm("timetable", translations={"de": "Fahrplan", "fr": "horaires"}),
    NewTerm("passenger", translations={"de": "Passagier", "fr": "passager"}),
    NewTerm("Skerry", do_not_translate=True, case_sensitive=True),
    NewTerm("cheap", usage_status="forbidden", notes="Say “lowest price”"),
)
WEBHOOK = NewWebhook(
    "https://receiver.skerry.example/l10n",
    ["translation.updated", "translation.submitted", "key.created"],
    "An example, switched off: its receiver existed only while the demo was made, and "
    "was too busy at first. Give it the URL of your receiver, and switch it on.",
)


class DemoReceiver:
    """A webhook transport that sends nothing, as if a receiver had answered."""

    name = "demo"

    def __init__(self) -> None:
        self.status = 503

    @hookimpl
    def loc_provide_transports(self) -> list[Transport]:
        """Provide this one."""
        return [self]

    def check_url(self, url: str) -> None:
        """Accept every URL."""

    def send(self, post: Post) -> Answer:
        """Return the status."""
        return Answer(self.status, None, 12)


def add_work_in_progress(
    framework: Framework, organization: Organization, project: Project
) -> None:
    """Add texts under review, findings, a glossary, and a branch in conflict.

    The first texts are written while a webhook is on, which has a log afterwards.
    """
    translator = _translator(framework, organization)
    receiver = DemoReceiver()
    settings = replace(framework.settings, webhook_transport=receiver.name)
    with Framework(settings, [receiver]) as local:
        webhook, _ = local.webhooks.create_webhook(OPERATOR, project.id, WEBHOOK)
        tagline = "Le ferry vers toutes les îles"
        _write(local, project, "common.tagline", "fr", tagline, by=translator)
        greeting = "Hallo und willkommen!"
        _write(local, project, "common.greeting", "de", greeting, by=translator)
        _write(local, project, "search.submit", "en", "Find ferries")
        _fill_log(local, webhook, receiver)
    _add_glossary(framework, organization, project, translator)
    _work_on_a_branch(framework, project)


def _translator(framework: Framework, organization: Organization) -> Caller:
    """Return Inês, who writes German and French and cannot approve."""
    organizations, tokens = framework.organizations, framework.tokens
    members = organizations.list_members(OPERATOR, organization.id, ALL).items
    member = next((each for each in members if each.email == TRANSLATOR), None)
    if member is None:
        new = NewMember(
            email=TRANSLATOR,
            role="translator",
            name="Inês",
            assigned_languages=["de", "fr"],
        )
        member = organizations.add_member(OPERATOR, organization.id, new)
    token, text = tokens.create_for_member(
        OPERATOR, organization.id, member.id, NewToken(name="Made with the demo")
    )
    caller = tokens.caller_behind(text)
    assert caller is not None  # the token is new
    tokens.revoke_personal(caller, token.id)
    return caller


def _fill_log(local: Framework, webhook: Webhook, receiver: DemoReceiver) -> None:
    """Fail each delivery once, replay all but the last, and send a test.

    The webhook is switched off in the end.
    """
    where = OPERATOR, webhook.project_id, webhook.id
    local.dispatcher.run_until_idle()
    receiver.status = 204
    _, *others = local.webhooks.list_deliveries(*where, DeliveryQuery()).items
    for delivery in others:
        local.webhooks.replay_delivery(*where, delivery.id)
    local.webhooks.test_webhook(*where)
    local.dispatcher.run_until_idle()
    local.webhooks.update_webhook(*where, WebhookChanges(is_active=False))


def _add_glossary(
    framework: Framework,
    organization: Organization,
    project: Project,
    translator: Caller,
) -> None:
    """Create a glossary that requires approval, with a proposal of the translator."""
    glossaries = framework.glossaries
    new = NewGlossary(
        name=GLOSSARY,
        source_language=project.source_language,
        requires_approval=True,
        organization_id=organization.id,
    )
    glossary_id = glossaries.create_glossary(OPERATOR, new).id
    terms = {
        term.term: framework.terms.create_term(OPERATOR, glossary_id, term)
        for term in TERMS
    }
    glossaries.attach(OPERATOR, project.id, glossary_id)
    word, lang, value = PROPOSED
    framework.terms.set_translation(
        translator, glossary_id, terms[word].id, lang, NewTranslation(value)
    )


def _work_on_a_branch(framework: Framework, project: Project) -> None:
    """Change the German text of a key on main and on the branch: a conflict."""
    key = "common.menu.timetable"
    framework.branches.create_branch(OPERATOR, project.id, NewBranch(BRANCH))
    _write(framework, project, key, "de", "Winterfahrplan", branch=BRANCH)
    key_id = _key_id(framework, project, key)
    about = KeyChanges(description="The menu entry that opens the winter timetable")
    framework.keys.update_key(OPERATOR, project.id, key_id, about, branch=BRANCH)
    banner = NewKey(
        "home.winterBanner",
        description="Above the search, from November to March",
        tags=["banner"],
        values={"en": "Winter timetable is out", "de": "Der Winterfahrplan ist da"},
    )
    framework.keys.create_key(OPERATOR, project.id, banner, branch=BRANCH)
    _write(framework, project, key, "de", "Fahrpläne")


def _write(
    framework: Framework,
    project: Project,
    key: str,
    lang: str,
    text: str,
    *,
    by: Caller = OPERATOR,
    branch: str | None = None,
) -> None:
    key_id = _key_id(framework, project, key)
    framework.keys.set_value(
        by, project.id, key_id, lang, NewValue(text), branch=branch
    )


def _key_id(framework: Framework, project: Project, name: str) -> str:
    found = framework.keys.list_keys(OPERATOR, project.id, KeyQuery(prefix=name))
    return next(key.id for key in found.items if key.key == name)
