-- Until a PDF is begun, a request for newer content of the same pages changes the waiting one instead of adding another.
ALTER TABLE pdfs ADD COLUMN started_at INTEGER;
-- Distinguishes visitors who see different content of the same version; '' for members.
ALTER TABLE pdfs ADD COLUMN viewer TEXT NOT NULL DEFAULT '';
CREATE INDEX pdfs_waiting ON pdfs (organization, space) WHERE state = 'waiting';
-- Jobs that have not begun. The organizations take turns.
CREATE INDEX outbox_turns ON outbox (type, organization, created_at)
  WHERE done_at IS NULL AND attempts = 0 AND interruptions = 0 AND type IN ('render_pdf', 'process_openapi');
