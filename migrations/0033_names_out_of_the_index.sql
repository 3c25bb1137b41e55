-- Names of what a text refers to are left out of the search index: what was indexed before is indexed anew by a job.
INSERT INTO outbox (id, type, actor, request_id, data, created_at)
SELECT 'evt_' || lower(hex(randomblob(10))), 'index_spaces', '', '', '{}', CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE EXISTS (SELECT 1 FROM search_sections);
