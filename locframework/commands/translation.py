"""``locframework translate``: drafts by machine."""

from decimal import Decimal
from typing import Any

import click
import msgspec

from locframework.app import OPERATOR
from locframework.keys.records import KeyConditions
from locframework.machine_translation.records import RunResult, TranslateRequest

from .common import (
    PROJECT,
    CommandFailed,
    Setup,
    common_options,
    counted,
    json_option,
    languages_option,
    progress,
    reference_option,
    run_to_end,
)
from .files import branch_option


@click.command()
@reference_option("project")
@branch_option
@languages_option("A language to translate into; default: all but the source language.")
@click.option("--prefix", metavar="PREFIX", help="Only keys that begin with it.")
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Only keys with this tag."
)
@click.option("--provider", metavar="ID", help="The engine; default: the project's.")
@click.option(
    "--replace-drafts",
    is_flag=True,
    help="Also texts that are drafts, and drafts beside outdated texts.",
)
@click.option("--only-outdated", is_flag=True, help="Only texts that are outdated.")
@click.option(
    "--overwrite-pending", is_flag=True, help="Also texts that wait for a review."
)
@click.option("--no-tm", is_flag=True, help="Do not look in translation memories.")
@click.option("--no-glossary", is_flag=True, help="Do not look in glossaries.")
@click.option("--instructions", default="", help="For engines that read them.")
@click.option("--max-cost", metavar="AMOUNT", help="What the run may cost at most.")
@click.option(
    "--dry-run", is_flag=True, help="Count, and say what it may cost at most."
)
@json_option
@common_options
@click.pass_obj
def translate(
    setup: Setup,
    /,
    reference: str | None,
    branch: str | None,
    languages: tuple[str, ...],
    prefix: str | None,
    tags: tuple[str, ...],
    replace_drafts: bool,
    no_tm: bool,
    no_glossary: bool,
    **given: Any,  # the other fields of TranslateRequest
) -> None:
    """Draft missing texts of a project by machine.

    What people wrote or approved stays. Texts that a translation memory has wholly are
    taken from there. Nothing is published before somebody approves it. The exit code
    is 1 if a text failed; the others stay.

    \b
    Examples:
      locframework translate --language de --dry-run
      locframework translate --language de --language fr --max-cost 2.50
      locframework translate --provider pseudo --language en-XA --branch pseudo
    """
    with setup.framework() as framework:
        project = PROJECT.choose(framework, reference)
        codes = list(languages)
        if not codes:
            there = framework.languages.list_languages(OPERATOR, project.id)
            codes = [each.language_code for each in there if not each.is_source]
        if not codes:
            raise CommandFailed("the project has no language to translate into")
        request = TranslateRequest(
            codes,
            filter=KeyConditions(prefix=prefix, tag=list(tags)),
            only_missing=not replace_drafts,
            use_tm=not no_tm,
            use_glossary=False if no_glossary else None,  # None: as the project says
            **given,
        )
        translation = framework.machine_translation
        job = translation.start_run(OPERATOR, project.id, request, branch=branch)
        with progress("translating") as report:
            job = run_to_end(framework, framework.jobs, project.id, job, report)
    if job.result is None or job.status not in ("succeeded", "partial"):
        reason = job.error.message if job.error else f"the run was {job.status}"
        raise CommandFailed(f"{reason}; what was translated stays")
    result = msgspec.convert(job.result, RunResult)
    for item in result.items:
        if item.outcome == "failed":
            form = f" ({item.plural_form})" if item.plural_form else ""
            place = f"{item.key} in {item.language_code}{form}"
            click.echo(f"Failed: {place}: {item.message or item.reason}", err=True)
    currency = setup.settings().ai_currency
    for code, of_language in result.languages.items():
        cost = f", {of_language.cost} {currency}" if Decimal(of_language.cost) else ""
        setup.say(
            f"{'dry run: ' if result.dry_run else ''}{code}: "
            f"{counted(of_language.translated, 'text')} translated, "
            f"{of_language.skipped} skipped, {of_language.failed} failed{cost}"
        )
    setup.show({"job": job})
    if result.failed:
        raise CommandFailed(f"{counted(result.failed, 'text')} failed")
