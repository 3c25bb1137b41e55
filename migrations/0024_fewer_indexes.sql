-- Who wrote on a branch is counted in `contributors`.
DROP INDEX revisions_of_author;

-- A purge finds a space's other branches by it; the revisions of its own have its id as their branch.
DROP INDEX revisions_of_space;
CREATE INDEX revisions_of_space ON revisions (space, branch) WHERE branch <> space;
