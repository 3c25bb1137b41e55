-- Comments on a branch: a space's live content, by the space's own id, or a change request. What a comment is about is kept
-- as it was when it was posted: the page and its document, and as JSON what was shown of them.
CREATE TABLE comments (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  branch TEXT NOT NULL,
  page TEXT,
  node TEXT,
  document TEXT,
  about TEXT,
  review TEXT,
  revision TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  edited_at INTEGER,
  resolved_at INTEGER,
  resolved_by TEXT,
  replies INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX comments_by_time ON comments (branch, created_at, id);
CREATE INDEX comments_open ON comments (branch, created_at, id) WHERE resolved_at IS NULL;
CREATE INDEX comments_resolved ON comments (branch, created_at, id) WHERE resolved_at IS NOT NULL;
CREATE INDEX comments_by_page ON comments (branch, page, created_at, id) WHERE page IS NOT NULL;
CREATE INDEX comments_by_author ON comments (branch, author, created_at, id);
CREATE INDEX comments_by_space ON comments (space);
CREATE UNIQUE INDEX comments_by_review ON comments (review) WHERE review IS NOT NULL;

CREATE TABLE comment_replies (
  id TEXT PRIMARY KEY NOT NULL,
  comment TEXT NOT NULL,
  space TEXT NOT NULL,
  branch TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  edited_at INTEGER
);
CREATE INDEX comment_replies_by_time ON comment_replies (comment, created_at, id);
CREATE INDEX comment_replies_by_space ON comment_replies (space);

-- `object` is a comment or a reply.
CREATE TABLE reactions (
  object TEXT NOT NULL,
  emoji TEXT NOT NULL,
  user TEXT NOT NULL,
  space TEXT NOT NULL,
  reacted_at INTEGER NOT NULL,
  PRIMARY KEY (object, emoji, user)
) WITHOUT ROWID;
CREATE INDEX reactions_by_time ON reactions (object, emoji, reacted_at, user);
CREATE INDEX reactions_by_space ON reactions (space);

-- How many reacted, so that reading a comment that many react to costs no more than what is shown.
CREATE TABLE reaction_counts (
  object TEXT NOT NULL,
  emoji TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  PRIMARY KEY (object, emoji)
) WITHOUT ROWID;

CREATE TRIGGER reactions_added AFTER INSERT ON reactions BEGIN
  INSERT INTO reaction_counts (object, emoji, count, first_at) VALUES (new.object, new.emoji, 1, new.reacted_at)
  ON CONFLICT (object, emoji) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER reactions_removed AFTER DELETE ON reactions BEGIN
  UPDATE reaction_counts SET count = count - 1 WHERE object = old.object AND emoji = old.emoji;
  DELETE FROM reaction_counts WHERE object = old.object AND emoji = old.emoji AND count <= 0;
END;

-- The counters tell open comments. A contributor is whoever has a comment or a reply on the branch.
CREATE TRIGGER comments_posted AFTER INSERT ON comments BEGIN
  INSERT INTO space_counters (space, comments)
    SELECT new.space, 1 WHERE new.branch = new.space AND new.resolved_at IS NULL
  ON CONFLICT (space) DO UPDATE SET comments = comments + 1;
  UPDATE change_requests SET comments = comments + 1
    WHERE id = new.branch AND new.branch <> new.space AND new.resolved_at IS NULL;
  INSERT INTO contributors (branch, action, user, space, count, updated_at)
  VALUES (new.branch, 'comment', new.author, new.space, 1, new.created_at)
  ON CONFLICT (branch, action, user) DO UPDATE SET count = count + 1, updated_at = MAX(updated_at, new.created_at);
END;
CREATE TRIGGER comments_resolution AFTER UPDATE OF resolved_at ON comments
WHEN (old.resolved_at IS NULL) <> (new.resolved_at IS NULL) BEGIN
  UPDATE space_counters SET comments = comments + (CASE WHEN new.resolved_at IS NULL THEN 1 ELSE -1 END)
    WHERE space = new.branch;
  UPDATE change_requests SET comments = comments + (CASE WHEN new.resolved_at IS NULL THEN 1 ELSE -1 END)
    WHERE id = new.branch;
END;
CREATE TRIGGER comments_deleted AFTER DELETE ON comments BEGIN
  DELETE FROM comment_replies WHERE comment = old.id;
  DELETE FROM reactions WHERE object = old.id;
  UPDATE space_counters SET comments = comments - 1 WHERE space = old.branch AND old.resolved_at IS NULL;
  UPDATE change_requests SET comments = comments - 1 WHERE id = old.branch AND old.resolved_at IS NULL;
  UPDATE contributors SET count = count - 1 WHERE branch = old.branch AND action = 'comment' AND user = old.author;
  DELETE FROM contributors WHERE branch = old.branch AND action = 'comment' AND user = old.author AND count <= 0;
END;

CREATE TRIGGER comment_replies_posted AFTER INSERT ON comment_replies BEGIN
  UPDATE comments SET replies = replies + 1 WHERE id = new.comment;
  INSERT INTO contributors (branch, action, user, space, count, updated_at)
  VALUES (new.branch, 'comment', new.author, new.space, 1, new.created_at)
  ON CONFLICT (branch, action, user) DO UPDATE SET count = count + 1, updated_at = MAX(updated_at, new.created_at);
END;
CREATE TRIGGER comment_replies_deleted AFTER DELETE ON comment_replies BEGIN
  DELETE FROM reactions WHERE object = old.id;
  UPDATE comments SET replies = replies - 1 WHERE id = old.comment;
  UPDATE contributors SET count = count - 1 WHERE branch = old.branch AND action = 'comment' AND user = old.author;
  DELETE FROM contributors WHERE branch = old.branch AND action = 'comment' AND user = old.author AND count <= 0;
END;

CREATE TRIGGER change_requests_commented AFTER DELETE ON change_requests BEGIN
  DELETE FROM comments WHERE branch = old.id;
END;

-- Each touch of a purge takes a bounded part: reactions first, then replies, comments, and change requests last.
DROP TRIGGER spaces_purging;
CREATE TRIGGER spaces_purging AFTER UPDATE OF purging_at ON spaces WHEN old.purging_at IS NOT NULL BEGIN
  DELETE FROM reactions WHERE (object, emoji, user) IN
    (SELECT object, emoji, user FROM reactions WHERE space = new.id LIMIT 500);
  DELETE FROM comment_replies WHERE NOT EXISTS (SELECT 1 FROM reactions WHERE space = new.id) AND id IN
    (SELECT id FROM comment_replies WHERE space = new.id LIMIT 500);
  DELETE FROM comments WHERE NOT EXISTS (SELECT 1 FROM comment_replies WHERE space = new.id)
    AND NOT EXISTS (SELECT 1 FROM reactions WHERE space = new.id) AND id IN
    (SELECT id FROM comments WHERE space = new.id LIMIT 500);
  DELETE FROM change_requests WHERE NOT EXISTS (SELECT 1 FROM comments WHERE space = new.id) AND id IN
    (SELECT id FROM change_requests WHERE space = new.id LIMIT 500);
END;
DROP TRIGGER spaces_purged_counters;
CREATE TRIGGER spaces_purged_counters AFTER DELETE ON spaces BEGIN
  DELETE FROM space_counters WHERE space = old.id;
  DELETE FROM contributors WHERE branch = old.id;
END;
