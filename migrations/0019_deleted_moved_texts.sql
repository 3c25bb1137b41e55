-- The object of a moved text is kept for 31 days after its document was permanently deleted, as after the text was moved
-- back. In this time, the database can be restored to a time before the deletion.
-- Compatible: it only changes the time from which the object is deleted.
DROP TRIGGER documents_moved_deleted;
-- Compatible: as above.
CREATE TRIGGER documents_moved_deleted AFTER DELETE ON documents WHEN typeof(old.markdown) = 'blob' BEGIN
  INSERT INTO unused_texts (object, delete_at) VALUES (CAST(old.markdown AS TEXT), unixepoch() * 1000 + 31 * 86400000);
END;
