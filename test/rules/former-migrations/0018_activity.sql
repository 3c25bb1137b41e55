-- From where a request came: JSON of the client's address, its user agent and the id of its token.
ALTER TABLE outbox ADD COLUMN origin TEXT;

-- What the audit log shows, without the jobs and what tells only consumers something.
DROP INDEX outbox_of_organization;
CREATE INDEX outbox_audited ON outbox (organization, created_at, id)
  WHERE instr(type, '.') > 0 AND type <> 'content.changed' AND type <> 'mail.requested';
