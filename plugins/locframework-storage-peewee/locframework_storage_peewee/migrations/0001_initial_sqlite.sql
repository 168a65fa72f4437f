-- Substring search in memories: FTS5 tables, and the triggers that update them.
CREATE VIRTUAL TABLE memory_sources USING fts5(
    source_folded, content='memory_entries', content_rowid='number', tokenize='trigram case_sensitive 1'
);
CREATE TRIGGER memory_sources_added AFTER INSERT ON memory_entries BEGIN
    INSERT INTO memory_sources (rowid, source_folded) VALUES (new.number, new.source_folded);
    END;
CREATE TRIGGER memory_sources_removed AFTER DELETE ON memory_entries BEGIN
    INSERT INTO memory_sources (memory_sources, rowid, source_folded)
        VALUES ('delete', old.number, old.source_folded);
    END;
CREATE TRIGGER memory_sources_changed AFTER UPDATE OF source_folded ON memory_entries
    WHEN old.source_folded <> new.source_folded BEGIN
    INSERT INTO memory_sources (memory_sources, rowid, source_folded)
        VALUES ('delete', old.number, old.source_folded);
    INSERT INTO memory_sources (rowid, source_folded) VALUES (new.number, new.source_folded);
    END;

CREATE VIRTUAL TABLE memory_values USING fts5(
    value_folded, content='memory_translations', content_rowid='number', tokenize='trigram case_sensitive 1'
);
CREATE TRIGGER memory_values_added AFTER INSERT ON memory_translations BEGIN
    INSERT INTO memory_values (rowid, value_folded) VALUES (new.number, new.value_folded);
    END;
CREATE TRIGGER memory_values_removed AFTER DELETE ON memory_translations BEGIN
    INSERT INTO memory_values (memory_values, rowid, value_folded)
        VALUES ('delete', old.number, old.value_folded);
    END;
CREATE TRIGGER memory_values_changed AFTER UPDATE OF value_folded ON memory_translations
    WHEN old.value_folded <> new.value_folded BEGIN
    INSERT INTO memory_values (memory_values, rowid, value_folded)
        VALUES ('delete', old.number, old.value_folded);
    INSERT INTO memory_values (rowid, value_folded) VALUES (new.number, new.value_folded);
    END;

-- The same in projects: rows of a key (SEARCH_ROWS), with the texts of its values.
CREATE VIRTUAL TABLE key_search USING fts5(
    text, tokenize='trigram case_sensitive 1', detail=none, columnsize=0
);
