-- Text under conditions is a section of its own, with what its page and the pages above it ask for; `tokens` stand for the
-- conditions in the index, so that a search passes what its visitor is not shown without a look at it.
ALTER TABLE search_pages ADD COLUMN conditions TEXT NOT NULL DEFAULT '[]';
CREATE TABLE search_conditions (
  space TEXT NOT NULL,
  condition TEXT NOT NULL,
  token TEXT NOT NULL,
  PRIMARY KEY (space, condition)
) WITHOUT ROWID;

DROP TRIGGER search_sections_inserted;
DROP TRIGGER search_sections_deleted;
DROP TRIGGER search_sections_transferred;
DROP TRIGGER search_sections_changed;
DROP VIEW search_titles;
DROP VIEW search_headings;
ALTER TABLE search_sections ADD COLUMN conditions TEXT NOT NULL DEFAULT '';
ALTER TABLE search_sections ADD COLUMN tokens TEXT NOT NULL DEFAULT '';
ALTER TABLE search_sections DROP COLUMN scope;
ALTER TABLE search_sections ADD COLUMN scope TEXT GENERATED ALWAYS AS (
  substr(space, instr(space, '_') + 1) || ' ' || substr(organization, instr(organization, '_') + 1)
    || iif(tokens = '', '', ' ' || tokens)) VIRTUAL;
CREATE VIEW search_titles AS SELECT id, scope, title FROM search_sections WHERE title <> '';
CREATE VIEW search_headings AS SELECT id, scope, heading FROM search_sections WHERE heading <> '';

CREATE TRIGGER search_sections_inserted AFTER INSERT ON search_sections BEGIN
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title WHERE new.title <> '';
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading WHERE new.heading <> '';
END;

CREATE TRIGGER search_sections_deleted AFTER DELETE ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title WHERE old.title <> '';
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading WHERE old.heading <> '';
END;

CREATE TRIGGER search_sections_transferred AFTER UPDATE OF organization ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title WHERE old.title <> '';
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title WHERE new.title <> '';
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading WHERE old.heading <> '';
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading WHERE new.heading <> '';
END;

CREATE TRIGGER search_sections_changed AFTER UPDATE OF title, heading, body, tokens ON search_sections
WHEN old.title <> new.title OR old.heading <> new.heading OR old.body <> new.body OR old.tokens <> new.tokens BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title
  WHERE old.title <> '' AND (old.title <> new.title OR old.tokens <> new.tokens);
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title
  WHERE new.title <> '' AND (old.title <> new.title OR old.tokens <> new.tokens);
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading
  WHERE old.heading <> '' AND (old.heading <> new.heading OR old.tokens <> new.tokens);
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading
  WHERE new.heading <> '' AND (old.heading <> new.heading OR old.tokens <> new.tokens);
END;

-- What was indexed before is indexed anew by a job, with its conditions.
INSERT INTO outbox (id, type, actor, request_id, data, created_at)
SELECT 'evt_' || lower(hex(randomblob(10))), 'index_spaces', '', '', '{}', CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE EXISTS (SELECT 1 FROM search_sections);
