-- The computed pages of live contents, by which the pages that are made of them are indexed: those of one place, or those
-- of one specification of an organization. `beside` are the pages that take a slug from one that is made.
CREATE TABLE search_sources (
  space TEXT NOT NULL,
  source TEXT NOT NULL,
  organization TEXT NOT NULL,
  place TEXT NOT NULL,
  spec TEXT NOT NULL,
  beside TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (space, source)
) WITHOUT ROWID;
CREATE INDEX search_sources_of_spec ON search_sources (organization, spec, space, place);

-- The pages that are made of them, as they were indexed; `path` begins at the place of the computed page. `due` is what is
-- to be indexed of a page yet: '{}' where it is to go.
CREATE TABLE search_made_pages (
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  place TEXT NOT NULL,
  version TEXT NOT NULL,
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  conditions TEXT NOT NULL,
  due TEXT,
  PRIMARY KEY (space, page)
) WITHOUT ROWID;
CREATE INDEX search_made_pages_of_place ON search_made_pages (space, place, path);
CREATE INDEX search_made_pages_due ON search_made_pages (space, place, page) WHERE due IS NOT NULL;

DROP TRIGGER searched_spaces_transferred;
CREATE TRIGGER searched_spaces_transferred AFTER UPDATE OF organization ON spaces
WHEN old.organization <> new.organization BEGIN
  UPDATE search_sections SET organization = new.organization WHERE space = new.id;
  UPDATE search_sources SET organization = new.organization WHERE space = new.id;
END;
