-- Where a space or collection stands among its siblings, spaces and collections in one order: a fractional index key.
-- What is new stands first, so that the order begins as newest first.
ALTER TABLE collections ADD COLUMN position TEXT NOT NULL DEFAULT '';
ALTER TABLE collections ADD COLUMN deleted_at INTEGER;
ALTER TABLE spaces ADD COLUMN position TEXT NOT NULL DEFAULT '';
UPDATE collections SET position = (
  SELECT 'i' || substr(d, (n / 218340105584896) % 62 + 1, 1)
    || substr(d, (n / 3521614606208) % 62 + 1, 1)
    || substr(d, (n / 56800235584) % 62 + 1, 1)
    || substr(d, (n / 916132832) % 62 + 1, 1)
    || substr(d, (n / 14776336) % 62 + 1, 1)
    || substr(d, (n / 238328) % 62 + 1, 1)
    || substr(d, (n / 3844) % 62 + 1, 1)
    || substr(d, (n / 62) % 62 + 1, 1)
    || substr(d, (n / 1) % 62 + 1, 1)
  FROM (SELECT '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' AS d, 9000000000000000 - collections.created_at * 1000 AS n));
UPDATE spaces SET position = (
  SELECT 'i' || substr(d, (n / 218340105584896) % 62 + 1, 1)
    || substr(d, (n / 3521614606208) % 62 + 1, 1)
    || substr(d, (n / 56800235584) % 62 + 1, 1)
    || substr(d, (n / 916132832) % 62 + 1, 1)
    || substr(d, (n / 14776336) % 62 + 1, 1)
    || substr(d, (n / 238328) % 62 + 1, 1)
    || substr(d, (n / 3844) % 62 + 1, 1)
    || substr(d, (n / 62) % 62 + 1, 1)
    || substr(d, (n / 1) % 62 + 1, 1)
  FROM (SELECT '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' AS d, 9000000000000000 - spaces.created_at * 1000 AS n));

CREATE INDEX collections_in_order ON collections (organization, position, id) WHERE deleted_at IS NULL;
CREATE INDEX collections_below ON collections (organization, parent, position, id) WHERE deleted_at IS NULL;
CREATE INDEX collections_opened ON collections (organization, parent)
  WHERE default_level <> 'none' AND parent IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX collections_hidden ON collections (created_by, organization) WHERE default_level = 'none';
CREATE INDEX collections_of_parent ON collections (parent);
CREATE INDEX spaces_below ON spaces (organization, parent, position, id) WHERE deleted_at IS NULL;
CREATE INDEX spaces_opened ON spaces (organization, parent)
  WHERE default_level <> 'none' AND parent IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX spaces_hidden ON spaces (created_by, organization) WHERE default_level = 'none';
CREATE INDEX spaces_of_parent ON spaces (parent) WHERE parent IS NOT NULL;

-- A grant holds within one organization: it does not go along when its object is transferred, nor outlive it.
CREATE TRIGGER collections_transferred AFTER UPDATE OF organization ON collections
WHEN old.organization <> new.organization BEGIN
  DELETE FROM grants WHERE object = new.id AND organization = old.organization;
  DELETE FROM invites WHERE object = new.id AND organization = old.organization;
END;
CREATE TRIGGER spaces_transferred AFTER UPDATE OF organization ON spaces
WHEN old.organization <> new.organization BEGIN
  DELETE FROM grants WHERE object = new.id AND organization = old.organization;
  DELETE FROM invites WHERE object = new.id AND organization = old.organization;
END;
CREATE TRIGGER collections_purged AFTER DELETE ON collections BEGIN
  DELETE FROM grants WHERE object = old.id;
  DELETE FROM invites WHERE object = old.id;
END;
-- Before: grants that go while the space is in the trash still are not counted.
CREATE TRIGGER spaces_purged BEFORE DELETE ON spaces BEGIN
  DELETE FROM grants WHERE object = old.id;
  DELETE FROM invites WHERE object = old.id;
END;
