"""Languages that are named on the command line."""

import click

from locframework.errors import ValidationFailed
from locframework.languages import require_tag


def language_tag(
    context: click.Context, option: click.Parameter, code: str | None
) -> str | None:
    """A canonical tag; a refusal names the option as it was typed."""
    if code is None:
        return None
    try:
        return require_tag(code.strip(), "--language")
    except ValidationFailed as refusal:
        message = refusal.message.removeprefix("--language: ")
        raise click.BadParameter(message) from None


def language_tags(
    context: click.Context, option: click.Parameter, codes: tuple[str, ...]
) -> tuple[str, ...]:
    """Canonical tags, several of them behind one option with commas between them."""
    parts = [part for code in codes for part in code.split(",")]
    tags = (language_tag(context, option, part) for part in parts)
    return tuple(tag for tag in tags if tag is not None)
