"""Mistakes that the contract of storages has to catch, made in the shipped one."""

from locframework_storage_peewee.access import AccessTables
from locframework_storage_peewee.database import Database
from locframework_storage_peewee.delivery import DeliveryTables
from locframework_storage_peewee.events import EventTable
from locframework_storage_peewee.glossaries import GlossaryTables
from locframework_storage_peewee.jobs import JobTable
from locframework_storage_peewee.keys import KeyTables
from locframework_storage_peewee.memory_texts import MemoryTexts
from locframework_storage_peewee.webhook_deliveries import WebhookDeliveries

from tests.testing.honest.storage import (
    TestAccess,
    TestDelivery,
    TestEvents,
    TestGlossaries,
    TestJobs,
    TestKeys,
    TestMemories,
    TestTransactions,
    TestWebhooks,
)

from .mutation import Mutant

MUTANTS = {
    TestMemories: [
        Mutant(
            "finds de in de-AT",
            MemoryTexts._in_values,
            'self._database.among("t.language_code"), (listed,)',
            "'EXISTS (SELECT 1 FROM json_each(?) j WHERE t.language_code LIKE j.value || \\'%\\')', (listed,)",
        ),
        Mutant(
            "shows de-AT for de",
            MemoryTexts._items,
            'among("t.language_code"), (listed(language_codes),)',
            "'EXISTS (SELECT 1 FROM json_each(?) j WHERE t.language_code LIKE j.value || \\'%\\')', (listed(language_codes),)",
        ),
        Mutant(
            "searches all memories",
            MemoryTexts._of,
            '{self._database.among("id")} AND',
            '({self._database.among("id")} OR TRUE) AND',
        ),
        Mutant(
            "searches deleted memories", MemoryTexts._of, " AND deleted_at IS NULL", ""
        ),
        Mutant(
            "the total is that of the page",
            MemoryTexts.search,
            "total = rows[0][1] if rows else 0",
            "total = len(rows)",
        ),
        Mutant(
            "searches sources only",
            MemoryTexts._hits,
            'if asked.search_in == "source":',
            "if True:",
        ),
        Mutant(
            "revisions of deleted memories",
            MemoryTexts.revisions,
            " AND deleted_at IS NULL",
            "",
        ),
        Mutant(
            "removals are no changes", MemoryTexts.changes, "if after:", "if False:"
        ),
        Mutant(
            "changes at the revision again",
            MemoryTexts.changes,
            "AND e.revision > ?",
            "AND e.revision >= ?",
        ),
        Mutant(
            "never Forgotten", MemoryTexts._check_known, "raise Forgotten", "return"
        ),
        Mutant(
            "empty values are applied",
            MemoryTexts.applied_values,
            " AND t.value <> ''",
            "",
        ),
    ],
    TestJobs: [
        Mutant(
            "two claim one job",
            JobTable.claim,
            "{CLAIMABLE} AND",
            "1=1 AND (? OR ?) AND",
        ),
        Mutant(
            "the newest job first",
            JobTable.claim,
            "ORDER BY created_at, id",
            "ORDER BY created_at DESC, id",
        ),
        Mutant(
            "claims jobs of any type",
            JobTable.claim,
            '{self._database.among("type")}',
            "length(?) >= 0",
        ),
        Mutant(
            "attempts are not counted",
            JobTable.claim,
            "attempt = attempt + 1",
            "attempt = 1",
        ),
        Mutant(
            "started anew each time", JobTable.claim, "COALESCE(started_at, ?)", "?"
        ),
        Mutant(
            "the owner of a job does not count",
            JobTable.find,
            "owner_id not in",
            "owner_id and owner_id in",
        ),
        Mutant(
            "a late worker finishes the job",
            JobTable.finish,
            "WHERE {_CURRENT}",
            "WHERE id = ? AND ? > 0",
        ),
        Mutant(
            "a late worker extends its lease",
            JobTable.extend,
            "WHERE {_CURRENT}",
            "WHERE id = ? AND ? > 0",
        ),
        Mutant(
            "items begin at one again",
            JobTable._add_items,
            "first = self._database.rows(last, (job_id,))[0][0] + 1",
            "first = self._database.rows(last, (job_id,))[0][0] * 0 + 1",
        ),
        Mutant(
            "cancelling ends a running job",
            JobTable.request_cancel,
            "CASE status WHEN 'queued' THEN 'cancelled' ELSE status END",
            "'cancelled'",
        ),
    ],
    TestWebhooks: [
        Mutant(
            "a delivery is claimed before it is due",
            WebhookDeliveries.claim,
            "due_at <= ?",
            "due_at <> ?",
        ),
        Mutant(
            "more deliveries than asked for",
            WebhookDeliveries.claim,
            "LIMIT ?{",
            "LIMIT 5 + ?{",
        ),
        Mutant(
            "another owner finishes a delivery",
            WebhookDeliveries.finish,
            "AND attempt = ? AND owner = ?",
            "AND attempt = ? AND ? <> ''",
        ),
        Mutant(
            "attempts in no order",
            WebhookDeliveries._attempts,
            "ORDER BY delivery_id, number",
            "ORDER BY delivery_id, number DESC",
        ),
    ],
    TestAccess: [
        Mutant(
            "e-mail addresses by case",
            AccessTables.find_user_by_email,
            "email.casefold()",
            "email",
        ),
        Mutant(
            "counts members as owners",
            AccessTables.count_owners,
            'MemberRow.role == "owner",',
            "",
        ),
        Mutant(
            "counts inactive owners",
            AccessTables.count_owners,
            "UserRow.is_active,",
            "",
        ),
        Mutant(
            "lists revoked tokens",
            AccessTables.list_tokens,
            "TokenRow.revoked_at.is_null(), ",
            "",
        ),
        Mutant(
            "revokes one token of a family",
            AccessTables.revoke_tokens,
            "TokenRow.id.in_(SQL(_FAMILY, (token_id,)))",
            "TokenRow.id == token_id",
        ),
        Mutant(
            "revokes again",
            AccessTables.revoke_tokens,
            "TokenRow.revoked_at.is_null(), ",
            "",
        ),
        Mutant(
            "projects of other organizations",
            AccessTables.projects_among,
            " if owner == organization_id",
            "",
        ),
    ],
    TestDelivery: [
        Mutant(
            "the first release",
            DeliveryTables.find_release,
            "ReleaseRow.version.desc()",
            "ReleaseRow.version",
        ),
        Mutant(
            "the release itself is before it",
            DeliveryTables.find_release,
            "ReleaseRow.version < before",
            "ReleaseRow.version <= before",
        ),
        Mutant(
            "usage is replaced",
            DeliveryTables.add_usage,
            "requests = delivery_usage.requests + excluded.requests",
            "requests = excluded.requests",
        ),
    ],
    TestGlossaries: [
        Mutant(
            "a link is new each time",
            GlossaryTables.set_link,
            "on_conflict_ignore()) == 1",
            "on_conflict_ignore()) >= 0",
        ),
    ],
    TestEvents: [
        Mutant(
            "the first events are the latest",
            EventTable.stream_events,
            "ORDER BY e.seq DESC LIMIT ?",
            "ORDER BY e.seq LIMIT ?",
        ),
        Mutant(
            "touches of every branch",
            EventTable.touches,
            "if (project, line) == (project_id, branch)",
            "if project == project_id",
        ),
    ],
    TestKeys: [
        Mutant(
            "trashed keys are written",
            KeyTables.save_keys,
            "WHERE id = ? AND deleted_at IS NULL",
            "WHERE id = ?",
        ),
        Mutant(
            "prefixes are ignored",
            KeyTables.names_of,
            'SqlFragment("?", (prefix,))',
            'SqlFragment("?", ("",))',
        ),
    ],
    TestTransactions: [
        Mutant(
            "a part that failed is kept",
            Database._block,
            "if session.writes != writes and session.failure is None:",
            "if False:",
        ),
        Mutant(
            "callbacks before the end",
            Database.after_commit,
            "if not session.depth:",
            "if True:",
        ),
    ],
}
