-- Who edited a change request, and who commented on a branch: a change request or a space's live content. Kept by
-- triggers on what it counts.
CREATE TABLE contributors (
  branch TEXT NOT NULL,
  action TEXT NOT NULL,
  user TEXT NOT NULL,
  space TEXT NOT NULL,
  count INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (branch, action, user)
) WITHOUT ROWID;
CREATE INDEX contributors_by_user ON contributors (user, space, branch);

INSERT INTO contributors (branch, action, user, space, count, updated_at)
  SELECT branch, 'edit', author, space, COUNT(*), MAX(created_at) FROM revisions
  WHERE branch <> space AND type <> 'update' GROUP BY branch, author;

CREATE TRIGGER revisions_contributed AFTER INSERT ON revisions WHEN new.branch <> new.space AND new.type <> 'update' BEGIN
  INSERT INTO contributors (branch, action, user, space, count, updated_at)
  VALUES (new.branch, 'edit', new.author, new.space, 1, new.created_at)
  ON CONFLICT (branch, action, user) DO UPDATE SET count = count + 1, updated_at = new.created_at;
END;

CREATE TRIGGER change_requests_contributed AFTER DELETE ON change_requests BEGIN
  DELETE FROM contributors WHERE branch = old.id;
END;
