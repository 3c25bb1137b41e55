-- Sites: what an organization publishes, and to whom. Times are milliseconds.
CREATE TABLE sites (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'basic',
  title TEXT NOT NULL,
  -- The last part of its address at its organization's.
  basename TEXT NOT NULL,
  -- A host of its own.
  hostname TEXT,
  -- A host and a path at which somebody else's server passes it on.
  proxy TEXT,
  visibility TEXT NOT NULL DEFAULT 'public',
  published INTEGER NOT NULL DEFAULT 0,
  adaptive INTEGER NOT NULL DEFAULT 0,
  agents_context TEXT NOT NULL DEFAULT 'included',
  -- Random, and another one whenever what visitors hold is to end: they must bring it.
  stamp TEXT NOT NULL,
  auth_backend TEXT NOT NULL DEFAULT 'custom',
  auth_integration TEXT,
  auth_fallback TEXT,
  -- Random: what the key that visitors' tokens are signed with is derived from, with the server's secret.
  auth_key TEXT NOT NULL,
  -- Whether somebody was shown that key.
  auth_shown INTEGER NOT NULL DEFAULT 0,
  -- A count, kept by triggers.
  site_spaces INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX sites_by_address ON sites (organization, basename);
CREATE UNIQUE INDEX sites_by_hostname ON sites (hostname) WHERE hostname IS NOT NULL;
CREATE UNIQUE INDEX sites_by_proxy ON sites (proxy) WHERE proxy IS NOT NULL;
CREATE INDEX sites_by_age ON sites (organization, created_at, id);

-- An id of an organization is looked up without regard to case: in a host it comes in lower case.
CREATE INDEX organizations_by_folded_id ON organizations (id COLLATE NOCASE);

-- The top level of a site holds sections, groups and external links, or site spaces alone; positions sort as text.
CREATE TABLE site_section_groups (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  title TEXT NOT NULL,
  icon TEXT,
  position TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX site_section_groups_by_site ON site_section_groups (site, position);

CREATE TABLE site_sections (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  section_group TEXT,
  title TEXT NOT NULL,
  description TEXT,
  path TEXT NOT NULL,
  icon TEXT,
  condition TEXT,
  is_default INTEGER NOT NULL DEFAULT 0,
  position TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX site_sections_by_path ON site_sections (site, path);
CREATE UNIQUE INDEX site_sections_default ON site_sections (site) WHERE is_default = 1;
CREATE INDEX site_sections_by_site ON site_sections (site, position);

CREATE TABLE site_spaces (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  -- '' where the site has no sections.
  section TEXT NOT NULL DEFAULT '',
  space TEXT NOT NULL,
  path TEXT NOT NULL,
  condition TEXT,
  is_default INTEGER NOT NULL DEFAULT 0,
  position TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX site_spaces_by_path ON site_spaces (site, section, path);
CREATE UNIQUE INDEX site_spaces_default ON site_spaces (site, section) WHERE is_default = 1;
CREATE INDEX site_spaces_by_place ON site_spaces (site, section, position);
CREATE INDEX site_spaces_by_space ON site_spaces (space, site);

CREATE TABLE site_external_links (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  section_group TEXT,
  title TEXT NOT NULL,
  description TEXT,
  url TEXT NOT NULL,
  icon TEXT,
  condition TEXT,
  position TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX site_external_links_by_site ON site_external_links (site, position);

CREATE TABLE site_share_links (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  name TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1,
  -- SHA-256 of the key, in hex. The key itself follows from the id and the server's secret.
  key_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX site_share_links_by_key ON site_share_links (key_hash);
CREATE INDEX site_share_links_by_age ON site_share_links (site, created_at, id);

CREATE TABLE site_redirects (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  -- The path from the site on, begins with a slash; that of a wildcard is without its '/*'.
  source TEXT NOT NULL,
  wildcard INTEGER NOT NULL DEFAULT 0,
  destination TEXT NOT NULL,
  draft INTEGER NOT NULL DEFAULT 0,
  permanent INTEGER NOT NULL DEFAULT 0,
  capture_wildcard INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX site_redirects_by_source ON site_redirects (site, source, wildcard, draft);
CREATE INDEX site_redirects_by_age ON site_redirects (site, created_at, id);

-- How a site looks; what a site space has of its own stands in its own row. '' is the site itself.
CREATE TABLE site_customizations (
  site TEXT NOT NULL,
  site_space TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (site, site_space)
);

CREATE TABLE site_adaptive_schemas (
  site TEXT PRIMARY KEY NOT NULL,
  json_schema TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE TRIGGER site_spaces_added AFTER INSERT ON site_spaces BEGIN
  UPDATE sites SET site_spaces = site_spaces + 1 WHERE id = NEW.site;
END;
CREATE TRIGGER site_spaces_removed AFTER DELETE ON site_spaces BEGIN
  DELETE FROM site_customizations WHERE site = OLD.site AND site_space = OLD.id;
  UPDATE sites SET site_spaces = site_spaces - 1 WHERE id = OLD.site;
END;
