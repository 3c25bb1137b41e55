-- The specifications that blocks of a text refer to, and under which conditions alone they do, as JSON.
CREATE TABLE document_specs (
  hash TEXT NOT NULL,
  spec TEXT NOT NULL,
  conditions TEXT,
  PRIMARY KEY (hash, spec)
) WITHOUT ROWID;

DROP TRIGGER documents_deleted;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
  DELETE FROM document_links WHERE hash = old.hash;
  DELETE FROM document_specs WHERE hash = old.hash;
END;

-- What a version uses are specifications, too: `openapi:` and the slug, of its text or of a computed page.
DROP TRIGGER version_uses_added;
CREATE TRIGGER version_uses_added AFTER INSERT ON versions WHEN new.kind IN ('page', 'reusable-content') BEGIN
  INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
  SELECT new.branch, used, new.until, new.kind, new.id, new.since FROM (
    SELECT value AS used FROM json_each(new.data, '$.links') WHERE value GLOB 'file_*' OR value GLOB 'rc_*'
    UNION SELECT value->>'file' FROM json_each(json_array(
      new.data->'$.fields.cover.ref', new.data->'$.fields.cover.refDark', new.data->'$.fields.target'))
    WHERE value->>'kind' = 'file'
    UNION SELECT '' WHERE EXISTS (SELECT 1 FROM document_links INDEXED BY document_links_conditional
      WHERE hash = new.document AND conditions IS NOT NULL)
      OR EXISTS (SELECT 1 FROM documents INDEXED BY documents_unread
        WHERE hash = new.document AND links_known = 0 AND markdown LIKE '%{\%%if%' ESCAPE '\')
    UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = new.document
    UNION SELECT 'openapi:' || (new.data->>'$.fields.computed.dependencies.spec.ref.spec')
    WHERE new.data->>'$.fields.computed.type' = 'builtin:openapi'
  ) WHERE used IS NOT NULL;
END;
DROP TRIGGER version_uses_superseded;
CREATE TRIGGER version_uses_superseded AFTER UPDATE OF until ON versions WHEN old.kind IN ('page', 'reusable-content') BEGIN
  UPDATE version_uses SET until = new.until
  WHERE branch = old.branch AND until = old.until AND kind = old.kind AND id = old.id AND since = old.since
    AND used IN (SELECT value FROM json_each(old.data, '$.links') UNION SELECT value->>'file' FROM json_each(json_array(
      old.data->'$.fields.cover.ref', old.data->'$.fields.cover.refDark', old.data->'$.fields.target')) UNION SELECT ''
      UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = old.document
      UNION SELECT 'openapi:' || (old.data->>'$.fields.computed.dependencies.spec.ref.spec'));
END;
DROP TRIGGER version_uses_deleted;
CREATE TRIGGER version_uses_deleted AFTER DELETE ON versions WHEN old.kind IN ('page', 'reusable-content') BEGIN
  DELETE FROM version_uses
  WHERE branch = old.branch AND until = old.until AND kind = old.kind AND id = old.id AND since = old.since
    AND used IN (SELECT value FROM json_each(old.data, '$.links') UNION SELECT value->>'file' FROM json_each(json_array(
      old.data->'$.fields.cover.ref', old.data->'$.fields.cover.refDark', old.data->'$.fields.target')) UNION SELECT ''
      UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = old.document
      UNION SELECT 'openapi:' || (old.data->>'$.fields.computed.dependencies.spec.ref.spec'));
END;

-- A text from before that is read later.
CREATE TRIGGER document_specs_added AFTER INSERT ON document_specs BEGIN
  INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
  SELECT v.branch, 'openapi:' || new.spec, v.until, v.kind, v.id, v.since FROM versions v INDEXED BY versions_documents
  WHERE v.document = new.hash AND v.kind IN ('page', 'reusable-content');
END;

INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
SELECT v.branch, 'openapi:' || (v.data->>'$.fields.computed.dependencies.spec.ref.spec'), v.until, v.kind, v.id, v.since
FROM versions v INDEXED BY versions_specs WHERE v.kind = 'page' AND v.data->>'$.fields.computed.type' = 'builtin:openapi'
  AND v.data->>'$.fields.computed.dependencies.spec.ref.spec' IS NOT NULL;
UPDATE documents SET links_known = 0 WHERE markdown LIKE '%openapi%';
