-- Sessions of browsers in the app. A session is one token, or two while its secret is replaced. `session` is the id of
-- the first token of the session; null for API tokens. Each use moves `expires_at`, at most until `ends_at`. A session
-- that was started with an API token ends with that token, its `parent`.
ALTER TABLE tokens ADD COLUMN session TEXT;
ALTER TABLE tokens ADD COLUMN ends_at INTEGER;
ALTER TABLE tokens ADD COLUMN parent TEXT REFERENCES tokens (id) ON DELETE CASCADE;
CREATE INDEX tokens_of_session ON tokens (session) WHERE session IS NOT NULL;
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent IS NOT NULL;

-- Links by which an existing user signs in to the app. A link is requested for an address, whether or not a user has
-- it. `hash` and `user` are set when the link is created, which is when the mail is sent.
CREATE TABLE login_links (
  id TEXT PRIMARY KEY NOT NULL,
  -- In lower case.
  email TEXT NOT NULL,
  -- The path in the app that the link opens.
  destination TEXT NOT NULL,
  hash TEXT UNIQUE,
  user TEXT REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX login_links_of_address ON login_links (email, created_at);
CREATE INDEX login_links_of_user ON login_links (user) WHERE user IS NOT NULL;
CREATE INDEX login_links_expiring ON login_links (expires_at);

-- The path in the app that a SAML sign-in opens at the end.
ALTER TABLE saml_requests ADD COLUMN destination TEXT;
