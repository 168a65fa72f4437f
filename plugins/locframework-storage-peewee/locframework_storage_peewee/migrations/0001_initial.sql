-- The tables of both databases in SQLite's dialect, which migrator.py translates for
-- PostgreSQL.

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    tm_enabled BOOLEAN NOT NULL,
    delivery_quota TEXT,
    ai_monthly_budget TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX organizations_by_name ON organizations (name, id);
CREATE INDEX organizations_folded ON organizations (folded);

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    is_active BOOLEAN NOT NULL,
    created_at TEXT NOT NULL
);

CREATE TABLE members (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    assigned_languages TEXT,
    project_ids TEXT,
    created_at TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    UNIQUE (user_id, organization_id)
);
CREATE INDEX members_by_role ON members (organization_id, role);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    permissions TEXT NOT NULL,
    project_id TEXT,
    assigned_languages TEXT,
    expires_at TEXT,
    last_used_at TEXT,
    created_at TEXT NOT NULL,
    parent_id TEXT,
    last_used_address TEXT,
    last_used_agent TEXT,
    sha256 TEXT NOT NULL UNIQUE,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    organization_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
    revoked_at TEXT,
    use TEXT NOT NULL
);
CREATE INDEX tokens_of_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX tokens_of_project ON tokens (project_id, created_at, id);
CREATE INDEX tokens_of_user ON tokens (user_id, created_at, id)
    WHERE revoked_at IS NULL;

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    description TEXT NOT NULL,
    source_language TEXT NOT NULL,
    key_separator TEXT NOT NULL,
    main_protected BOOLEAN NOT NULL,
    tm_enabled BOOLEAN NOT NULL,
    blocking_checks TEXT NOT NULL,
    check_severities TEXT NOT NULL,
    disabled_checks TEXT NOT NULL,
    ai TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);
CREATE INDEX projects_by_name ON projects (name, id) WHERE deleted_at IS NULL;
CREATE INDEX projects_deleted ON projects (deleted_at)
    WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX projects_folded ON projects (organization_id, folded)
    WHERE deleted_at IS NULL;
CREATE INDEX projects_of_organization ON projects (organization_id, name, id)
    WHERE deleted_at IS NULL;

CREATE TABLE lines (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key_count INTEGER NOT NULL,
    last_key INTEGER NOT NULL DEFAULT 0,
    trashed_at TEXT NOT NULL DEFAULT ''
);
CREATE INDEX lines_of_project ON lines (project_id);

CREATE TABLE languages (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    language_code TEXT NOT NULL,
    label TEXT NOT NULL,
    icon TEXT,
    direction TEXT NOT NULL,
    is_source BOOLEAN NOT NULL,
    fallback_language_code TEXT,
    plural_forms TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (project_id, language_code)
);
CREATE INDEX languages_in_order ON languages (project_id, id);

CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    project_id TEXT,
    branch TEXT,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    items TEXT NOT NULL,
    created_at TEXT NOT NULL,
    job_id TEXT,
    merge_of TEXT
);
CREATE INDEX events_by_time ON events (project_id, created_at, seq);
CREATE INDEX events_of_actor ON events (project_id, actor_id, seq);
CREATE INDEX events_of_job ON events (project_id, job_id, seq)
    WHERE job_id IS NOT NULL;
CREATE INDEX events_of_merge ON events (project_id, merge_of, seq)
    WHERE merge_of IS NOT NULL;
CREATE INDEX events_of_project ON events (project_id, seq);

CREATE TABLE event_keys (
    key_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    trace TEXT,
    PRIMARY KEY (key_id, seq)
) WITHOUT ROWID;

CREATE TABLE event_listeners (
    plugin TEXT PRIMARY KEY,
    owner TEXT,
    due_at TEXT NOT NULL,
    failures INTEGER NOT NULL,
    seen_at TEXT NOT NULL
);

CREATE TABLE waiting_events (
    plugin TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (plugin, seq)
) WITHOUT ROWID;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    result TEXT,
    error TEXT,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    organization_id TEXT NOT NULL,
    permission TEXT NOT NULL,
    params TEXT NOT NULL,
    caller TEXT NOT NULL,
    owner TEXT,
    lease_until TEXT,
    attempt INTEGER NOT NULL,
    cancel_requested BOOLEAN NOT NULL,
    step TEXT,
    step_attempt INTEGER NOT NULL DEFAULT 0,
    subject_id TEXT
);
CREATE TABLE job_items (
    job_id TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
    number INTEGER NOT NULL,
    item TEXT NOT NULL,
    PRIMARY KEY (job_id, number)
);
CREATE INDEX jobs_about ON jobs (subject_id, created_at, id)
    WHERE subject_id IS NOT NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_of_project
    ON jobs (project_id, created_at, id, permission, status, type);
CREATE INDEX jobs_open ON jobs (created_at, id)
    WHERE status IN ('queued', 'running');

CREATE TABLE idempotency_keys (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    status INTEGER,
    location TEXT,
    content TEXT,
    PRIMARY KEY (owner, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE plugin_entries (
    space TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    organization_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (space, owner_id, key)
);
CREATE INDEX plugin_entries_of_owner ON plugin_entries (owner_id);

CREATE TABLE serving_processes (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    address TEXT NOT NULL,
    pid INTEGER NOT NULL,
    has_own_limits BOOLEAN NOT NULL,
    lease_until TEXT NOT NULL
);

CREATE TABLE blob_notes (
    store TEXT NOT NULL,
    name TEXT NOT NULL,
    byte_size INTEGER NOT NULL,
    keep_until TEXT NOT NULL,
    PRIMARY KEY (store, name)
) WITHOUT ROWID;
CREATE INDEX blob_notes_by_age ON blob_notes (keep_until, store, name);

CREATE TABLE files (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL,
    byte_size INTEGER NOT NULL,
    blob TEXT NOT NULL,
    store TEXT NOT NULL,
    created_at TEXT NOT NULL,
    unused_since TEXT,
    looked_at TEXT NOT NULL
);
CREATE INDEX files_by_blob ON files (blob);
CREATE INDEX files_by_look ON files (looked_at);
CREATE INDEX files_of_project ON files (project_id);
CREATE INDEX files_unused ON files (unused_since) WHERE unused_since IS NOT NULL;

-- Wide tables name projects, keys, memories and entries by number: an index entry is
-- half as long. The number of a key begins with that of its project, so that the rows
-- of a project lie together. Their tables have no foreign keys: PostgreSQL takes as
-- long to check them as to write the values.
CREATE TABLE keys (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL,
    key TEXT NOT NULL,
    is_plural BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT,
    screenshot_url TEXT,
    screenshot_file_id TEXT,
    max_length INTEGER,
    disabled_checks TEXT NOT NULL,
    file_key TEXT,
    format_flags TEXT NOT NULL,
    tags TEXT NOT NULL,
    description TEXT NOT NULL,
    folded TEXT NOT NULL,
    deleted_by TEXT
);
CREATE INDEX keys_by_creation ON keys (project, created_at, id)
    WHERE deleted_at IS NULL;
CREATE INDEX keys_by_file ON keys (screenshot_file_id)
    WHERE screenshot_file_id IS NOT NULL;
CREATE UNIQUE INDEX keys_by_name ON keys (project, key) WHERE deleted_at IS NULL;
CREATE INDEX keys_by_file_key ON keys (project, substr(file_key, 1, 200))
    WHERE file_key IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX keys_with_plurals ON keys (project, key)
    WHERE is_plural AND deleted_at IS NULL;
CREATE INDEX keys_by_update ON keys (project, updated_at, id)
    WHERE deleted_at IS NULL;
CREATE INDEX keys_in_trash ON keys (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX keys_in_trash_of_line ON keys (project, deleted_at, id)
    WHERE deleted_at IS NOT NULL;

CREATE TABLE key_values (
    key_number INTEGER NOT NULL,
    language_code TEXT NOT NULL,
    plural_form TEXT NOT NULL,
    status TEXT NOT NULL,
    is_outdated BOOLEAN NOT NULL,
    revision INTEGER NOT NULL,
    origin TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    approved_at TEXT,
    approved_by TEXT,
    value TEXT NOT NULL,
    approved_value TEXT,
    folded TEXT NOT NULL,
    actor_type TEXT NOT NULL DEFAULT 'user',
    reason TEXT,
    note TEXT,
    words INTEGER NOT NULL DEFAULT 0,
    approved_outdated BOOLEAN NOT NULL DEFAULT FALSE,
    keeps_fresh BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (key_number, language_code, plural_form)
);
CREATE INDEX key_values_by_status
    ON key_values (language_code, status, key_number);
CREATE INDEX key_values_outdated ON key_values (language_code, key_number)
    WHERE is_outdated;

CREATE TABLE value_revisions (
    key_number INTEGER NOT NULL,
    language_code TEXT NOT NULL,
    plural_form TEXT NOT NULL,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL,
    is_outdated BOOLEAN NOT NULL,
    origin TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    approved_at TEXT,
    approved_by TEXT,
    reason TEXT,
    note TEXT,
    value TEXT NOT NULL,
    approved_value TEXT,
    approved_outdated BOOLEAN NOT NULL DEFAULT FALSE,
    keeps_fresh BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (key_number, language_code, plural_form, revision)
);
CREATE INDEX value_revisions_cleared ON value_revisions (key_number)
    WHERE status = 'untranslated';

CREATE TABLE findings (
    key_number INTEGER NOT NULL,
    language_code TEXT NOT NULL,
    place INTEGER NOT NULL,
    project INTEGER NOT NULL,
    key TEXT NOT NULL,
    check_name TEXT NOT NULL,
    plural_form TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    end_at INTEGER NOT NULL,
    texts_hash INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (key_number, language_code, place)
) WITHOUT ROWID;
CREATE INDEX findings_by_key
    ON findings (project, key, language_code, check_name, texts_hash);
CREATE INDEX findings_by_language
    ON findings (project, language_code, key, check_name, texts_hash);

-- they hold for texts, not for rows: main's hold on branches, too
CREATE TABLE dismissals (
    texts_hash INTEGER NOT NULL,
    check_name TEXT NOT NULL,
    line INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    language_code TEXT NOT NULL,
    reason TEXT,
    actor_type TEXT NOT NULL,
    dismissed_by TEXT NOT NULL,
    dismissed_at TEXT NOT NULL,
    PRIMARY KEY (texts_hash, check_name, line)
) WITHOUT ROWID;
CREATE INDEX dismissals_of_key ON dismissals (line, key_id);

CREATE TABLE file_details (
    project INTEGER NOT NULL,
    family TEXT NOT NULL,
    language_code TEXT NOT NULL,
    key_id TEXT NOT NULL,
    module TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (project, family, language_code, key_id, module)
);
CREATE INDEX file_details_of_key ON file_details (key_id);

CREATE TABLE key_tags (
    key_number INTEGER NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (key_number, tag)
) WITHOUT ROWID;
CREATE INDEX key_tags_by_tag ON key_tags (tag, key_number);

CREATE TABLE language_counts (
    line INTEGER NOT NULL,
    language_code TEXT NOT NULL,
    draft INTEGER NOT NULL,
    pending_review INTEGER NOT NULL,
    approved INTEGER NOT NULL,
    outdated INTEGER NOT NULL,
    words INTEGER NOT NULL,
    approved_words INTEGER NOT NULL,
    changed_at TEXT NOT NULL,
    PRIMARY KEY (line, language_code)
) WITHOUT ROWID;

CREATE TABLE branches (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    merged_at TEXT
);
CREATE INDEX branches_ended ON branches (updated_at) WHERE status <> 'open';
CREATE INDEX branches_of_project ON branches (project_id, created_at, id);
CREATE UNIQUE INDEX branches_open ON branches (project_id, name)
    WHERE status = 'open';

CREATE TABLE branch_keys (
    branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
    key_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    base TEXT,
    base_updated_at TEXT,
    changes INTEGER NOT NULL,
    PRIMARY KEY (branch_id, key_id)
) WITHOUT ROWID;
CREATE INDEX branch_keys_by_changes ON branch_keys (branch_id, changes);
CREATE INDEX branch_keys_by_key ON branch_keys (key_id, branch_id);

CREATE TABLE distributions (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    public_key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    channel TEXT NOT NULL,
    format TEXT NOT NULL,
    language_codes TEXT,
    branch TEXT,
    split_by_module BOOLEAN NOT NULL,
    min_status TEXT NOT NULL,
    missing TEXT NOT NULL,
    auto_publish BOOLEAN NOT NULL,
    storage TEXT NOT NULL,
    status TEXT NOT NULL,
    current_release_id TEXT,
    last_version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);
CREATE INDEX distributions_deleted ON distributions (deleted_at)
    WHERE deleted_at IS NOT NULL;
CREATE INDEX distributions_of_project ON distributions (project_id, name, id);

CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    distribution_id TEXT NOT NULL REFERENCES distributions (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    content_hash TEXT,
    file_count INTEGER NOT NULL,
    byte_size INTEGER NOT NULL,
    rolled_back_from INTEGER,
    note TEXT NOT NULL,
    warnings TEXT NOT NULL,
    error TEXT,
    created_by TEXT NOT NULL,
    published_at TEXT,
    storage TEXT NOT NULL,
    snapshot TEXT,
    created_at TEXT NOT NULL DEFAULT '',
    UNIQUE (distribution_id, version)
);
CREATE INDEX releases_building ON releases (distribution_id)
    WHERE status = 'building';

CREATE TABLE release_files (
    release_id TEXT NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    language TEXT NOT NULL,
    module TEXT,
    path TEXT NOT NULL,
    blob TEXT NOT NULL,
    byte_size INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    PRIMARY KEY (release_id, position)
) WITHOUT ROWID;
CREATE INDEX release_files_by_blob ON release_files (blob, release_id);

CREATE TABLE delivery_usage (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    month TEXT NOT NULL,
    requests INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (organization_id, month)
) WITHOUT ROWID;

CREATE TABLE ai_usage (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    month TEXT NOT NULL,
    provider TEXT NOT NULL,
    language_code TEXT NOT NULL,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    cost TEXT NOT NULL,
    translated INTEGER NOT NULL,
    approved INTEGER NOT NULL,
    edited INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    edit_distance INTEGER NOT NULL,
    kept_words INTEGER NOT NULL,
    PRIMARY KEY (project_id, month, provider, language_code)
) WITHOUT ROWID;
CREATE INDEX ai_usage_of_organization ON ai_usage (organization_id, month);

CREATE TABLE glossaries (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    source_language TEXT NOT NULL,
    requires_approval BOOLEAN NOT NULL,
    term_count INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);
CREATE INDEX glossaries_by_name ON glossaries (organization_id, name, id)
    WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX glossaries_folded ON glossaries (organization_id, folded)
    WHERE deleted_at IS NULL;
CREATE INDEX glossaries_in_trash ON glossaries (deleted_at)
    WHERE deleted_at IS NOT NULL;

CREATE TABLE glossary_projects (
    glossary_id TEXT NOT NULL REFERENCES glossaries (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (glossary_id, project_id)
);
CREATE INDEX glossaries_of_project ON glossary_projects (project_id);

CREATE TABLE terms (
    id TEXT PRIMARY KEY,
    glossary_id TEXT NOT NULL REFERENCES glossaries (id),
    term TEXT NOT NULL,
    spelling TEXT NOT NULL,
    do_not_translate BOOLEAN NOT NULL,
    case_sensitive BOOLEAN NOT NULL,
    usage_status TEXT NOT NULL,
    notes TEXT,
    folded TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    listed TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX terms_by_spelling
    ON terms (glossary_id, case_sensitive, spelling);
CREATE INDEX terms_in_order ON terms (glossary_id, listed, id);

CREATE TABLE term_translations (
    term_id TEXT NOT NULL REFERENCES terms (id) ON DELETE CASCADE,
    language_code TEXT NOT NULL,
    value TEXT NOT NULL,
    status TEXT NOT NULL,
    approved_at TEXT,
    proposed_value TEXT,
    folded TEXT NOT NULL,
    PRIMARY KEY (term_id, language_code)
);

CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    source_language TEXT NOT NULL,
    min_match_percentage INTEGER NOT NULL,
    penalties TEXT NOT NULL,
    requires_approval BOOLEAN NOT NULL,
    entry_count INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT,
    forgotten INTEGER NOT NULL DEFAULT 0,
    marked INTEGER NOT NULL DEFAULT 0,
    marked_at TEXT NOT NULL DEFAULT '',
    folded TEXT NOT NULL DEFAULT ''
);
CREATE INDEX memories_deleted ON memories (deleted_at)
    WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX memories_folded ON memories (organization_id, folded)
    WHERE deleted_at IS NULL;
CREATE INDEX memories_of_organization ON memories (organization_id, name, id)
    WHERE deleted_at IS NULL;

CREATE TABLE memory_languages (
    id TEXT PRIMARY KEY,
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    language_code TEXT NOT NULL,
    label TEXT NOT NULL,
    UNIQUE (memory_id, language_code)
);

CREATE TABLE memory_assignments (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    is_read BOOLEAN NOT NULL,
    write_mode TEXT NOT NULL,
    priority INTEGER NOT NULL,
    penalty INTEGER NOT NULL,
    PRIMARY KEY (project_id, memory_id)
);
CREATE INDEX memory_assignments_of ON memory_assignments (memory_id);

CREATE TABLE memory_entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    memory INTEGER NOT NULL,
    digest TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    context TEXT NOT NULL,
    source_text TEXT NOT NULL,
    source_folded TEXT NOT NULL,
    is_learned BOOLEAN NOT NULL DEFAULT FALSE,
    values_digest TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX memory_entries_by_text ON memory_entries (memory, digest);
CREATE INDEX memory_entries_by_update
    ON memory_entries (memory, updated_at, number);
CREATE INDEX memory_entries_changed ON memory_entries (memory, revision);
CREATE INDEX memory_entries_in_order ON memory_entries (memory, number);

CREATE TABLE memory_translations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    entry INTEGER NOT NULL,
    language_code TEXT NOT NULL,
    status TEXT NOT NULL,
    approved_at TEXT,
    updated_at TEXT NOT NULL,
    is_learned BOOLEAN NOT NULL,
    value TEXT NOT NULL,
    proposed_value TEXT,
    value_folded TEXT NOT NULL,
    memory INTEGER NOT NULL DEFAULT 0,
    UNIQUE (entry, language_code)
);
CREATE INDEX memory_translations_by_language
    ON memory_translations (memory, language_code, entry) WHERE value <> '';
CREATE INDEX memory_translations_unsaid
    ON memory_translations (memory, language_code, entry) WHERE value = '';

CREATE TABLE memory_links (
    memory INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    plural_form TEXT NOT NULL,
    project_id TEXT NOT NULL,
    entry INTEGER NOT NULL,
    PRIMARY KEY (memory, key_id, plural_form)
) WITHOUT ROWID;
CREATE INDEX memory_links_of ON memory_links (project_id);
CREATE INDEX memory_links_to ON memory_links (entry);

CREATE TABLE memory_removals (
    memory INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    PRIMARY KEY (memory, revision, entry)
) WITHOUT ROWID;

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    event_types TEXT NOT NULL,
    language_codes TEXT,
    branches TEXT,
    is_active BOOLEAN NOT NULL,
    disabled_reason TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    last_delivery_at TEXT,
    secrets TEXT NOT NULL,
    good_at TEXT NOT NULL,
    failing_since TEXT,
    failed_at TEXT,
    failed_delivery TEXT,
    failed_others BOOLEAN NOT NULL,
    deleted_at TEXT
);
CREATE INDEX webhooks_deleted ON webhooks (deleted_at)
    WHERE deleted_at IS NOT NULL;
CREATE INDEX webhooks_of_project ON webhooks (project_id, created_at, id);

CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    cause TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    due_at TEXT,
    planned_at TEXT,
    owner TEXT,
    created_at TEXT NOT NULL
);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at)
    WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (owner)
    WHERE owner IS NOT NULL;
CREATE INDEX webhook_deliveries_of
    ON webhook_deliveries (webhook_id, created_at, id, status, event_type);
CREATE INDEX webhook_deliveries_project ON webhook_deliveries (project_id);

CREATE TABLE webhook_attempts (
    delivery_id TEXT NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    cause TEXT NOT NULL,
    status_code INTEGER,
    error TEXT,
    duration_ms INTEGER,
    response_body TEXT,
    PRIMARY KEY (delivery_id, number)
) WITHOUT ROWID;
