-- At which paths of a site a space stands, and stood: what the addresses of its pages begin with. Times are milliseconds.
CREATE TABLE site_places (
  id INTEGER PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  -- What an address has of the section and of the site space; '' is the site's own.
  path TEXT NOT NULL,
  -- Of two that stand at one address the higher is meant: 2 where the section is named, and 1 more where the site space is.
  rank INTEGER NOT NULL,
  space TEXT NOT NULL,
  site_space TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL DEFAULT 9007199254740991,
  -- Counts how often something left its place in the site; null while it stands there.
  left_as INTEGER
);
CREATE INDEX site_places_by_path ON site_places (site, path, until);
CREATE INDEX site_places_by_space ON site_places (space, site_space, until);
CREATE INDEX site_places_by_leaving ON site_places (site, left_as) WHERE left_as IS NOT NULL;

-- What the address of a site once was. Times are milliseconds.
CREATE TABLE site_former_addresses (
  site TEXT NOT NULL,
  organization TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (kind, value, site)
) WITHOUT ROWID;
CREATE INDEX site_former_addresses_by_site ON site_former_addresses (site, until);

INSERT INTO site_places (site, path, rank, space, site_space, since)
  SELECT ss.site, CASE f.rank WHEN 3 THEN sec.path || '/' || ss.path WHEN 2 THEN sec.path WHEN 1 THEN ss.path ELSE '' END,
    f.rank, ss.space, ss.id, 0
  FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
  CROSS JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) f
  WHERE (f.rank IN (1, 3) OR ss.is_default = 1)
    AND CASE WHEN f.rank > 1 THEN sec.id IS NOT NULL ELSE sec.id IS NULL OR sec.is_default = 1 END;

-- Where a site space stands follows from it and its section: what it has left is closed, what it has come to is opened.
CREATE TRIGGER site_spaces_placed AFTER UPDATE OF section, space, path, is_default ON site_spaces BEGIN
  UPDATE site_places SET until = CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      left_as = 1 + COALESCE((SELECT MAX(p.left_as) FROM site_places p WHERE p.site = NEW.site AND p.left_as IS NOT NULL), 0)
    WHERE space = OLD.space AND site_space = NEW.id AND until = 9007199254740991 AND NOT EXISTS (
      SELECT 1 FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
      WHERE ss.id = NEW.id AND ss.space = site_places.space
        AND site_places.path = CASE site_places.rank WHEN 3 THEN sec.path || '/' || ss.path WHEN 2 THEN sec.path WHEN 1 THEN ss.path ELSE '' END
        AND (site_places.rank IN (1, 3) OR ss.is_default = 1)
        AND CASE WHEN site_places.rank > 1 THEN sec.id IS NOT NULL ELSE sec.id IS NULL OR sec.is_default = 1 END);
  -- Steps on the way of one commit were no addresses.
  DELETE FROM site_places WHERE site = NEW.site AND left_as = (
    SELECT MAX(p.left_as) FROM site_places p WHERE p.site = NEW.site AND p.left_as IS NOT NULL) AND until <= since + 1;
  INSERT INTO site_places (site, path, rank, space, site_space, since)
    SELECT ss.site, CASE f.rank WHEN 3 THEN sec.path || '/' || ss.path WHEN 2 THEN sec.path WHEN 1 THEN ss.path ELSE '' END,
      f.rank, ss.space, ss.id, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
    CROSS JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) f
    WHERE ss.id = NEW.id AND (f.rank IN (1, 3) OR ss.is_default = 1)
      AND CASE WHEN f.rank > 1 THEN sec.id IS NOT NULL ELSE sec.id IS NULL OR sec.is_default = 1 END
      AND NOT EXISTS (SELECT 1 FROM site_places p WHERE p.space = ss.space AND p.site_space = ss.id
        AND p.until = 9007199254740991 AND p.rank = f.rank);
  -- The newest 2,000 leavings of a site are kept.
  DELETE FROM site_places WHERE site = NEW.site AND left_as IS NOT NULL AND left_as <= (
    SELECT MAX(p.left_as) - 2000 FROM site_places p WHERE p.site = NEW.site AND p.left_as IS NOT NULL);
END;

CREATE TRIGGER site_spaces_come AFTER INSERT ON site_spaces BEGIN
  UPDATE site_spaces SET path = path WHERE id = NEW.id;
END;

CREATE TRIGGER site_spaces_gone AFTER DELETE ON site_spaces BEGIN
  UPDATE site_places SET until = CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      left_as = 1 + COALESCE((SELECT MAX(p.left_as) FROM site_places p WHERE p.site = OLD.site AND p.left_as IS NOT NULL), 0)
    WHERE space = OLD.space AND site_space = OLD.id AND until = 9007199254740991;
  DELETE FROM site_places WHERE site = OLD.site AND left_as = (
    SELECT MAX(p.left_as) FROM site_places p WHERE p.site = OLD.site AND p.left_as IS NOT NULL) AND until <= since + 1;
END;

CREATE TRIGGER site_sections_placed AFTER UPDATE OF path, is_default ON site_sections
  WHEN NEW.path <> OLD.path OR NEW.is_default <> OLD.is_default BEGIN
  UPDATE site_spaces SET path = path WHERE site = NEW.site AND section = NEW.id;
END;

CREATE TRIGGER sites_readdressed AFTER UPDATE OF basename, hostname, proxy ON sites BEGIN
  INSERT INTO site_former_addresses (site, organization, kind, value, until)
    SELECT OLD.id, OLD.organization, f.kind, f.value, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
    FROM (SELECT 'basename' AS kind, OLD.basename AS value, NEW.basename AS now
      UNION ALL SELECT 'hostname', OLD.hostname, NEW.hostname
      UNION ALL SELECT 'proxy', OLD.proxy, NEW.proxy) f
    WHERE f.value IS NOT NULL AND f.value IS NOT f.now
    ON CONFLICT (kind, value, site) DO UPDATE SET until = excluded.until;
  -- The newest 100 of a site are kept.
  DELETE FROM site_former_addresses WHERE site = NEW.id AND (kind, value) IN (
    SELECT a.kind, a.value FROM site_former_addresses a WHERE a.site = NEW.id ORDER BY a.until DESC LIMIT -1 OFFSET 100);
END;
