"""decisions 2.3 and 2.6: what each operation on keys and branches asks for.

The table is written out by hand: what the interface description says of itself is
held to it, and the matrix of access holds every operation to the description.
"""

from .every_operation import rows

KEYS = {  # decisions 2.3
    "POST /keys": "key_create",
    "GET /keys/{keyId}": "translation_read",
    "GET /keys/{keyId}/detail": "translation_read",
    "GET /keys": "translation_read",
    "PATCH /keys/{keyId}": "key_update",
    "DELETE /keys/{keyId}": "key_delete",
    "GET /keys/trash": "translation_read",  # CHOSEN: a list of keys like the other
    "POST /keys/{keyId}/restore": "key_delete",
    "POST /keys/bulk": "key_create",
    "GET /keys/{keyId}/values/{lang}": "translation_read",
    "PUT /keys/{keyId}/values/{lang}": "translation_write",
    "PUT /values": "translation_write",
    "POST /keys/{keyId}/values/{lang}/approve": "translation_approve",
    "POST /keys/{keyId}/values/{lang}/reject": "translation_approve",
    "POST /keys/{keyId}/values/{lang}/withdraw": "translation_write",
    "POST /values/approve": "translation_approve",
    "POST /values/reject": "translation_approve",
    "PUT /keys/{keyId}/values/{lang}/dismissals/{check}": "translation_approve",
    "DELETE /keys/{keyId}/values/{lang}/dismissals/{check}": "translation_approve",
    "GET /keys/{keyId}/values/{lang}/history": "translation_read",
    "POST /keys/{keyId}/values/{lang}/revert": "translation_write",
}
AROUND_KEYS = {  # decisions 2.6
    "GET /branches": "translation_read",
    "POST /branches": "branch_manage",
    "GET /branches/{branch}": "translation_read",
    "DELETE /branches/{branch}": "branch_manage",
    "GET /branches/{branch}/diff": "translation_read",
    "POST /branches/{branch}/merge": "branch_merge",
    "POST /branches/{branch}/update": "branch_manage",
    "GET /statistics": "statistics_read",
    "GET /activity": "audit_read",
    "POST /activity/revert": "translation_approve",
    "POST /files": "key_update",
    "GET /files/{fileId}": "translation_read",
    "GET /issues": "translation_read",
    "POST /checks/preview": "translation_read",
}
TABLE = KEYS | AROUND_KEYS
AREAS = {path.split("/")[1] for path in TABLE}
PROJECT = "/projects/{projectId}"


def test_every_operation_asks_for_the_permission_that_was_decided(sqlite_workspace):
    described = {
        f"{row.method} {row.path.removeprefix(PROJECT)}": row.permission
        for row in rows(sqlite_workspace.owner)
        if row.path.startswith(f"{PROJECT}/") and row.path.split("/")[3] in AREAS
    }

    assert described == TABLE
