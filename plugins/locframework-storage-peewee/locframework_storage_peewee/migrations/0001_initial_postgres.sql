-- Only FTS5 needs the rows of memory_translations numbered.
ALTER TABLE memory_translations DROP COLUMN number,
    DROP CONSTRAINT memory_translations_entry_language_code_key,
    ADD PRIMARY KEY (entry, language_code);

-- Substring search. Where the database may not have the extension, searches read whole
-- memories and projects.
DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported
    THEN RAISE WARNING 'no pg_trgm: searches read whole memories and projects';
    END $$;
DO $$ DECLARE
    operators text := (SELECT quote_ident(n.nspname) || '.gin_trgm_ops'
        FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = 'pg_trgm');
    searched text[];
    BEGIN
    IF operators IS NULL THEN RETURN; END IF;
    FOREACH searched SLICE 1 IN ARRAY ARRAY[
        ['memory_sources', 'memory_entries', 'source_folded'],
        ['memory_values', 'memory_translations', 'value_folded'],
        ['keys_by_trigram', 'keys', 'folded'],
        ['key_values_by_trigram', 'key_values', 'folded']
    ] LOOP
        EXECUTE 'CREATE INDEX ' || searched[1] || ' ON ' || searched[2]
            || ' USING gin (' || searched[3] || ' ' || operators || ')';
    END LOOP;
    END $$;

-- Listeners are notified of commits that add jobs or deliveries (Postgres.watch).
CREATE FUNCTION locframework_notify() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NOTIFY locframework_work; RETURN NULL; END $$;
CREATE TRIGGER jobs_notify AFTER INSERT ON jobs
    FOR EACH STATEMENT EXECUTE FUNCTION locframework_notify();
CREATE TRIGGER webhook_deliveries_notify AFTER INSERT ON webhook_deliveries
    FOR EACH STATEMENT EXECUTE FUNCTION locframework_notify();
CREATE TRIGGER waiting_events_notify AFTER INSERT ON waiting_events
    FOR EACH STATEMENT EXECUTE FUNCTION locframework_notify();
