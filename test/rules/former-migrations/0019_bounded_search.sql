-- Nothing that a search does may grow with the installation. Words that begin with 2, 3, 4 or 6 letters have entries of
-- their own, so that no search gathers them; titles and headings are indexes of their own, so that they are found without
-- a look at the texts. Nothing ranks by bm25, which counts all tenants' words, so sizes of columns are not kept.
DROP TRIGGER search_sections_inserted;
DROP TRIGGER search_sections_deleted;
DROP TRIGGER search_sections_transferred;
DROP TABLE search_index;

CREATE VIEW search_titles AS SELECT id, scope, title FROM search_sections WHERE title <> '';
CREATE VIEW search_headings AS SELECT id, scope, heading FROM search_sections WHERE heading <> '';

CREATE VIRTUAL TABLE search_index USING fts5 (
  scope, title, heading, body,
  content = 'search_sections', content_rowid = 'id', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 6'
);
CREATE VIRTUAL TABLE search_index_titles USING fts5 (
  scope, title,
  content = 'search_titles', content_rowid = 'id', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 6'
);
CREATE VIRTUAL TABLE search_index_headings USING fts5 (
  scope, heading,
  content = 'search_headings', content_rowid = 'id', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 6'
);

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

INSERT INTO search_index (search_index) VALUES ('rebuild');
INSERT INTO search_index_titles (search_index_titles) VALUES ('rebuild');
INSERT INTO search_index_headings (search_index_headings) VALUES ('rebuild');

-- What was indexed before is found at once; a job then cuts it into the shorter sections, and orders it, as new content is.
INSERT INTO outbox (id, type, actor, request_id, data, created_at)
SELECT 'evt_' || lower(hex(randomblob(10))), 'index_spaces', '', '', '{}', CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE EXISTS (SELECT 1 FROM search_sections);
