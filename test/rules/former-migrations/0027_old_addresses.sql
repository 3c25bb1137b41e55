-- The first page of a space is looked for among its live pages in their order: without a look at the others.
DROP INDEX versions_children;
CREATE INDEX versions_children ON versions (branch, kind, parent, until, position);
