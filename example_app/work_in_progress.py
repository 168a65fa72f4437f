"""Adds work in progress to the demo: reviews, a glossary, a branch."""

from locframework import OPERATOR, Framework
from locframework.access.records import Caller, NewMember, NewToken, Organization
from locframework.branches.records import NewBranch
from locframework.glossaries.records import NewGlossary, NewTerm, NewTermTranslation
from locframework.keys.records import KeyChanges, KeyQuery, NewKey, NewValue
from locframework.pagination import PageRequest
from locframework.projects.records import Project

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


def add_work_in_progress(
    framework: Framework, organization: Organization, project: Project
) -> None:
    """Add texts under review, findings, a glossary, and a branch in conflict."""
    translator = _translator(framework, organization)
    tagline = "Le ferry vers toutes les îles"
    _write(framework, project, "common.tagline", "fr", tagline, by=translator)
    greeting = "Hallo und willkommen!"
    _write(framework, project, "common.greeting", "de", greeting, by=translator)
    _write(framework, project, "search.submit", "en", "Find ferries")
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
        translator, glossary_id, terms[word].id, lang, NewTermTranslation(value)
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
