-- Names of what a text refers to are left out of the search index, and what is made of computed pages is in it: what is
-- there already is indexed anew by one job.
INSERT INTO outbox (id, type, actor, request_id, data, created_at)
SELECT 'evt_' || lower(hex(randomblob(10))), 'index_spaces', '', '', '{}', CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE EXISTS (SELECT 1 FROM search_sections)
  OR EXISTS (SELECT 1 FROM versions WHERE data->>'$.fields.computed.type' = 'builtin:openapi');
