-- Where the look at what is pending of an integration goes on, which another version begins: a kind of installation, an
-- installation and what it is on. Null where nobody looks.
ALTER TABLE integrations ADD COLUMN settling_from TEXT;
CREATE INDEX integrations_settling ON integrations (updated_at) WHERE settling_from IS NOT NULL;

CREATE INDEX installations_pending ON installations (integration, id) WHERE status = 'pending';
CREATE INDEX space_installations_pending ON space_installations (integration, installation, space)
  WHERE status = 'pending';
CREATE INDEX site_installations_pending ON site_installations (integration, installation, site)
  WHERE status = 'pending';

UPDATE integrations SET settling_from = 'installation' WHERE unpublished_at IS NULL AND (
  EXISTS (SELECT 1 FROM installations WHERE integration = integrations.name AND status = 'pending')
  OR EXISTS (SELECT 1 FROM space_installations WHERE integration = integrations.name AND status = 'pending')
  OR EXISTS (SELECT 1 FROM site_installations WHERE integration = integrations.name AND status = 'pending'));
