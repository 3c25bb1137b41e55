-- PDFs that somebody asked for: one for each revision, part of it and title, rendered once. Those that failed stay a
-- while, so that their addresses tell why, and stand in nobody's way.
CREATE TABLE pdfs (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  space TEXT NOT NULL,
  change_request TEXT,
  revision TEXT NOT NULL,
  -- '' for all pages.
  page TEXT NOT NULL DEFAULT '',
  only INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL,
  subtitle TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'waiting',
  bytes INTEGER,
  pages INTEGER,
  -- The upload of parts that the last run began.
  upload TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  asked_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX pdfs_wanted ON pdfs (revision, page, only, title, subtitle) WHERE state <> 'failed';
CREATE INDEX pdfs_by_age ON pdfs (asked_at);
