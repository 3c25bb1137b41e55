-- The computed pages of a branch that are made from the content sources of integrations.
CREATE INDEX versions_integrated ON versions (branch, until)
  WHERE data->>'$.fields.computed.type' GLOB 'integration:*';

-- The computed pages of live contents that integrations make pages of, with what they made last. The rows are found out
-- when the search finds the computed page; whoever makes the pages takes those that are due.
CREATE TABLE computed_contents (
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  organization TEXT NOT NULL,
  -- Integrations are named without regard to case.
  integration TEXT NOT NULL COLLATE NOCASE,
  -- As the computed page has it, in JSON.
  source TEXT NOT NULL,
  -- Of the pages that are shown; null where there are none.
  version TEXT,
  -- SHA-256 of them.
  hash TEXT,
  computed_at INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  -- Since the last success, and why the last one.
  failures INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  PRIMARY KEY (space, page)
) WITHOUT ROWID;
CREATE INDEX computed_contents_due ON computed_contents (due_at);
CREATE INDEX computed_contents_of_integration ON computed_contents (integration, organization, space);

CREATE TABLE computed_entries (
  version TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  parent INTEGER,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  icon TEXT,
  text TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;

-- What an integration makes follows from where it is installed and how: that is looked at again at once.
CREATE TRIGGER space_installations_compute AFTER INSERT ON space_installations BEGIN
  UPDATE computed_contents SET due_at = 0
    WHERE integration = new.integration AND organization = new.organization AND space = new.space;
END;
CREATE TRIGGER space_installations_recompute AFTER UPDATE OF status, configuration ON space_installations BEGIN
  UPDATE computed_contents SET due_at = 0
    WHERE integration = new.integration AND organization = new.organization AND space = new.space;
END;
CREATE TRIGGER space_installations_uncompute AFTER DELETE ON space_installations BEGIN
  UPDATE computed_contents SET due_at = 0
    WHERE integration = old.integration AND organization = old.organization AND space = old.space;
END;
CREATE TRIGGER installations_compute AFTER INSERT ON installations BEGIN
  UPDATE computed_contents SET due_at = 0 WHERE integration = new.integration AND organization = new.organization;
END;
CREATE TRIGGER installations_recompute AFTER UPDATE OF status, configuration, space_selection ON installations BEGIN
  UPDATE computed_contents SET due_at = 0 WHERE integration = new.integration AND organization = new.organization;
END;
CREATE TRIGGER installations_uncompute AFTER DELETE ON installations BEGIN
  UPDATE computed_contents SET due_at = 0 WHERE integration = old.integration AND organization = old.organization;
END;
-- Of the first thousand; the others follow within an hour.
CREATE TRIGGER integrations_recompute AFTER UPDATE OF script, content_sources, unpublished_at ON integrations BEGIN
  UPDATE computed_contents SET due_at = 0 WHERE (space, page) IN (
    SELECT space, page FROM computed_contents WHERE integration = new.name LIMIT 1000);
END;
