-- Organizations take turns, each with what has been due the longest. Until `leased_until` one taker has a row; what made it
-- due meanwhile is seen by `due_at` before that. `former` is shown no more, and its entries are to go yet.
ALTER TABLE computed_contents ADD COLUMN taken_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE computed_contents ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE computed_contents ADD COLUMN former TEXT;
DROP INDEX computed_contents_due;
CREATE INDEX computed_contents_due ON computed_contents (organization, due_at);
CREATE INDEX computed_contents_taken ON computed_contents (organization, taken_at);

DROP TRIGGER space_installations_compute;
DROP TRIGGER space_installations_recompute;
DROP TRIGGER space_installations_uncompute;
DROP TRIGGER installations_compute;
DROP TRIGGER installations_recompute;
DROP TRIGGER installations_uncompute;
DROP TRIGGER integrations_recompute;

-- What an integration makes follows from where it is installed and how. What changes that makes due what was not begun
-- within the last minute, the rest a minute after it was; a thousand at once, the others within the hour. What the
-- integration is installed for no more is shown no more in the same write.
CREATE TRIGGER space_installations_compute AFTER INSERT ON space_installations BEGIN
  UPDATE computed_contents SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    WHERE (space, page) IN (SELECT space, page FROM computed_contents WHERE integration = new.integration AND organization = new.organization AND space = new.space
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000) LIMIT 1000);
  UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    WHERE integration = new.integration AND organization = new.organization AND space = new.space AND (version IS NOT NULL OR leased_until > 0)
      AND NOT EXISTS (SELECT 1 FROM installations i
        LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
        WHERE i.integration = new.integration AND i.organization = new.organization AND i.status = 'active'
          AND COALESCE(p.status = 'active', i.space_selection = 'all'));
END;
CREATE TRIGGER space_installations_recompute AFTER UPDATE OF status, configuration ON space_installations
WHEN new.status IS NOT old.status OR new.configuration IS NOT old.configuration AND new.updated_at IS NOT old.updated_at BEGIN
  UPDATE computed_contents SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    WHERE (space, page) IN (SELECT space, page FROM computed_contents WHERE integration = new.integration AND organization = new.organization AND space = new.space
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000) LIMIT 1000);
  UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    WHERE integration = new.integration AND organization = new.organization AND space = new.space AND (version IS NOT NULL OR leased_until > 0)
      AND NOT EXISTS (SELECT 1 FROM installations i
        LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
        WHERE i.integration = new.integration AND i.organization = new.organization AND i.status = 'active'
          AND COALESCE(p.status = 'active', i.space_selection = 'all'));
END;
CREATE TRIGGER space_installations_uncompute AFTER DELETE ON space_installations BEGIN
  UPDATE computed_contents SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    WHERE (space, page) IN (SELECT space, page FROM computed_contents WHERE integration = old.integration AND organization = old.organization AND space = old.space
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000) LIMIT 1000);
  UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    WHERE integration = old.integration AND organization = old.organization AND space = old.space AND (version IS NOT NULL OR leased_until > 0)
      AND NOT EXISTS (SELECT 1 FROM installations i
        LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
        WHERE i.integration = old.integration AND i.organization = old.organization AND i.status = 'active'
          AND COALESCE(p.status = 'active', i.space_selection = 'all'));
END;
CREATE TRIGGER installations_compute AFTER INSERT ON installations BEGIN
  UPDATE computed_contents SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    WHERE (space, page) IN (SELECT space, page FROM computed_contents WHERE integration = new.integration AND organization = new.organization
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000) LIMIT 1000);
END;
CREATE TRIGGER installations_recompute AFTER UPDATE OF status, configuration, space_selection ON installations
WHEN new.status IS NOT old.status OR new.configuration IS NOT old.configuration AND new.updated_at IS NOT old.updated_at OR new.space_selection IS NOT old.space_selection BEGIN
  UPDATE computed_contents SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    WHERE (space, page) IN (SELECT space, page FROM computed_contents WHERE integration = new.integration AND organization = new.organization
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000) LIMIT 1000);
  UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    WHERE integration = new.integration AND organization = new.organization AND (version IS NOT NULL OR leased_until > 0)
      AND NOT EXISTS (SELECT 1 FROM installations i
        LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
        WHERE i.integration = new.integration AND i.organization = new.organization AND i.status = 'active'
          AND COALESCE(p.status = 'active', i.space_selection = 'all'));
END;
CREATE TRIGGER installations_uncompute AFTER DELETE ON installations BEGIN
  UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
    WHERE integration = old.integration AND organization = old.organization AND (version IS NOT NULL OR leased_until > 0)
      AND NOT EXISTS (SELECT 1 FROM installations i
        LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
        WHERE i.integration = old.integration AND i.organization = old.organization AND i.status = 'active'
          AND COALESCE(p.status = 'active', i.space_selection = 'all'));
END;
CREATE TRIGGER integrations_recompute AFTER UPDATE OF script, content_sources, unpublished_at ON integrations
WHEN new.script IS NOT old.script OR new.content_sources IS NOT old.content_sources OR new.unpublished_at IS NOT old.unpublished_at BEGIN
  UPDATE computed_contents SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    WHERE (space, page) IN (SELECT space, page FROM computed_contents WHERE integration = new.name
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000) LIMIT 1000);
END;
