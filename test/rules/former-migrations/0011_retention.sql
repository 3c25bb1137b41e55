-- From `purging_at` on a space is being purged: nothing restores it any more.
ALTER TABLE spaces ADD COLUMN purging_at INTEGER;
CREATE INDEX spaces_over_time ON spaces (deleted_at) WHERE deleted_at IS NOT NULL AND purging_at IS NULL;
CREATE INDEX revisions_of_space ON revisions (space, branch);
CREATE INDEX versions_documents ON versions (document) WHERE document IS NOT NULL;
CREATE INDEX collections_deleted ON collections (deleted_at) WHERE deleted_at IS NOT NULL;

-- What is known of a text goes with it.
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
  DELETE FROM document_links WHERE hash = old.hash;
END;

-- Bytes that the last version was deleted of are unsettled, as those of an upload are that was never used: the sweep
-- takes them a day after their last claim.
CREATE TRIGGER versions_deleted AFTER DELETE ON versions WHEN old.kind = 'file' AND NOT EXISTS (
  SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = old.data->>'$.fields.blob') BEGIN
  UPDATE blobs SET settled = 0 WHERE key = old.data->>'$.fields.blob';
END;

-- Each later touch of `purging_at` takes a bounded part of what other workers keep about the space.
CREATE TRIGGER spaces_purging AFTER UPDATE OF purging_at ON spaces WHEN old.purging_at IS NOT NULL BEGIN
  DELETE FROM change_requests WHERE id IN (SELECT id FROM change_requests WHERE space = new.id LIMIT 500);
END;
CREATE TRIGGER spaces_purged_counters AFTER DELETE ON spaces BEGIN
  DELETE FROM space_counters WHERE space = old.id;
END;

-- What a purged space's branch still holds goes once no space reads it any more: a reader less, and the purge looks again.
CREATE TRIGGER lineage_sources_freed AFTER DELETE ON lineage_sources
WHEN NOT EXISTS (SELECT 1 FROM spaces WHERE id = old.source AND purging_at IS NULL) BEGIN
  INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at)
  VALUES ('evt_' || lower(hex(randomblob(10))), 'purge_space', (SELECT organization FROM spaces WHERE id = old.space),
    old.source, 'system', 'req_' || lower(hex(randomblob(10))), '{"stage":"versions"}',
    CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 0);
END;

-- Why the last attempt failed, for the operator.
ALTER TABLE outbox ADD COLUMN error TEXT;
CREATE INDEX outbox_dead ON outbox (created_at) WHERE done_at IS NULL AND attempts >= 10;
