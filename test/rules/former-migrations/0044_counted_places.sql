-- How many spaces and sites an installation is on, those in the trash too: by them it is bounded.
ALTER TABLE installations ADD COLUMN on_spaces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE installations ADD COLUMN on_sites INTEGER NOT NULL DEFAULT 0;
UPDATE installations SET on_spaces = (SELECT COUNT(*) FROM space_installations WHERE installation = installations.id),
  on_sites = (SELECT COUNT(*) FROM site_installations WHERE installation = installations.id);

-- A space in the trash counts for no installation as one that it is on.
DROP TRIGGER space_installations_added;
DROP TRIGGER space_installations_removed;
CREATE TRIGGER space_installations_added AFTER INSERT ON space_installations BEGIN
  UPDATE installations SET on_spaces = on_spaces + 1,
    spaces = spaces + NOT EXISTS (SELECT 1 FROM spaces WHERE id = new.space AND deleted_at IS NOT NULL)
  WHERE id = new.installation;
END;
CREATE TRIGGER space_installations_removed AFTER DELETE ON space_installations BEGIN
  UPDATE installations SET on_spaces = on_spaces - 1,
    spaces = spaces - NOT EXISTS (SELECT 1 FROM spaces WHERE id = old.space AND deleted_at IS NOT NULL)
  WHERE id = old.installation;
END;
CREATE TRIGGER site_installations_added AFTER INSERT ON site_installations BEGIN
  UPDATE installations SET on_sites = on_sites + 1 WHERE id = new.installation;
END;
CREATE TRIGGER site_installations_removed AFTER DELETE ON site_installations BEGIN
  UPDATE installations SET on_sites = on_sites - 1 WHERE id = old.installation;
END;

CREATE INDEX installations_on_all_spaces ON installations (organization, created_at, id) WHERE space_selection = 'all';
