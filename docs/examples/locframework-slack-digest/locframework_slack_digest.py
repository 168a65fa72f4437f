"""Tells a Slack channel each morning how many texts of a project wait for review."""

from typing import Annotated

import click
import msgspec
from msgspec import Meta, Struct

from locframework import (
    OPERATOR,
    KeyQuery,
    choose_project,
    hookimpl,
    json_option,
    open_framework,
    print_result,
)
from locframework.ports import (
    Accepted,
    Caller,
    HttpClient,
    HttpRequest,
    JobAnswer,
    OutgoingSettings,
    Permission,
    PluginJob,
    Secret,
    Unavailable,
    UrlNotAllowed,
    ValidationFailed,
    Wrapped,
    operation,
)

NAME = "slack-digest"
SEND = "slack_digest_send"
KEYS_SHOWN = 3  # of each language


class Settings(Struct, forbid_unknown_fields=True):
    """The settings in ``[plugins.slack-digest]``."""

    outgoing: OutgoingSettings = OutgoingSettings()


class ProjectSettings(Struct, rename="camel", forbid_unknown_fields=True):
    """The settings of a project; without ``webhookUrl`` nothing is sent."""

    webhook_url: Secret | None = None
    least_pending: Annotated[int, Meta(ge=1)] = 1


class Waiting(Struct, frozen=True, rename="camel"):
    """What waits for review in a language, with some keys as examples."""

    language_code: str
    pending_review: int
    keys: list[str]


class SlackDigest:
    """The plugin: a permission, two operations, two commands, a job on a schedule."""

    requires_ports = "1"
    settings_type = Settings
    project_settings_type = ProjectSettings

    def __init__(self, settings: Settings) -> None:
        self._client = HttpClient(settings.outgoing)

    @hookimpl
    def loc_on_start(self, framework):
        self._framework, self._own = framework, framework.plugin(NAME)

    @hookimpl
    def loc_provide_permissions(self):
        return [Permission(SEND, "Send digests to Slack", ("reviewer", "developer"))]

    @hookimpl
    def loc_provide_jobs(self):
        return [PluginJob("send", SEND, self.send, cron="0 7 * * mon-fri")]

    @hookimpl
    def loc_provide_endpoints(self):
        return [self]

    @hookimpl
    def loc_provide_commands(self):
        @click.command()
        @click.argument("project")
        @json_option
        def preview(project):
            """Print the digest of a PROJECT."""
            with open_framework():
                count, text = self.text(choose_project(project).id)
                print_result(text, {"pending": count, "text": text})

        @click.command()
        @click.argument("project")
        @json_option
        def send(project):
            """Queue a job that sends the digest of a PROJECT now."""
            with open_framework():
                job = self.start(OPERATOR, choose_project(project).id)
                print_result(f"job {job.id} sends the digest", {"job": job})

        return [preview, send]

    def waiting(self, caller: Caller, project_id: str) -> list[Waiting]:
        """Return what waits for review, by language."""
        statistics = self._framework.statistics.get_statistics(caller, project_id)
        found = []
        for each in statistics.languages:
            if each.pending_review:
                code = each.language_code
                query = KeyQuery(
                    language_code=code, status="pending_review", limit=KEYS_SHOWN
                )
                page = self._framework.keys.list_keys(caller, project_id, query)
                names = [key.key for key in page.items]
                found.append(Waiting(code, each.pending_review, names))
        return found

    def text(self, project_id: str) -> tuple[int, str]:
        """Return how many texts wait, and the message that says so."""
        name = self._framework.projects.get_project(OPERATOR, project_id).name
        waiting = self.waiting(OPERATOR, project_id)
        lines = [f"*{name}*: what waits for review"]
        for each in waiting:
            keys = ", ".join(f"`{key}`" for key in each.keys)
            lines.append(f"• {each.language_code}: {each.pending_review} ({keys}, …)")
        return sum(each.pending_review for each in waiting), "\n".join(lines)

    def start(self, caller: Caller, project_id: str):
        """Start a job that sends the digest, if the project says where."""
        if self._own.settings(project_id).webhook_url is None:
            message = f"is not set: PATCH /projects/{project_id}/plugins/{NAME}"
            raise ValidationFailed.at("$.settings.webhookUrl", "required", message)
        return self._own.start_job(caller, project_id, "send")

    def send(self, job, work):
        """Send the digest of a project, unless too little waits."""
        settings = self._own.settings(job.project_id)
        count, text = self.text(job.project_id)
        if settings.webhook_url is None or count < settings.least_pending:
            return {"pending": count, "sent": False}
        body = msgspec.json.encode({"text": text})
        headers = (("Content-Type", "application/json"),)
        request = HttpRequest("POST", settings.webhook_url, headers, body)
        work.check_cancelled()
        answer = self._client.send(request)
        if answer.error == "url_not_allowed":
            raise UrlNotAllowed("webhookUrl: may not be asked; it must be https")
        if answer.status_code is None or answer.status_code >= 500:
            raise Unavailable(f"Slack did not answer: {answer.error or 'an error'}")
        if answer.status_code >= 300:
            message = f"Slack refused the digest with {answer.status_code}"
            raise ValidationFailed.at("$.settings.webhookUrl", "refused", message)
        with work.step():
            self._own.data(job.project_id).set("last", {"pending": count})
        return {"pending": count, "sent": True}

    @operation("GET", "/projects/{projectId}/waiting", permission="statistics_read")
    def list_waiting(
        self, caller: Caller, project_id: str
    ) -> Annotated[list[Waiting], Wrapped("waiting")]:
        """List what waits for review, by language."""
        return self.waiting(caller, project_id)

    @operation("POST", "/projects/{projectId}/send", permission=SEND, status=202)
    def send_now(self, caller: Caller, project_id: str) -> Accepted[JobAnswer]:
        """Send the digest now."""
        job = self.start(caller, project_id)
        return Accepted(JobAnswer(job), f"/projects/{project_id}/jobs/{job.id}")
