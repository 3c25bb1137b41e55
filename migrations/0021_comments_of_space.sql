-- The comments of an organization's spaces by time, for members who may open some of the spaces only.
CREATE INDEX comments_of_space ON comments (space, (resolved_at IS NULL), created_at, id);
