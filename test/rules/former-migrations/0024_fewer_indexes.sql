-- Who wrote on a branch is counted in `contributors`.
DROP INDEX revisions_of_author;
