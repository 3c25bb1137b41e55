-- Computed pages of integrations that were there before anything made them are known to nobody yet: one job looks for them.
INSERT INTO outbox (id, type, actor, request_id, data, created_at)
SELECT 'evt_' || lower(hex(randomblob(10))), 'index_spaces', '', '', '{}', CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE EXISTS (SELECT 1 FROM versions WHERE data->>'$.fields.computed.type' GLOB 'integration:*');
