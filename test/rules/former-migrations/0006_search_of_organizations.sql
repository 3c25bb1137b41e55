-- The index is searched by space and by organization: `scope` holds the random parts of both ids, one token each.
DROP TRIGGER search_sections_inserted;
DROP TRIGGER search_sections_deleted;
ALTER TABLE search_sections ADD COLUMN organization TEXT NOT NULL DEFAULT '';
UPDATE search_sections SET organization = COALESCE(
  (SELECT organization FROM spaces WHERE spaces.id = search_sections.space), '');
ALTER TABLE search_sections DROP COLUMN scope;
ALTER TABLE search_sections ADD COLUMN scope TEXT GENERATED ALWAYS AS (
  substr(space, instr(space, '_') + 1) || ' ' || substr(organization, instr(organization, '_') + 1)) VIRTUAL;

CREATE TRIGGER search_sections_inserted AFTER INSERT ON search_sections BEGIN
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
END;

CREATE TRIGGER search_sections_deleted AFTER DELETE ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
END;

CREATE TRIGGER search_sections_transferred AFTER UPDATE OF organization ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
END;

CREATE TRIGGER searched_spaces_transferred AFTER UPDATE OF organization ON spaces
WHEN old.organization <> new.organization BEGIN
  UPDATE search_sections SET organization = new.organization WHERE space = new.id;
END;

INSERT INTO search_index (search_index) VALUES ('rebuild');
