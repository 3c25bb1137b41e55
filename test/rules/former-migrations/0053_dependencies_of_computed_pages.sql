-- What the computed pages that integrations make pages of depend on: whatever changes a space or a specification finds by
-- it what is to be made again. Of each the first ten, as the script is told of.
CREATE TABLE computed_dependencies (
  -- As its reference has it: space or openapi.
  kind TEXT NOT NULL,
  -- The id of a space, or the slug of a specification.
  target TEXT NOT NULL,
  -- Of the computed page: what other organizations have is nothing that it is told of.
  organization TEXT NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  PRIMARY KEY (kind, target, organization, space, page)
) WITHOUT ROWID;
CREATE INDEX computed_dependencies_of_page ON computed_dependencies (space, page);

INSERT OR IGNORE INTO computed_dependencies (kind, target, organization, space, page)
  SELECT t.value->>0, t.value->>1, c.organization, c.space, c.page
  FROM computed_contents c CROSS JOIN json_each((SELECT json_group_array(json_array(kind, target)) FROM (
    SELECT r.value->>'$.ref.kind' AS kind, CASE r.value->>'$.ref.kind' WHEN 'space' THEN r.value->>'$.ref.space'
      WHEN 'openapi' THEN r.value->>'$.ref.spec' END AS target
    FROM json_each(c.source, '$.dependencies') r
    WHERE r.type = 'object' AND json_type(r.value, '$.ref') = 'object' LIMIT 10))) t
  WHERE t.value->>1 IS NOT NULL;

CREATE TRIGGER computed_contents_found AFTER INSERT ON computed_contents BEGIN
  INSERT OR IGNORE INTO computed_dependencies (kind, target, organization, space, page)
    SELECT kind, target, new.organization, new.space, new.page FROM (
      SELECT r.value->>'$.ref.kind' AS kind, CASE r.value->>'$.ref.kind' WHEN 'space' THEN r.value->>'$.ref.space'
        WHEN 'openapi' THEN r.value->>'$.ref.spec' END AS target
      FROM json_each(new.source, '$.dependencies') r
      WHERE r.type = 'object' AND json_type(r.value, '$.ref') = 'object' LIMIT 10)
    WHERE target IS NOT NULL;
END;
CREATE TRIGGER computed_contents_changed AFTER UPDATE OF source, organization ON computed_contents
WHEN new.source IS NOT old.source OR new.organization IS NOT old.organization BEGIN
  DELETE FROM computed_dependencies WHERE space = new.space AND page = new.page;
  INSERT OR IGNORE INTO computed_dependencies (kind, target, organization, space, page)
    SELECT kind, target, new.organization, new.space, new.page FROM (
      SELECT r.value->>'$.ref.kind' AS kind, CASE r.value->>'$.ref.kind' WHEN 'space' THEN r.value->>'$.ref.space'
        WHEN 'openapi' THEN r.value->>'$.ref.spec' END AS target
      FROM json_each(new.source, '$.dependencies') r
      WHERE r.type = 'object' AND json_type(r.value, '$.ref') = 'object' LIMIT 10)
    WHERE target IS NOT NULL;
END;
CREATE TRIGGER computed_contents_dropped AFTER DELETE ON computed_contents BEGIN
  DELETE FROM computed_dependencies WHERE space = old.space AND page = old.page;
END;

-- Pages that integrations make may have an emoji, or be links, which `target` then has in JSON as those of written pages.
ALTER TABLE computed_entries ADD COLUMN emoji TEXT;
ALTER TABLE computed_entries ADD COLUMN target TEXT;
