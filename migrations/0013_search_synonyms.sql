-- Groups of words and phrases with the same meaning for searches in the organization, in JSON; null if there are none.
ALTER TABLE organizations ADD COLUMN search_synonyms TEXT;
