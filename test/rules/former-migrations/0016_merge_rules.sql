-- What has to hold before a change request is merged, as JSON. Null: none on an organization, on a space what its
-- organization has.
ALTER TABLE organizations ADD COLUMN merge_rules TEXT;
ALTER TABLE spaces ADD COLUMN merge_rules TEXT;
