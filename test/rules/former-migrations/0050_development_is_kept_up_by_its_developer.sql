-- Only who develops an integration begins its time anew, and says for how long.
ALTER TABLE integrations DROP COLUMN dev_seconds;
