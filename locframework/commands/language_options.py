"""Languages that are named on the command line."""

import click

from locframework.languages import canonical_tag, explain_invalid_tag


class Language(click.ParamType[str]):
    """A language by its BCP-47 tag, in canonical spelling."""

    name = "code"

    def convert(
        self,
        value: object,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """The tag. A refusal names the option as it was typed."""
        code = str(value).strip()
        tag = canonical_tag(code)
        if tag is None:
            self.fail(explain_invalid_tag(code), param, ctx)
        return tag


def language_tags(
    context: click.Context, option: click.Parameter, codes: tuple[str, ...]
) -> tuple[str, ...]:
    """Canonical tags, several of them behind one option with commas between them."""
    parts = (part for code in codes for part in code.split(","))
    return tuple(Language().convert(part, option, context) for part in parts)
