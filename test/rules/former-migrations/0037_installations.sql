-- An integration as it is installed in an organization, where it acts by an account of its own: a member there that no
-- list of members shows, whose id begins with `acc_`.
CREATE TABLE installations (
  id TEXT PRIMARY KEY NOT NULL,
  integration TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  account TEXT NOT NULL REFERENCES users (id),
  status TEXT NOT NULL,
  -- What its organization agreed to: what its integration asks for beyond that counts for nothing.
  scopes TEXT NOT NULL DEFAULT '[]',
  space_selection TEXT NOT NULL DEFAULT 'all',
  site_selection TEXT NOT NULL DEFAULT 'all',
  -- Sealed, as the secret that it signs by.
  configuration TEXT NOT NULL,
  signing_secret TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]',
  -- A count, kept by triggers.
  spaces INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX installations_once ON installations (integration, organization);
CREATE INDEX installations_of_integration ON installations (integration, created_at, id);
CREATE INDEX installations_of_organization ON installations (organization, created_at, id);

-- What an installation is on: spaces and sites of its organization, each with a configuration of its own.
CREATE TABLE space_installations (
  installation TEXT NOT NULL,
  space TEXT NOT NULL,
  integration TEXT NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Sealed.
  configuration TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (installation, space)
);
CREATE INDEX space_installations_by_age ON space_installations (installation, created_at, space);
CREATE INDEX space_installations_of_integration ON space_installations (integration, created_at, installation, space);
CREATE INDEX space_installations_of_space ON space_installations (space, created_at, installation);
CREATE INDEX space_installations_of_organization ON space_installations (organization, created_at, installation, space);

CREATE TABLE site_installations (
  installation TEXT NOT NULL,
  site TEXT NOT NULL,
  integration TEXT NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Sealed.
  configuration TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (installation, site)
);
CREATE INDEX site_installations_by_age ON site_installations (installation, created_at, site);
CREATE INDEX site_installations_of_integration ON site_installations (integration, created_at, installation, site);
CREATE INDEX site_installations_of_site ON site_installations (site, created_at, installation);
CREATE INDEX site_installations_of_organization ON site_installations (organization, created_at, installation, site);

CREATE TRIGGER space_installations_added AFTER INSERT ON space_installations BEGIN
  UPDATE installations SET spaces = spaces + 1 WHERE id = new.installation;
END;
CREATE TRIGGER space_installations_removed AFTER DELETE ON space_installations BEGIN
  UPDATE installations SET spaces = spaces - 1 WHERE id = old.installation;
END;

-- By the ids that an integration gave: an index over external_ids, kept by the triggers. `target` is '' for an
-- installation, else the id of the space or site.
CREATE TABLE installation_external_ids (
  integration TEXT NOT NULL,
  kind TEXT NOT NULL,
  external_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  installation TEXT NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (integration, kind, external_id, created_at, installation, target)
) WITHOUT ROWID;

CREATE TRIGGER installations_named AFTER INSERT ON installations BEGIN
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'installation', value, new.created_at, new.id, '' FROM json_each(new.external_ids);
END;
CREATE TRIGGER installations_renamed AFTER UPDATE OF external_ids ON installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'installation'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.id AND target = '';
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'installation', value, new.created_at, new.id, '' FROM json_each(new.external_ids);
END;
CREATE TRIGGER installations_unnamed AFTER DELETE ON installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'installation'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.id AND target = '';
END;

CREATE TRIGGER space_installations_named AFTER INSERT ON space_installations BEGIN
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'space', value, new.created_at, new.installation, new.space FROM json_each(new.external_ids);
END;
CREATE TRIGGER space_installations_renamed AFTER UPDATE OF external_ids ON space_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'space'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.space;
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'space', value, new.created_at, new.installation, new.space FROM json_each(new.external_ids);
END;
CREATE TRIGGER space_installations_unnamed AFTER DELETE ON space_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'space'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.space;
END;

CREATE TRIGGER site_installations_named AFTER INSERT ON site_installations BEGIN
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'site', value, new.created_at, new.installation, new.site FROM json_each(new.external_ids);
END;
CREATE TRIGGER site_installations_renamed AFTER UPDATE OF external_ids ON site_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'site'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.site;
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'site', value, new.created_at, new.installation, new.site FROM json_each(new.external_ids);
END;
CREATE TRIGGER site_installations_unnamed AFTER DELETE ON site_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'site'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.site;
END;

-- Whose token it is where no person's: an integration's, or that of an installation of it.
ALTER TABLE tokens ADD COLUMN integration TEXT;
ALTER TABLE tokens ADD COLUMN installation TEXT;
