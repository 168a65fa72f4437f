"""Runs every check on texts, and survives those that fail."""

import logging
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.projects.records import Project, Severity

from .check import Check
from .records import Finding, Issue, Subject

log = logging.getLogger("locframework.quality")

FINDINGS_MOST = 20  # of one check on the texts of one key in one language
MESSAGE_LENGTH = 300


class Checks:
    """The checks of one application, by name. Findings are the same on every path."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = dict(sorted(checks.items()))
        self._finders = [
            (name, check.find, str(getattr(check, "needs", "")))
            for name, check in self._checks.items()
        ]
        self._failed: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The names that projects may use, sorted."""
        return list(self._checks)

    def findings(
        self, subject: Subject, names: Collection[str] | None = None
    ) -> list[Finding]:
        """What all checks find, by name of the check; how grave is said when read.

        ``names``: what these find, and no other. A check that fails is logged, and has
        found nothing. Costs about 5 µs for a text without placeholders and markup.
        """
        found: list[Finding] = []
        for name, find, needs in self._finders:
            if names is not None and name not in names:
                continue
            try:
                if needs and not getattr(subject, needs):
                    continue
                # a list first: one that fails half way has found nothing
                if some := [*islice(find(subject), FINDINGS_MOST)]:
                    found += [_judged(name, each, subject) for each in some]
            except PLUGIN_EXCEPTIONS:
                self._tell(name, subject)
        return found

    def shown(self, project: Project) -> dict[str, Severity]:
        """How grave the findings of each check are in a project; none that is off.

        What was found by a check that nobody provides any more is not shown.
        """
        said = {
            name: project.check_severities.get(name, check.severity)
            for name, check in self._checks.items()
        }
        return {name: severity for name, severity in said.items() if severity != "off"}

    def issues(
        self, project: Project, found: Iterable[Finding]
    ) -> dict[str | None, list[Issue]]:
        """What is shown of findings, by plural form."""
        severities = self.shown(project)
        issues: dict[str | None, list[Issue]] = {}
        for each in found:
            if each.check in severities:
                issue = Issue(
                    check=each.check,
                    severity=severities[each.check],
                    message=each.message,
                    start=each.start,
                    end=each.end,
                )
                issues.setdefault(each.plural_form, []).append(issue)
        return issues

    def _tell(self, name: str, subject: Subject) -> None:
        """Log a failure; in full only the first time, as imports have many texts."""
        is_new = name not in self._failed
        self._failed.add(name)
        log.error(
            "check %s failed on key %s in %s",
            name,
            subject.key,
            subject.language_code,
            exc_info=is_new,
        )


def _judged(name: str, finding: Finding, subject: Subject) -> Finding:
    """What a check found, made sure of. ValueError for what no text has."""
    if type(finding.start) is not int or type(finding.end) is not int:
        raise ValueError(f"{finding!r} is at no place")
    text = subject.texts.get(finding.plural_form)
    if text is None or not 0 <= finding.start <= finding.end <= len(text):
        raise ValueError(f"{finding!r} is in none of the texts")
    message = finding.message
    if not message or "\0" in message:
        raise ValueError("the message cannot be shown")
    message.encode()  # a lone surrogate is a ValueError as well
    if len(message) > MESSAGE_LENGTH:
        message = message[: MESSAGE_LENGTH - 1] + "…"
    return replace(finding, message=message, check=name)
