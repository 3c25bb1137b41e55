-- The branch and folder of a git repository that the space is synced with, in JSON.
ALTER TABLE spaces ADD COLUMN git_sync TEXT;
-- Whether a customization of the site shows links to the source files of pages, which visitors then know.
ALTER TABLE sites ADD COLUMN edit_links INTEGER NOT NULL DEFAULT 0;
-- Compatible: these statements change only the new column.
UPDATE sites SET edit_links = 1 WHERE EXISTS (
  SELECT 1 FROM site_customizations c WHERE c.site = sites.id AND c.settings->>'$.git.showEditLink');
CREATE TRIGGER site_customizations_inserted AFTER INSERT ON site_customizations BEGIN
  UPDATE sites SET edit_links = EXISTS (
    SELECT 1 FROM site_customizations c WHERE c.site = NEW.site AND c.settings->>'$.git.showEditLink')
  WHERE id = NEW.site;
END;
CREATE TRIGGER site_customizations_updated AFTER UPDATE OF settings ON site_customizations BEGIN
  UPDATE sites SET edit_links = EXISTS (
    SELECT 1 FROM site_customizations c WHERE c.site = NEW.site AND c.settings->>'$.git.showEditLink')
  WHERE id = NEW.site;
END;
CREATE TRIGGER site_customizations_deleted AFTER DELETE ON site_customizations BEGIN
  UPDATE sites SET edit_links = EXISTS (
    SELECT 1 FROM site_customizations c WHERE c.site = OLD.site AND c.settings->>'$.git.showEditLink')
  WHERE id = OLD.site;
END;
