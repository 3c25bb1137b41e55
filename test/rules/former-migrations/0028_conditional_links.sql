-- Under which conditions a link stands in its document, as JSON; null where it stands there without any too.
ALTER TABLE document_links ADD COLUMN conditions TEXT;
CREATE INDEX document_links_conditional ON document_links (hash) WHERE conditions IS NOT NULL;

-- Documents from before are read again where they hold a condition. Until then none of their links is known to be shown.
UPDATE documents SET links_known = 0 WHERE markdown LIKE '%{\%%if%' ESCAPE '\';
UPDATE document_links SET conditions = '[]' WHERE hash IN (SELECT hash FROM documents WHERE links_known = 0);

-- The pages of a branch that are shown under a condition.
CREATE INDEX versions_conditions ON versions (branch, until)
  WHERE kind = 'page' AND data->>'$.fields.condition' IS NOT NULL;
