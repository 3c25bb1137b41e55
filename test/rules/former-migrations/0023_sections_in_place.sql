-- A page that is indexed anew is compared with what was: a section that differs is written where it stands, and no other.
DROP INDEX search_sections_of_page;
CREATE INDEX search_sections_of_page ON search_sections (space, page, ordinal);

CREATE TRIGGER search_sections_changed AFTER UPDATE OF title, heading, body ON search_sections
WHEN old.title <> new.title OR old.heading <> new.heading OR old.body <> new.body BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title WHERE old.title <> '' AND old.title <> new.title;
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title WHERE new.title <> '' AND old.title <> new.title;
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading WHERE old.heading <> '' AND old.heading <> new.heading;
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading WHERE new.heading <> '' AND old.heading <> new.heading;
END;

-- Each commit adds a segment to an index; with every fourth they were written anew as one, which was most of what an edit
-- wrote. A search reads a few more of them.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8);
INSERT INTO search_index_titles (search_index_titles, rank) VALUES ('automerge', 8);
INSERT INTO search_index_headings (search_index_headings, rank) VALUES ('automerge', 8);
