-- A service account is a user without a person: it belongs to one organization and cannot sign in.
ALTER TABLE users ADD COLUMN kind TEXT NOT NULL DEFAULT 'person';
ALTER TABLE users ADD COLUMN email_verified_at INTEGER;
UPDATE users SET email_verified_at = created_at;
-- The organization of a service account, as long as it is a member there.
ALTER TABLE users ADD COLUMN service_of TEXT;
CREATE INDEX service_accounts ON users (service_of, created_at, id) WHERE service_of IS NOT NULL;
CREATE TRIGGER service_accounts_removed AFTER DELETE ON members BEGIN
  UPDATE users SET service_of = NULL WHERE id = old.user AND service_of = old.organization;
END;

-- A token with an organization acts in that one only: it stems from the organization's SSO, or from a service account.
ALTER TABLE tokens ADD COLUMN organization TEXT;
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;

-- Which organizations an e-mail domain belongs to: an index over organizations.email_domains, kept by the triggers.
CREATE TABLE organization_domains (
  domain TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (domain, organization)
) WITHOUT ROWID;
CREATE INDEX organization_domains_by_age ON organization_domains (domain, created_at, organization);
INSERT OR IGNORE INTO organization_domains (domain, organization, created_at)
  SELECT d.value, o.id, o.created_at FROM organizations o CROSS JOIN json_each(o.email_domains) d;

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

-- The counters that members and teams show, kept by the triggers below: exact under any concurrency, and one row to read.
ALTER TABLE members ADD COLUMN teams INTEGER NOT NULL DEFAULT 0;
ALTER TABLE members ADD COLUMN spaces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN members INTEGER NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN spaces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE team_members ADD COLUMN joined_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX members_by_joining ON members (organization, joined_at, user);
CREATE INDEX members_by_role ON members (organization, role, joined_at, user);
CREATE INDEX members_seen ON members (organization, last_seen_at, user) WHERE last_seen_at IS NOT NULL;
CREATE INDEX members_seen_by_role ON members (organization, role, last_seen_at, user) WHERE last_seen_at IS NOT NULL;
CREATE INDEX members_in_charge ON members (organization, user) WHERE role = 'admin' AND disabled = 0;
CREATE INDEX team_members_by_joining ON team_members (team, joined_at, user);
CREATE INDEX grants_to_users ON grants (object, created_at, subject) WHERE subject GLOB 'usr_*';
CREATE INDEX grants_to_teams ON grants (object, created_at, subject) WHERE subject GLOB 'team_*';
CREATE INDEX teams_of_user_by_joining ON team_members (user, organization, joined_at, team);
DROP INDEX teams_of_user;
CREATE INDEX teams_of_user ON team_members (user, organization, role, joined_at, team);

CREATE TRIGGER team_members_inserted AFTER INSERT ON team_members BEGIN
  UPDATE teams SET members = members + 1 WHERE id = new.team;
  UPDATE members SET teams = teams + 1 WHERE organization = new.organization AND user = new.user;
END;
CREATE TRIGGER team_members_deleted AFTER DELETE ON team_members BEGIN
  UPDATE teams SET members = members - 1 WHERE id = old.team;
  UPDATE members SET teams = teams - 1 WHERE organization = old.organization AND user = old.user;
END;

-- `spaces` counts the spaces that were given to the member or the team directly, without those in the trash.
CREATE TRIGGER grants_inserted AFTER INSERT ON grants WHEN new.role IS NOT NULL AND new.object LIKE 'spc%'
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
CREATE TRIGGER grants_deleted AFTER DELETE ON grants WHEN old.role IS NOT NULL AND old.object LIKE 'spc%'
  AND NOT EXISTS (SELECT 1 FROM spaces WHERE id = old.object AND deleted_at IS NOT NULL) BEGIN
  UPDATE teams SET spaces = spaces - 1 WHERE id = old.subject;
  UPDATE members SET spaces = spaces - 1 WHERE organization = old.organization AND user = old.subject;
END;

CREATE TRIGGER spaces_trashed AFTER UPDATE OF deleted_at ON spaces
WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  UPDATE teams SET spaces = spaces + CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END
    WHERE id IN (SELECT subject FROM grants WHERE object = new.id AND role IS NOT NULL);
  UPDATE members SET spaces = spaces + CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END
    WHERE (organization, user) IN (SELECT organization, subject FROM grants WHERE object = new.id AND role IS NOT NULL);
END;

-- Whoever leaves an organization leaves its teams, grants and tokens behind, so that none comes back with a new membership,
-- and the links that they made: whoever kept one could come back by it.
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
CREATE TRIGGER teams_deleted AFTER DELETE ON teams BEGIN
  DELETE FROM grants WHERE subject = old.id;
END;

-- A link that makes whoever opens it a member (role), or a guest with a level on one space or collection (object).
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

-- A secret that was mailed to an address: whoever presents it, once and in time, holds that address.
CREATE TABLE sign_in_links (
  hash TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sign_in_links_of_user ON sign_in_links (user, organization);

-- Every mail that was asked for, for the limits on how many an address and an organization get.
CREATE TABLE mails (
  id TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX mails_to_user ON mails (user, created_at);
CREATE INDEX mails_of_organization ON mails (organization, created_at);

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

-- A sign-in under way. `browser` is the hash of a cookie, `code` that of the step after the assertion, `profile` what it said.
CREATE TABLE saml_requests (
  id TEXT PRIMARY KEY NOT NULL,
  provider TEXT NOT NULL REFERENCES saml_providers (id) ON DELETE CASCADE,
  browser TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  code TEXT UNIQUE,
  profile TEXT
) WITHOUT ROWID;
CREATE INDEX saml_requests_of_provider ON saml_requests (provider, expires_at);

-- Who a provider's subject is: an account is found by provider and subject, never by its address.
CREATE TABLE sso_identities (
  provider TEXT NOT NULL REFERENCES saml_providers (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  organization TEXT NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (provider, subject)
) WITHOUT ROWID;
CREATE UNIQUE INDEX sso_identities_of_user ON sso_identities (user, organization);

-- The installation's own signing keys, each made at its first use.
CREATE TABLE installation_keys (
  name TEXT PRIMARY KEY NOT NULL,
  secret TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE translation_settings (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX translation_settings_of_organization ON translation_settings (organization, created_at, id);

CREATE TABLE translation_languages (
  settings TEXT NOT NULL REFERENCES translation_settings (id) ON DELETE CASCADE,
  language TEXT NOT NULL,
  instructions TEXT NOT NULL,
  PRIMARY KEY (settings, language)
) WITHOUT ROWID;
