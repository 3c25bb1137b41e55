-- The text of a document can be moved to the bucket with files. Then `documents.markdown` is a BLOB: the name of the
-- object, which consists of the hash of the document and a random number. The object of a name is stored once, and its
-- bytes never change.

-- The objects that no document refers to: before the text of a document is moved, and after the document was deleted or
-- its text was moved back.
CREATE TABLE unused_texts (
  object TEXT PRIMARY KEY NOT NULL,
  -- The time from which the object is deleted, in milliseconds since 1970.
  delete_at INTEGER NOT NULL,
  -- 1 while the object is being deleted. No document may refer to it any more.
  deleting INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX unused_texts_due ON unused_texts (delete_at);

-- Compatible: they only write a new table, and only for texts that were moved. Readers of a replica may still need the
-- object for some time. After a text was moved back, the database can be restored to a time before.
CREATE TRIGGER documents_moved_deleted AFTER DELETE ON documents WHEN typeof(old.markdown) = 'blob' BEGIN
  INSERT INTO unused_texts (object, delete_at) VALUES (CAST(old.markdown AS TEXT), unixepoch() * 1000 + 3600000);
END;
CREATE TRIGGER documents_moved_back AFTER UPDATE OF markdown ON documents
WHEN typeof(old.markdown) = 'blob' AND new.markdown IS NOT old.markdown BEGIN
  INSERT INTO unused_texts (object, delete_at) VALUES (CAST(old.markdown AS TEXT), unixepoch() * 1000 + 31 * 86400000);
END;
