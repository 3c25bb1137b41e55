-- An installation that is paused is kept what tells of itself, also where nobody else is subscribed.
DROP TRIGGER outbox_fed;
CREATE TRIGGER outbox_fed AFTER INSERT ON outbox
WHEN instr(new.type, '.') > 0 AND new.type <> 'content.changed' AND new.type <> 'mail.requested' AND (
  EXISTS (SELECT 1 FROM subscriptions WHERE organization = new.organization AND status IN ('active', 'leaving'))
  OR (new.type GLOB '*installation.*' AND EXISTS (
    SELECT 1 FROM subscriptions WHERE installation = new.data->>'installation' AND status = 'paused'))) BEGIN
  INSERT INTO feed (organization, event) VALUES (new.organization, new.id);
END;
