-- The titles of what pages embed, as its providers told them once; null where they did not. Times are milliseconds.
CREATE TABLE embeds (
  url TEXT PRIMARY KEY NOT NULL,
  title TEXT,
  read_at INTEGER NOT NULL
);
CREATE INDEX embeds_by_age ON embeds (read_at);
