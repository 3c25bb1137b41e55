-- What the nightly cleaning finds what is over by.
CREATE INDEX tokens_expiring ON tokens (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX sign_in_links_expiring ON sign_in_links (expires_at);
CREATE INDEX saml_requests_expiring ON saml_requests (expires_at);
CREATE INDEX mails_by_age ON mails (created_at);
CREATE INDEX outbox_settled ON outbox (done_at) WHERE done_at IS NOT NULL
  AND (instr(type, '.') = 0 OR type = 'content.changed' OR type = 'mail.requested');

-- The branch that an import gathers on is nobody's to contribute to.
DELETE FROM contributors WHERE branch GLOB 'imp_*';
DROP TRIGGER revisions_contributed;
CREATE TRIGGER revisions_contributed AFTER INSERT ON revisions
WHEN new.branch <> new.space AND new.type <> 'update' AND new.branch NOT GLOB 'imp_*' BEGIN
  INSERT INTO contributors (branch, action, user, space, count, updated_at)
  VALUES (new.branch, 'edit', new.author, new.space, 1, new.created_at)
  ON CONFLICT (branch, action, user) DO UPDATE SET count = count + 1, updated_at = new.created_at;
END;
