-- The integration by whose title the account of an installation goes, while it is installed.
ALTER TABLE users ADD COLUMN integration TEXT;
UPDATE users SET kind = 'installation' WHERE id GLOB 'acc_*' AND id NOT IN (SELECT account FROM integrations);
UPDATE users SET integration = i.integration FROM installations i WHERE users.id = i.account;

-- A space in the trash counts for no installation.
DROP TRIGGER space_installations_added;
DROP TRIGGER space_installations_removed;
CREATE TRIGGER space_installations_added AFTER INSERT ON space_installations
WHEN NOT EXISTS (SELECT 1 FROM spaces WHERE id = new.space AND deleted_at IS NOT NULL) BEGIN
  UPDATE installations SET spaces = spaces + 1 WHERE id = new.installation;
END;
CREATE TRIGGER space_installations_removed AFTER DELETE ON space_installations
WHEN NOT EXISTS (SELECT 1 FROM spaces WHERE id = old.space AND deleted_at IS NOT NULL) BEGIN
  UPDATE installations SET spaces = spaces - 1 WHERE id = old.installation;
END;
UPDATE installations SET spaces = spaces - trashed.count FROM (
  SELECT x.installation, COUNT(*) AS count FROM space_installations x
  CROSS JOIN spaces s ON s.id = x.space AND s.deleted_at IS NOT NULL GROUP BY x.installation) trashed
WHERE installations.id = trashed.installation;
