CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  display_name TEXT NOT NULL,
  photo_url TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX tokens_of_user ON tokens (user, created_at, id);

CREATE TABLE organizations (
  id TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  email_domains TEXT NOT NULL DEFAULT '[]',
  hostname TEXT UNIQUE,
  type TEXT NOT NULL DEFAULT 'business',
  default_role TEXT,
  invite_links INTEGER NOT NULL DEFAULT 1,
  sso INTEGER NOT NULL DEFAULT 0,
  ai INTEGER NOT NULL DEFAULT 0,
  logo TEXT,
  default_content TEXT
) WITHOUT ROWID;

CREATE TABLE members (
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT,
  disabled INTEGER NOT NULL DEFAULT 0,
  sso INTEGER NOT NULL DEFAULT 0,
  joined_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  PRIMARY KEY (organization, user)
) WITHOUT ROWID;
CREATE INDEX members_of_user ON members (user, joined_at, organization);

CREATE TABLE teams (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX teams_of_organization ON teams (organization, created_at, id);

CREATE TABLE team_members (
  team TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization TEXT NOT NULL,
  role TEXT NOT NULL DEFAULT 'member',
  PRIMARY KEY (team, user)
) WITHOUT ROWID;
CREATE INDEX teams_of_user ON team_members (user, organization, role, team);

-- A direct grant of a role (null: no access) to a user or a team on a space or a collection.
CREATE TABLE grants (
  object TEXT NOT NULL,
  subject TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  role TEXT,
  PRIMARY KEY (object, subject)
) WITHOUT ROWID;
CREATE INDEX grants_of_subject ON grants (subject, organization, object);

-- What has happened: the audit log, and the queue's memory. done_at is null while a consumer still has to settle it.
CREATE TABLE outbox (
  id TEXT PRIMARY KEY NOT NULL,
  type TEXT NOT NULL,
  organization TEXT,
  space TEXT,
  actor TEXT NOT NULL,
  request_id TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  done_at INTEGER
) WITHOUT ROWID;
CREATE INDEX outbox_waiting ON outbox (created_at) WHERE done_at IS NULL AND attempts < 10;
CREATE INDEX outbox_of_organization ON outbox (organization, created_at, id);
