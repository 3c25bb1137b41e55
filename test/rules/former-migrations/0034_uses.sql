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

-- What a version of a page or a reusable content uses: files and reusable contents by their ids, specifications as
-- `openapi:` and the slug (of its text, or of a computed page), and '' where its text
-- has conditions. A visitor's read of one file looks here for who shows it, instead of at all pages.
CREATE TABLE version_uses (
  branch TEXT NOT NULL,
  used TEXT NOT NULL,
  -- As the version has it.
  until INTEGER NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (branch, used, until, kind, id, since)
) WITHOUT ROWID;

INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
SELECT v.branch, l.value, v.until, v.kind, v.id, v.since FROM versions v CROSS JOIN json_each(v.data, '$.links') l
WHERE v.kind IN ('page', 'reusable-content') AND (l.value GLOB 'file_*' OR l.value GLOB 'rc_*');
INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
SELECT v.branch, f.value->>'file', v.until, v.kind, v.id, v.since FROM versions v
CROSS JOIN json_each(json_array(v.data->'$.fields.cover.ref', v.data->'$.fields.cover.refDark', v.data->'$.fields.target')) f
WHERE v.kind = 'page' AND f.value->>'kind' = 'file';
INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
SELECT v.branch, '', v.until, v.kind, v.id, v.since FROM versions v
WHERE v.document IN (SELECT hash FROM document_links WHERE conditions IS NOT NULL);
-- Of a document whose links are not read yet it is not known under which conditions they stand: it may have some.
INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
SELECT v.branch, '', v.until, v.kind, v.id, v.since FROM documents d INDEXED BY documents_unread
CROSS JOIN versions v INDEXED BY versions_documents ON v.document = d.hash
WHERE d.links_known = 0 AND d.markdown LIKE '%{\%%if%' ESCAPE '\' AND v.kind IN ('page', 'reusable-content');

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
CREATE TRIGGER version_uses_superseded AFTER UPDATE OF until ON versions WHEN old.kind IN ('page', 'reusable-content') BEGIN
  UPDATE version_uses SET until = new.until
  WHERE branch = old.branch AND until = old.until AND kind = old.kind AND id = old.id AND since = old.since
    AND used IN (SELECT value FROM json_each(old.data, '$.links') UNION SELECT value->>'file' FROM json_each(json_array(
      old.data->'$.fields.cover.ref', old.data->'$.fields.cover.refDark', old.data->'$.fields.target')) UNION SELECT ''
      UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = old.document
      UNION SELECT 'openapi:' || (old.data->>'$.fields.computed.dependencies.spec.ref.spec'));
END;
CREATE TRIGGER version_uses_deleted AFTER DELETE ON versions WHEN old.kind IN ('page', 'reusable-content') BEGIN
  DELETE FROM version_uses
  WHERE branch = old.branch AND until = old.until AND kind = old.kind AND id = old.id AND since = old.since
    AND used IN (SELECT value FROM json_each(old.data, '$.links') UNION SELECT value->>'file' FROM json_each(json_array(
      old.data->'$.fields.cover.ref', old.data->'$.fields.cover.refDark', old.data->'$.fields.target')) UNION SELECT ''
      UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = old.document
      UNION SELECT 'openapi:' || (old.data->>'$.fields.computed.dependencies.spec.ref.spec'));
END;

-- The links of a text from before that is read later: the first that stands under conditions tells of all.
CREATE TRIGGER document_conditions_added AFTER INSERT ON document_links
WHEN new.conditions IS NOT NULL AND NOT EXISTS (SELECT 1 FROM document_links INDEXED BY document_links_conditional
  WHERE hash = new.hash AND conditions IS NOT NULL AND ordinal <> new.ordinal) BEGIN
  INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
  SELECT v.branch, '', v.until, v.kind, v.id, v.since FROM versions v INDEXED BY versions_documents
  WHERE v.document = new.hash AND v.kind IN ('page', 'reusable-content');
END;
CREATE TRIGGER document_conditions_changed AFTER UPDATE OF conditions ON document_links
WHEN new.conditions IS NOT NULL AND NOT EXISTS (SELECT 1 FROM document_links INDEXED BY document_links_conditional
  WHERE hash = new.hash AND conditions IS NOT NULL AND ordinal <> new.ordinal) BEGIN
  INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
  SELECT v.branch, '', v.until, v.kind, v.id, v.since FROM versions v INDEXED BY versions_documents
  WHERE v.document = new.hash AND v.kind IN ('page', 'reusable-content');
END;

-- So are its specifications.
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
