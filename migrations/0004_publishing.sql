-- Sites, OpenAPI specifications and PDFs. Times are in milliseconds since 1970.

-- Published sites.
CREATE TABLE sites (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'basic',
  title TEXT NOT NULL,
  -- Last path segment of the site's default URL.
  basename TEXT NOT NULL,
  -- Custom domain.
  hostname TEXT,
  -- Host and path at which another server forwards to the site.
  proxy TEXT,
  visibility TEXT NOT NULL DEFAULT 'public',
  published INTEGER NOT NULL DEFAULT 0,
  adaptive INTEGER NOT NULL DEFAULT 0,
  agents_context TEXT NOT NULL DEFAULT 'included',
  -- Random; a new stamp ends all visitor sessions.
  stamp TEXT NOT NULL,
  auth_backend TEXT NOT NULL DEFAULT 'custom',
  auth_integration TEXT,
  auth_fallback TEXT,
  -- Random seed of the key that signs visitor tokens; derived with the server's secret.
  auth_key TEXT NOT NULL,
  -- Whether the key has been displayed.
  auth_shown INTEGER NOT NULL DEFAULT 0,
  -- Counter, maintained by triggers.
  site_spaces INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Number of changes to what visitors are shown; part of cache keys.
  shown INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX sites_by_address ON sites (organization, basename);
CREATE UNIQUE INDEX sites_by_hostname ON sites (hostname) WHERE hostname IS NOT NULL;
CREATE UNIQUE INDEX sites_by_proxy ON sites (proxy) WHERE proxy IS NOT NULL;
CREATE INDEX sites_by_age ON sites (organization, created_at, id);
CREATE TRIGGER sites_readdressed AFTER UPDATE OF basename, hostname, proxy ON sites BEGIN
  INSERT INTO site_former_addresses (site, organization, kind, value, until)
    SELECT OLD.id, OLD.organization, f.kind, f.value, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    FROM (SELECT 'basename' AS kind, OLD.basename AS value, NEW.basename AS now
      UNION ALL SELECT 'hostname', OLD.hostname, NEW.hostname
      UNION ALL SELECT 'proxy', OLD.proxy, NEW.proxy) f
    WHERE f.value IS NOT NULL AND f.value IS NOT f.now
    ON CONFLICT (kind, value, site) DO UPDATE SET until = excluded.until;
  -- Keeps the newest 100 of a site.
  DELETE FROM site_former_addresses WHERE site = NEW.id AND (kind, value) IN (
    SELECT a.kind, a.value FROM site_former_addresses a WHERE a.site = NEW.id
    ORDER BY a.until DESC LIMIT -1 OFFSET 100);
END;

-- Groups of sections at the top level of a site. A site's top level has sections, groups and external links, or only
-- site spaces.
CREATE TABLE site_section_groups (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  title TEXT NOT NULL,
  icon TEXT,
  position TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX site_section_groups_by_site ON site_section_groups (site, position);

-- Sections of sites.
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
CREATE TRIGGER site_sections_placed AFTER UPDATE OF path, is_default ON site_sections
WHEN NEW.path <> OLD.path OR NEW.is_default <> OLD.is_default BEGIN
  UPDATE site_spaces SET path = path WHERE site = NEW.site AND section = NEW.id;
END;

-- Spaces in a site.
CREATE TABLE site_spaces (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  -- '' if the site has no sections.
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
CREATE TRIGGER site_spaces_added AFTER INSERT ON site_spaces BEGIN
  UPDATE sites SET site_spaces = site_spaces + 1 WHERE id = NEW.site;
END;
CREATE TRIGGER site_spaces_removed AFTER DELETE ON site_spaces BEGIN
  DELETE FROM site_customizations WHERE site = OLD.site AND site_space = OLD.id;
  UPDATE sites SET site_spaces = site_spaces - 1 WHERE id = OLD.site;
END;
-- Closes the paths that a site space has left and opens those that it has now.
CREATE TRIGGER site_spaces_placed AFTER UPDATE OF section, space, path, is_default ON site_spaces BEGIN
  UPDATE site_places SET until = CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      left_as = 1 + COALESCE((
        SELECT MAX(p.left_as) FROM site_places p WHERE p.site = NEW.site AND p.left_as IS NOT NULL), 0)
    WHERE space = OLD.space AND site_space = NEW.id AND until = 9007199254740991 AND NOT EXISTS (
      SELECT 1 FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
      WHERE ss.id = NEW.id AND ss.space = site_places.space
        AND site_places.path = CASE site_places.rank
          WHEN 3 THEN sec.path || '/' || ss.path WHEN 2 THEN sec.path WHEN 1 THEN ss.path ELSE '' END
        AND (site_places.rank IN (1, 3) OR ss.is_default = 1)
        AND CASE WHEN site_places.rank > 1 THEN sec.id IS NOT NULL ELSE sec.id IS NULL OR sec.is_default = 1 END);
  -- Removes paths that existed only within this commit.
  DELETE FROM site_places WHERE site = NEW.site AND left_as = (
    SELECT MAX(p.left_as) FROM site_places p WHERE p.site = NEW.site AND p.left_as IS NOT NULL) AND until <= since + 1;
  INSERT INTO site_places (site, path, rank, space, site_space, since)
    SELECT ss.site,
      CASE f.rank WHEN 3 THEN sec.path || '/' || ss.path WHEN 2 THEN sec.path WHEN 1 THEN ss.path ELSE '' END,
      f.rank, ss.space, ss.id, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
    CROSS JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) f
    WHERE ss.id = NEW.id AND (f.rank IN (1, 3) OR ss.is_default = 1)
      AND CASE WHEN f.rank > 1 THEN sec.id IS NOT NULL ELSE sec.id IS NULL OR sec.is_default = 1 END
      AND NOT EXISTS (SELECT 1 FROM site_places p WHERE p.space = ss.space AND p.site_space = ss.id
        AND p.until = 9007199254740991 AND p.rank = f.rank);
  -- Keeps the newest 2,000 departures of a site.
  DELETE FROM site_places WHERE site = NEW.site AND left_as IS NOT NULL AND left_as <= (
    SELECT MAX(p.left_as) - 2000 FROM site_places p WHERE p.site = NEW.site AND p.left_as IS NOT NULL);
END;
CREATE TRIGGER site_spaces_come AFTER INSERT ON site_spaces BEGIN
  UPDATE site_spaces SET path = path WHERE id = NEW.id;
END;
CREATE TRIGGER site_spaces_gone AFTER DELETE ON site_spaces BEGIN
  UPDATE site_places SET until = CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      left_as = 1 + COALESCE((
        SELECT MAX(p.left_as) FROM site_places p WHERE p.site = OLD.site AND p.left_as IS NOT NULL), 0)
    WHERE space = OLD.space AND site_space = OLD.id AND until = 9007199254740991;
  DELETE FROM site_places WHERE site = OLD.site AND left_as = (
    SELECT MAX(p.left_as) FROM site_places p WHERE p.site = OLD.site AND p.left_as IS NOT NULL) AND until <= since + 1;
END;

-- External links in the navigation of a site.
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

-- Links that give access to a site with visibility 'share-link'.
CREATE TABLE site_share_links (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  name TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1,
  -- SHA-256 of the key in hex. The key is derived from the id and the server's secret.
  key_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX site_share_links_by_key ON site_share_links (key_hash);
CREATE INDEX site_share_links_by_age ON site_share_links (site, created_at, id);

-- Redirects of sites.
CREATE TABLE site_redirects (
  id TEXT PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  -- Path in the site, with a leading slash; for a wildcard without the trailing '/*'.
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

-- Themes of sites and site spaces. `site_space` is '' for the site itself.
CREATE TABLE site_customizations (
  site TEXT NOT NULL,
  site_space TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (site, site_space)
);

-- JSON Schemas of visitor claims.
CREATE TABLE site_adaptive_schemas (
  site TEXT PRIMARY KEY NOT NULL,
  json_schema TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);

-- Current and former paths of each space in a site, maintained by triggers, for redirects.
CREATE TABLE site_places (
  id INTEGER PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  -- Paths of the section and the site space, where named; '' for the root of the site.
  path TEXT NOT NULL,
  -- 2 if the path names the section, plus 1 if it names the site space. The highest rank wins at equal paths.
  rank INTEGER NOT NULL,
  space TEXT NOT NULL,
  site_space TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL DEFAULT 9007199254740991,
  -- Number of the departure in the site. Null for current paths.
  left_as INTEGER
);
CREATE INDEX site_places_by_path ON site_places (site, path, until);
CREATE INDEX site_places_by_space ON site_places (space, site_space, until);
CREATE INDEX site_places_by_leaving ON site_places (site, left_as) WHERE left_as IS NOT NULL;

-- Former hostnames and basenames of sites, maintained by a trigger, for redirects.
CREATE TABLE site_former_addresses (
  site TEXT NOT NULL,
  organization TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (kind, value, site)
) WITHOUT ROWID;
CREATE INDEX site_former_addresses_by_site ON site_former_addresses (site, until);

-- OpenAPI specifications. Their texts are objects in a bucket; see `openapi_objects`.
CREATE TABLE openapi_specs (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  slug TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'private',
  -- Incremented with each new source: results of earlier sources are discarded.
  source INTEGER NOT NULL DEFAULT 1,
  source_url TEXT,
  -- Object with the text to process.
  source_object TEXT,
  state TEXT NOT NULL DEFAULT 'pending',
  version TEXT,
  error_code TEXT,
  error_message TEXT,
  -- Validators of the last response, for conditional requests.
  etag TEXT,
  last_modified TEXT,
  -- Time of the next download. Null for an uploaded text.
  read_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  processed_at INTEGER
);
CREATE UNIQUE INDEX openapi_specs_by_slug ON openapi_specs (organization, slug);
CREATE INDEX openapi_specs_by_age ON openapi_specs (organization, created_at, id);
CREATE INDEX openapi_specs_due ON openapi_specs (read_at) WHERE read_at IS NOT NULL;

-- Versions of OpenAPI specifications.
CREATE TABLE openapi_versions (
  id TEXT PRIMARY KEY NOT NULL,
  spec TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  format TEXT NOT NULL,
  source_url TEXT,
  -- Objects: the original text, and the document as OpenAPI 3 in JSON. They can be the same.
  raw TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX openapi_versions_of_spec ON openapi_versions (spec, number);

-- Pages that can be generated from the newest version of a specification.
CREATE TABLE openapi_entries (
  version TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  parent INTEGER,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  icon TEXT,
  name TEXT,
  method TEXT,
  path TEXT,
  deprecated INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;
CREATE INDEX openapi_entries_of_kind ON openapi_entries (version, kind, parent, ordinal);

-- Objects in the bucket, recorded before they are uploaded so that none is left behind.
CREATE TABLE openapi_objects (
  key TEXT PRIMARY KEY NOT NULL,
  -- Time of deletion, unless the object is referenced by then. Null while it is referenced.
  sweep_at INTEGER
);
CREATE INDEX openapi_objects_to_sweep ON openapi_objects (sweep_at) WHERE sweep_at IS NOT NULL;

-- Requested PDFs. Each combination of revision, pages and title is rendered once. Failed ones are kept for a while so
-- that their URL reports the error.
CREATE TABLE pdfs (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  space TEXT NOT NULL,
  change_request TEXT,
  revision TEXT NOT NULL,
  -- First page; '' for all pages.
  page TEXT NOT NULL DEFAULT '',
  -- 1 to leave out the subpages.
  only INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL,
  subtitle TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'waiting',
  bytes INTEGER,
  pages INTEGER,
  -- Multipart upload of the last attempt.
  upload TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  -- Scripts without a font that has all letters, separated by commas.
  missing TEXT NOT NULL DEFAULT '',
  -- The site and visitor who asked for it; `visit` distinguishes visitors who are shown different content.
  site TEXT,
  visit TEXT NOT NULL DEFAULT '',
  visitor TEXT
);
CREATE INDEX pdfs_by_age ON pdfs (asked_at);
CREATE UNIQUE INDEX pdfs_wanted ON pdfs (revision, page, only, title, subtitle, visit)
  WHERE state <> 'failed';
CREATE INDEX pdfs_of_site ON pdfs (site, visit) WHERE site IS NOT NULL;
