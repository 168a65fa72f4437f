"""The command ``locframework``: serves, works, inspects, imports and exports."""

from typing import Any

import click

from .common import Setup, common_options, one_line_errors
from .convert import convert
from .files import export, glossary, import_, tm
from .jobs import jobs
from .listeners import listeners
from .maintenance import check_settings, migrate, plugins, recheck, verify
from .management import member, organization, project, token
from .new_plugin import new_plugin
from .plugin_commands import plugin_group, plugin_groups
from .serving import serve, worker
from .translation import translate
from .webhooks import webhooks

__all__ = ["main"]


class MainGroup(click.Group):
    """A group whose commands report errors in one line, without a traceback. Beside its
    own it has those of installed plugins."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or the group of the plugin of this name."""
        return super().get_command(ctx, cmd_name) or plugin_group(cmd_name)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands, then that of plugins."""
        super().format_commands(ctx, formatter)
        rows = [(str(each.name), each.get_short_help_str()) for each in plugin_groups()]
        if rows:
            with formatter.section("Commands of plugins"):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; only exceptions of click leave it."""
        with one_line_errors(ctx.ensure_object(Setup)):
            return super().invoke(ctx)


@click.group(
    cls=MainGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(package_name="locframework")
@common_options
def main() -> None:
    """Localization management: runs the service and helps its operator.

    \b
    To begin:
      locframework migrate
      locframework organization create "Example Ltd" --owner ada@example.com
      locframework project create "Web shop" --source-language en --language de
      locframework serve

    The second command prints the owner's token, only this once. Send it to the API
    as "Authorization: Bearer …". The API describes itself at /api/v1/docs.

    Settings come from a TOML file and from the environment, which takes precedence:
    LOCFRAMEWORK_BASE_URL is base_url, and LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE is
    database in [plugins.peewee].
    """


for command in (
    *(serve, worker, plugins, new_plugin, check_settings, migrate, recheck, verify),
    *(import_, export, convert, translate, tm, glossary),
    *(organization, member, token, project, jobs, webhooks, listeners),
):
    main.add_command(command)
