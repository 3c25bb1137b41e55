-- What a developer does not keep up ends by itself. What was set before, nobody keeps up.
ALTER TABLE integrations ADD COLUMN dev_until INTEGER;
ALTER TABLE integrations ADD COLUMN dev_seconds INTEGER;
UPDATE integrations SET dev_url = NULL WHERE dev_url IS NOT NULL;
