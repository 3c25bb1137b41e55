-- With which version of an integration each scope came that it asks for now, and at which version an organization agreed:
-- a scope that was gone in between is to be agreed to anew.
ALTER TABLE integrations ADD COLUMN scopes_since TEXT NOT NULL DEFAULT '{}';
ALTER TABLE installations ADD COLUMN agreed_version INTEGER NOT NULL DEFAULT 0;
UPDATE integrations SET scopes_since = (SELECT json_group_object(value, 0) FROM json_each(scopes));
