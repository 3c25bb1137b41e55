-- Users, organizations, members, teams, access rights and sign-in. Times are in milliseconds since 1970.

-- People, service accounts, and the accounts of integrations and installations, as `kind` says.
CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  display_name TEXT NOT NULL,
  photo_url TEXT,
  created_at INTEGER NOT NULL,
  kind TEXT NOT NULL DEFAULT 'person',
  email_verified_at INTEGER,
  -- The organization of a service account, as long as it is a member.
  service_of TEXT,
  integration TEXT
) WITHOUT ROWID;
CREATE INDEX service_accounts ON users (service_of, created_at, id) WHERE service_of IS NOT NULL;

-- API tokens. A token with an `organization` works in that organization only.
CREATE TABLE tokens (
  id TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  organization TEXT,
  last_used_at INTEGER,
  -- Set for tokens of an integration, or of an installation of it.
  integration TEXT,
  installation TEXT,
  -- Length of the chain of script runs that led to this token.
  depth INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX tokens_of_user ON tokens (user, created_at, id);
CREATE INDEX tokens_expiring ON tokens (expires_at) WHERE expires_at IS NOT NULL;

-- Accounts that own members, spaces and sites.
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
  default_content TEXT,
  -- Conditions for merging change requests, in JSON. Null: none.
  merge_rules TEXT,
  -- Number of changes to what visitors of any site are shown; part of cache keys.
  shown INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
-- Ids in hostnames are lower case.
CREATE INDEX organizations_by_folded_id ON organizations (id COLLATE NOCASE);
CREATE TRIGGER organization_domains_inserted AFTER INSERT ON organizations BEGIN
  INSERT OR IGNORE INTO organization_domains (domain, organization, created_at)
    SELECT value, new.id, new.created_at FROM json_each(new.email_domains);
END;
CREATE TRIGGER organization_domains_updated AFTER UPDATE OF email_domains ON organizations BEGIN
  DELETE FROM organization_domains WHERE organization = new.id
    AND domain IN (SELECT value FROM json_each(old.email_domains));
  INSERT OR IGNORE INTO organization_domains (domain, organization, created_at)
    SELECT value, new.id, new.created_at FROM json_each(new.email_domains);
END;

-- Index of `organizations.email_domains`, maintained by triggers on that table.
CREATE TABLE organization_domains (
  domain TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (domain, organization)
) WITHOUT ROWID;
CREATE INDEX organization_domains_by_age ON organization_domains (domain, created_at, organization);

-- Users in an organization. `role` is null for a guest, who has grants only. A member who leaves loses all team
-- memberships, grants, tokens and links, so that joining again restores none of them.
CREATE TABLE members (
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT,
  disabled INTEGER NOT NULL DEFAULT 0,
  sso INTEGER NOT NULL DEFAULT 0,
  joined_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  -- Counters, maintained by triggers. `spaces` counts direct grants, without spaces in the trash.
  teams INTEGER NOT NULL DEFAULT 0,
  spaces INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (organization, user)
) WITHOUT ROWID;
CREATE INDEX members_of_user ON members (user, joined_at, organization);
CREATE INDEX members_by_joining ON members (organization, joined_at, user);
CREATE INDEX members_by_role ON members (organization, role, joined_at, user);
CREATE INDEX members_seen ON members (organization, last_seen_at, user)
  WHERE last_seen_at IS NOT NULL;
CREATE INDEX members_seen_by_role ON members (organization, role, last_seen_at, user)
  WHERE last_seen_at IS NOT NULL;
CREATE INDEX members_in_charge ON members (organization, user)
  WHERE role = 'admin' AND disabled = 0;
CREATE TRIGGER service_accounts_removed AFTER DELETE ON members BEGIN
  UPDATE users SET service_of = NULL WHERE id = old.user AND service_of = old.organization;
END;
CREATE TRIGGER members_deleted AFTER DELETE ON members BEGIN
  DELETE FROM team_members WHERE user = old.user AND organization = old.organization;
  DELETE FROM grants WHERE subject = old.user AND organization = old.organization;
  DELETE FROM tokens WHERE user = old.user AND organization = old.organization;
  DELETE FROM sso_identities WHERE user = old.user AND organization = old.organization;
  DELETE FROM sign_in_links WHERE user = old.user AND organization = old.organization;
  DELETE FROM invites WHERE created_by = old.user AND organization = old.organization;
END;
CREATE TRIGGER members_disabled AFTER UPDATE OF disabled ON members WHEN new.disabled = 1 BEGIN
  DELETE FROM sign_in_links WHERE user = new.user AND organization = new.organization;
END;

-- Groups of members that are granted roles together.
CREATE TABLE teams (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Counters, maintained by triggers. `spaces` counts direct grants, without spaces in the trash.
  members INTEGER NOT NULL DEFAULT 0,
  spaces INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX teams_of_organization ON teams (organization, created_at, id);
CREATE TRIGGER teams_deleted AFTER DELETE ON teams BEGIN
  DELETE FROM grants WHERE subject = old.id;
END;

-- Members of teams.
CREATE TABLE team_members (
  team TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization TEXT NOT NULL,
  role TEXT NOT NULL DEFAULT 'member',
  joined_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team, user)
) WITHOUT ROWID;
CREATE INDEX team_members_by_joining ON team_members (team, joined_at, user);
CREATE INDEX teams_of_user_by_joining ON team_members (user, organization, joined_at, team);
CREATE INDEX teams_of_user ON team_members (user, organization, role, joined_at, team);
CREATE TRIGGER team_members_inserted AFTER INSERT ON team_members BEGIN
  UPDATE teams SET members = members + 1 WHERE id = new.team;
  UPDATE members SET teams = teams + 1 WHERE organization = new.organization AND user = new.user;
END;
CREATE TRIGGER team_members_deleted AFTER DELETE ON team_members BEGIN
  UPDATE teams SET members = members - 1 WHERE id = old.team;
  UPDATE members SET teams = teams - 1 WHERE organization = old.organization AND user = old.user;
END;

-- A role on a space or a collection (`object`) for a user or a team (`subject`). A null role denies access.
CREATE TABLE grants (
  object TEXT NOT NULL,
  subject TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  role TEXT,
  created_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (object, subject)
) WITHOUT ROWID;
CREATE INDEX grants_of_subject ON grants (subject, organization, object);
CREATE INDEX grants_to_users ON grants (object, created_at, subject) WHERE subject GLOB 'usr_*';
CREATE INDEX grants_to_teams ON grants (object, created_at, subject) WHERE subject GLOB 'team_*';
CREATE TRIGGER grants_inserted AFTER INSERT ON grants
WHEN new.role IS NOT NULL AND new.object LIKE 'spc%'
  AND NOT EXISTS (SELECT 1 FROM spaces WHERE id = new.object AND deleted_at IS NOT NULL) BEGIN
  UPDATE teams SET spaces = spaces + 1 WHERE id = new.subject;
  UPDATE members SET spaces = spaces + 1 WHERE organization = new.organization AND user = new.subject;
END;
CREATE TRIGGER grants_updated AFTER UPDATE OF role ON grants
WHEN (old.role IS NULL) <> (new.role IS NULL) AND new.object LIKE 'spc%'
  AND NOT EXISTS (SELECT 1 FROM spaces WHERE id = new.object AND deleted_at IS NOT NULL) BEGIN
  UPDATE teams SET spaces = spaces + (old.role IS NULL) - (new.role IS NULL) WHERE id = new.subject;
  UPDATE members SET spaces = spaces + (old.role IS NULL) - (new.role IS NULL)
    WHERE organization = new.organization AND user = new.subject;
END;
CREATE TRIGGER grants_deleted AFTER DELETE ON grants
WHEN old.role IS NOT NULL AND old.object LIKE 'spc%'
  AND NOT EXISTS (SELECT 1 FROM spaces WHERE id = old.object AND deleted_at IS NOT NULL) BEGIN
  UPDATE teams SET spaces = spaces - 1 WHERE id = old.subject;
  UPDATE members SET spaces = spaces - 1 WHERE organization = old.organization AND user = old.subject;
END;

-- Links that make the user who opens them a member with `role`, or, with an `object`, a guest with that role on one
-- space or collection.
CREATE TABLE invites (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  object TEXT,
  role TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX invites_of_organization ON invites (organization, created_at, id);
CREATE INDEX invites_of_object ON invites (object) WHERE object IS NOT NULL;

-- One-time secrets sent by e-mail. Presenting one proves ownership of the address.
CREATE TABLE sign_in_links (
  hash TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sign_in_links_of_user ON sign_in_links (user, organization);
CREATE INDEX sign_in_links_expiring ON sign_in_links (expires_at);

-- Mail requests, which limit how many mails an address and an organization receive.
CREATE TABLE mails (
  id TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX mails_to_user ON mails (user, created_at);
CREATE INDEX mails_of_organization ON mails (organization, created_at);
CREATE INDEX mails_by_age ON mails (created_at);

-- SAML identity providers of organizations.
CREATE TABLE saml_providers (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  sso_url TEXT NOT NULL DEFAULT '',
  entity_id TEXT NOT NULL DEFAULT '',
  certificate TEXT NOT NULL DEFAULT '',
  default_team TEXT REFERENCES teams (id) ON DELETE SET NULL,
  default_role TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX saml_providers_of_organization ON saml_providers (organization, created_at, id);
CREATE INDEX saml_providers_of_team ON saml_providers (default_team) WHERE default_team IS NOT NULL;

-- SAML sign-ins in progress. `browser` is the hash of a cookie, `code` the hash of the code for the step after the
-- assertion, and `profile` the content of the assertion.
CREATE TABLE saml_requests (
  id TEXT PRIMARY KEY NOT NULL,
  provider TEXT NOT NULL REFERENCES saml_providers (id) ON DELETE CASCADE,
  browser TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  code TEXT UNIQUE,
  profile TEXT
) WITHOUT ROWID;
CREATE INDEX saml_requests_of_provider ON saml_requests (provider, expires_at);
CREATE INDEX saml_requests_expiring ON saml_requests (expires_at);

-- The user of each subject of a provider. A user is found by provider and subject, never by e-mail address.
CREATE TABLE sso_identities (
  provider TEXT NOT NULL REFERENCES saml_providers (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  organization TEXT NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (provider, subject)
) WITHOUT ROWID;
CREATE UNIQUE INDEX sso_identities_of_user ON sso_identities (user, organization);

-- Signing keys of this server, created on first use.
CREATE TABLE installation_keys (
  name TEXT PRIMARY KEY NOT NULL,
  secret TEXT NOT NULL
) WITHOUT ROWID;

-- Translation settings of organizations.
CREATE TABLE translation_settings (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX translation_settings_of_organization ON translation_settings (organization, created_at, id);

-- Target languages of translation settings.
CREATE TABLE translation_languages (
  settings TEXT NOT NULL REFERENCES translation_settings (id) ON DELETE CASCADE,
  language TEXT NOT NULL,
  instructions TEXT NOT NULL,
  PRIMARY KEY (settings, language)
) WITHOUT ROWID;
