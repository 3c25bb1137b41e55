-- Integrations, their installations and generated pages, and the delivery of events. Times are in milliseconds since
-- 1970.

-- Published integrations. Names are case-insensitive.
CREATE TABLE integrations (
  name TEXT COLLATE NOCASE PRIMARY KEY NOT NULL,
  -- The owner.
  organization TEXT NOT NULL,
  -- The user that the integration itself acts as.
  account TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  summary TEXT,
  target TEXT NOT NULL DEFAULT 'all',
  visibility TEXT NOT NULL DEFAULT 'private',
  verified INTEGER NOT NULL DEFAULT 0,
  runtime TEXT NOT NULL DEFAULT 'v1',
  scopes TEXT NOT NULL DEFAULT '[]',
  categories TEXT NOT NULL DEFAULT '[]',
  blocks TEXT,
  -- Domains whose URLs become blocks; a '*.' prefix includes subdomains.
  block_domains TEXT NOT NULL DEFAULT '[]',
  content_sources TEXT,
  configurations TEXT,
  external_links TEXT NOT NULL DEFAULT '[]',
  content_security_policy TEXT,
  -- Types of events to receive, in JSON. Null: all that its scopes allow.
  events TEXT,
  -- URL that events of installations are sent to.
  webhook TEXT,
  -- Keys of objects.
  icon TEXT,
  preview_images TEXT NOT NULL DEFAULT '[]',
  script TEXT NOT NULL,
  -- Encrypted for the integration.
  secrets TEXT,
  signing_secret TEXT NOT NULL,
  -- URL of the owner's development server, until `dev_until`.
  dev_url TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Time from which it is hidden, and its installations are removed in batches.
  unpublished_at INTEGER,
  dev_until INTEGER,
  -- The version that introduced each scope, in JSON.
  scopes_since TEXT NOT NULL DEFAULT '{}',
  -- Cursor of the check of pending installations that a new version starts. Null if none runs.
  settling_from TEXT
);
CREATE INDEX integrations_public ON integrations (created_at, name)
  WHERE visibility = 'public' AND unpublished_at IS NULL;
CREATE INDEX integrations_of_organization ON integrations (organization, visibility, created_at, name);
CREATE INDEX integrations_ending ON integrations (unpublished_at) WHERE unpublished_at IS NOT NULL;
CREATE INDEX integrations_settling ON integrations (updated_at) WHERE settling_from IS NOT NULL;
-- A change makes pages due at once, or a minute after the last run. At most 1,000 at a time; the rest follow within the
-- hour.
CREATE TRIGGER integrations_recompute AFTER UPDATE OF script, content_sources, unpublished_at ON integrations
WHEN new.script IS NOT old.script OR new.content_sources IS NOT old.content_sources
  OR new.unpublished_at IS NOT old.unpublished_at BEGIN
  UPDATE computed_contents
  SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
  WHERE (space, page) IN (
    SELECT space, page FROM computed_contents
    WHERE integration = new.name
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    LIMIT 1000
  );
END;

-- Objects in the bucket (scripts and images), recorded before they are uploaded so that none is left behind.
CREATE TABLE integration_objects (
  key TEXT PRIMARY KEY NOT NULL,
  -- Time of deletion, unless the object is referenced by then. Null while it is referenced.
  sweep_at INTEGER
);
CREATE INDEX integration_objects_to_sweep ON integration_objects (sweep_at)
  WHERE sweep_at IS NOT NULL;

-- Integrations installed in an organization. Each acts as a user of its own (`account`), a member that no member list
-- shows.
CREATE TABLE installations (
  id TEXT PRIMARY KEY NOT NULL,
  integration TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  account TEXT NOT NULL REFERENCES users (id),
  status TEXT NOT NULL,
  -- Scopes that the organization agreed to at `agreed_version`. Others have no effect.
  scopes TEXT NOT NULL DEFAULT '[]',
  space_selection TEXT NOT NULL DEFAULT 'all',
  site_selection TEXT NOT NULL DEFAULT 'all',
  -- Encrypted, as is the signing secret.
  configuration TEXT NOT NULL,
  signing_secret TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]',
  -- Counter without spaces in the trash, maintained by triggers and effects.
  spaces INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Counters with those in the trash, for limits.
  on_spaces INTEGER NOT NULL DEFAULT 0,
  on_sites INTEGER NOT NULL DEFAULT 0,
  agreed_version INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX installations_once ON installations (integration, organization);
CREATE INDEX installations_of_integration ON installations (integration, created_at, id);
CREATE INDEX installations_of_organization ON installations (organization, created_at, id);
CREATE INDEX installations_on_all_spaces ON installations (organization, created_at, id)
  WHERE space_selection = 'all';
CREATE INDEX installations_pending ON installations (integration, id) WHERE status = 'pending';
CREATE TRIGGER installations_named AFTER INSERT ON installations BEGIN
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'installation', value, new.created_at, new.id, '' FROM json_each(new.external_ids);
END;
CREATE TRIGGER installations_renamed AFTER UPDATE OF external_ids ON installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'installation'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.id AND target = '';
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'installation', value, new.created_at, new.id, '' FROM json_each(new.external_ids);
END;
CREATE TRIGGER installations_unnamed AFTER DELETE ON installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'installation'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.id AND target = '';
END;
CREATE TRIGGER installations_resubscribed AFTER UPDATE OF status ON installations
WHEN new.status <> old.status BEGIN
  UPDATE subscriptions SET status = CASE new.status WHEN 'paused' THEN 'paused' ELSE 'active' END,
    wake_at = CASE WHEN lease IS NULL AND new.status <> 'paused' THEN new.updated_at + 10000
      WHEN lease IS NULL THEN NULL ELSE wake_at END,
    failures = 0, failing_since = NULL, held_until = NULL, generation = generation + 1, updated_at = new.updated_at
  WHERE installation = new.id AND status IN ('active', 'paused');
END;
CREATE TRIGGER installations_changed AFTER UPDATE OF status ON installations
WHEN new.status <> old.status BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT s.id, f.seq, new.organization, old.status FROM subscriptions s, (
      SELECT seq FROM feed WHERE organization = new.organization ORDER BY seq DESC LIMIT 1) f
    WHERE s.installation = new.id;
END;
CREATE TRIGGER installations_subscribed AFTER INSERT ON installations BEGIN
  INSERT INTO subscriptions (id, organization, kind, installation, integration, integration_account, status, sealed_for,
    created_by, created_at, updated_at)
  SELECT new.id || suffix, new.organization, kind, new.id, new.integration,
    (SELECT n.account FROM integrations n WHERE n.name = new.integration),
    CASE new.status WHEN 'paused' THEN 'paused' ELSE 'active' END, new.id, new.created_by,
    new.created_at, new.created_at
  FROM (SELECT '-webhook' AS suffix, 'installation_webhook' AS kind
    UNION ALL SELECT '-script', 'installation_script');
END;
-- A last subscription delivers the end of the installation; everything that was waiting is dropped.
CREATE TRIGGER installations_unsubscribed AFTER DELETE ON installations BEGIN
  INSERT INTO subscriptions (id, organization, kind, installation, integration, integration_account, status, secret,
    sealed_for, created_by, created_at, updated_at)
  SELECT s.id || '-end', s.organization, s.kind, s.installation, s.integration, s.integration_account, 'leaving',
    old.signing_secret, s.sealed_for, s.created_by, s.created_at, s.updated_at
  FROM subscriptions s INDEXED BY subscriptions_of_installation
  WHERE s.installation = old.id AND EXISTS (
    SELECT 1 FROM integrations n WHERE n.name = old.integration AND n.account = s.integration_account
      AND n.unpublished_at IS NULL);
  UPDATE subscriptions SET status = 'ended', generation = generation + 1
  WHERE installation = old.id AND status IN ('active', 'paused');
END;
-- Installations determine which pages are generated. Pages of an integration that is no longer installed are hidden in
-- the same write.
CREATE TRIGGER installations_compute AFTER INSERT ON installations BEGIN
  UPDATE computed_contents
  SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
  WHERE (space, page) IN (
    SELECT space, page FROM computed_contents
    WHERE integration = new.integration AND organization = new.organization
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    LIMIT 1000
  );
END;
CREATE TRIGGER installations_recompute AFTER UPDATE OF status, configuration, space_selection ON installations
WHEN new.status IS NOT old.status OR new.configuration IS NOT old.configuration AND new.updated_at IS NOT old.updated_at
  OR new.space_selection IS NOT old.space_selection BEGIN
  UPDATE computed_contents
  SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
  WHERE (space, page) IN (
    SELECT space, page FROM computed_contents
    WHERE integration = new.integration AND organization = new.organization
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    LIMIT 1000
  );
  UPDATE computed_contents
  SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
  WHERE integration = new.integration AND organization = new.organization
    AND (version IS NOT NULL OR leased_until > 0) AND NOT EXISTS (
      SELECT 1 FROM installations i
      LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
      WHERE i.integration = new.integration AND i.organization = new.organization
        AND i.status = 'active' AND COALESCE(p.status = 'active', i.space_selection = 'all')
    );
END;
CREATE TRIGGER installations_uncompute AFTER DELETE ON installations BEGIN
  UPDATE computed_contents
  SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
  WHERE integration = old.integration AND organization = old.organization
    AND (version IS NOT NULL OR leased_until > 0) AND NOT EXISTS (
      SELECT 1 FROM installations i
      LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
      WHERE i.integration = old.integration AND i.organization = old.organization
        AND i.status = 'active' AND COALESCE(p.status = 'active', i.space_selection = 'all')
    );
END;

-- Installations on a space, each with its own configuration.
CREATE TABLE space_installations (
  installation TEXT NOT NULL,
  space TEXT NOT NULL,
  integration TEXT NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Encrypted.
  configuration TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (installation, space)
);
CREATE INDEX space_installations_by_age ON space_installations (installation, created_at, space);
CREATE INDEX space_installations_of_integration ON space_installations (integration, created_at, installation, space);
CREATE INDEX space_installations_of_space ON space_installations (space, created_at, installation);
CREATE INDEX space_installations_of_organization ON space_installations (organization, created_at, installation, space);
CREATE INDEX space_installations_pending ON space_installations (integration, installation, space)
  WHERE status = 'pending';
CREATE TRIGGER space_installations_named AFTER INSERT ON space_installations BEGIN
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'space', value, new.created_at, new.installation, new.space
    FROM json_each(new.external_ids);
END;
CREATE TRIGGER space_installations_renamed AFTER UPDATE OF external_ids ON space_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'space'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.space;
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'space', value, new.created_at, new.installation, new.space
    FROM json_each(new.external_ids);
END;
CREATE TRIGGER space_installations_unnamed AFTER DELETE ON space_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'space'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.space;
END;
CREATE TRIGGER space_installations_added AFTER INSERT ON space_installations BEGIN
  UPDATE installations SET on_spaces = on_spaces + 1,
    spaces = spaces + NOT EXISTS (SELECT 1 FROM spaces WHERE id = new.space AND deleted_at IS NOT NULL)
  WHERE id = new.installation;
END;
CREATE TRIGGER space_installations_removed AFTER DELETE ON space_installations BEGIN
  UPDATE installations SET on_spaces = on_spaces - 1,
    spaces = spaces - NOT EXISTS (SELECT 1 FROM spaces WHERE id = old.space AND deleted_at IS NOT NULL)
  WHERE id = old.installation;
END;
CREATE TRIGGER space_installations_compute AFTER INSERT ON space_installations BEGIN
  UPDATE computed_contents
  SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
  WHERE (space, page) IN (
    SELECT space, page FROM computed_contents
    WHERE integration = new.integration AND organization = new.organization AND space = new.space
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    LIMIT 1000
  );
  UPDATE computed_contents
  SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
  WHERE integration = new.integration AND organization = new.organization AND space = new.space
    AND (version IS NOT NULL OR leased_until > 0) AND NOT EXISTS (
      SELECT 1 FROM installations i
      LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
      WHERE i.integration = new.integration AND i.organization = new.organization
        AND i.status = 'active' AND COALESCE(p.status = 'active', i.space_selection = 'all')
    );
END;
CREATE TRIGGER space_installations_recompute AFTER UPDATE OF status, configuration ON space_installations
WHEN new.status IS NOT old.status OR new.configuration IS NOT old.configuration
  AND new.updated_at IS NOT old.updated_at BEGIN
  UPDATE computed_contents
  SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
  WHERE (space, page) IN (
    SELECT space, page FROM computed_contents
    WHERE integration = new.integration AND organization = new.organization AND space = new.space
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    LIMIT 1000
  );
  UPDATE computed_contents
  SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
  WHERE integration = new.integration AND organization = new.organization AND space = new.space
    AND (version IS NOT NULL OR leased_until > 0) AND NOT EXISTS (
      SELECT 1 FROM installations i
      LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
      WHERE i.integration = new.integration AND i.organization = new.organization
        AND i.status = 'active' AND COALESCE(p.status = 'active', i.space_selection = 'all')
    );
END;
CREATE TRIGGER space_installations_uncompute AFTER DELETE ON space_installations BEGIN
  UPDATE computed_contents
  SET due_at = MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
  WHERE (space, page) IN (
    SELECT space, page FROM computed_contents
    WHERE integration = old.integration AND organization = old.organization AND space = old.space
      AND due_at > MAX(CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER), taken_at + 60000)
    LIMIT 1000
  );
  UPDATE computed_contents
  SET former = COALESCE(former, version), version = NULL, hash = NULL, leased_until = 0,
    due_at = MIN(due_at, CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
  WHERE integration = old.integration AND organization = old.organization AND space = old.space
    AND (version IS NOT NULL OR leased_until > 0) AND NOT EXISTS (
      SELECT 1 FROM installations i
      LEFT JOIN space_installations p ON p.installation = i.id AND p.space = computed_contents.space
      WHERE i.integration = old.integration AND i.organization = old.organization
        AND i.status = 'active' AND COALESCE(p.status = 'active', i.space_selection = 'all')
    );
END;

-- Installations on a site, each with its own configuration.
CREATE TABLE site_installations (
  installation TEXT NOT NULL,
  site TEXT NOT NULL,
  integration TEXT NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Encrypted.
  configuration TEXT NOT NULL,
  external_ids TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (installation, site)
);
CREATE INDEX site_installations_by_age ON site_installations (installation, created_at, site);
CREATE INDEX site_installations_of_integration ON site_installations (integration, created_at, installation, site);
CREATE INDEX site_installations_of_site ON site_installations (site, created_at, installation);
CREATE INDEX site_installations_of_organization ON site_installations (organization, created_at, installation, site);
CREATE INDEX site_installations_pending ON site_installations (integration, installation, site)
  WHERE status = 'pending';
CREATE TRIGGER site_installations_named AFTER INSERT ON site_installations BEGIN
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'site', value, new.created_at, new.installation, new.site FROM json_each(new.external_ids);
END;
CREATE TRIGGER site_installations_renamed AFTER UPDATE OF external_ids ON site_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'site'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.site;
  INSERT OR IGNORE INTO installation_external_ids (integration, kind, external_id, created_at, installation, target)
    SELECT new.integration, 'site', value, new.created_at, new.installation, new.site FROM json_each(new.external_ids);
END;
CREATE TRIGGER site_installations_unnamed AFTER DELETE ON site_installations BEGIN
  DELETE FROM installation_external_ids WHERE integration = old.integration AND kind = 'site'
    AND external_id IN (SELECT value FROM json_each(old.external_ids)) AND created_at = old.created_at
    AND installation = old.installation AND target = old.site;
END;
CREATE TRIGGER site_installations_added AFTER INSERT ON site_installations BEGIN
  UPDATE installations SET on_sites = on_sites + 1 WHERE id = new.installation;
END;
CREATE TRIGGER site_installations_removed AFTER DELETE ON site_installations BEGIN
  UPDATE installations SET on_sites = on_sites - 1 WHERE id = old.installation;
END;

-- Index of the `external_ids` of the three tables above, maintained by triggers on them.
CREATE TABLE installation_external_ids (
  integration TEXT NOT NULL,
  kind TEXT NOT NULL,
  external_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  installation TEXT NOT NULL,
  -- '' for an installation, otherwise the space or site.
  target TEXT NOT NULL,
  PRIMARY KEY (integration, kind, external_id, created_at, installation, target)
) WITHOUT ROWID;

-- Log of script runs.
CREATE TABLE integration_events (
  id TEXT PRIMARY KEY NOT NULL,
  integration TEXT NOT NULL COLLATE NOCASE,
  -- The owner of the integration.
  organization TEXT NOT NULL,
  installation TEXT,
  created_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Why the run failed.
  error TEXT,
  logs TEXT NOT NULL
);
CREATE INDEX integration_events_of_integration ON integration_events (integration, organization, created_at, id);
CREATE INDEX integration_events_by_age ON integration_events (created_at);

-- Scheduled tasks of integrations.
CREATE TABLE integration_tasks (
  id TEXT PRIMARY KEY NOT NULL,
  integration TEXT NOT NULL COLLATE NOCASE,
  organization TEXT NOT NULL,
  task TEXT NOT NULL,
  -- Time of the next run, or of the retry if a run fails or does not finish.
  run_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- Length of the chain of script runs that led to this task.
  depth INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX integration_tasks_due ON integration_tasks (run_at);
CREATE INDEX integration_tasks_of_integration ON integration_tasks (integration, organization);

-- Computed pages in live content whose pages an integration generates.
CREATE TABLE computed_contents (
  space TEXT NOT NULL,
  -- The computed page.
  page TEXT NOT NULL,
  organization TEXT NOT NULL,
  integration TEXT NOT NULL COLLATE NOCASE,
  -- The page's configuration, in JSON.
  source TEXT NOT NULL,
  -- Version of the visible pages. Null if there are none.
  version TEXT,
  -- SHA-256 of the pages.
  hash TEXT,
  computed_at INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  -- Consecutive failures, and the last error.
  failures INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  -- Start of the last run.
  taken_at INTEGER NOT NULL DEFAULT 0,
  -- End of the lease of the worker that generates the pages. A `due_at` before it means a change during the run.
  leased_until INTEGER NOT NULL DEFAULT 0,
  -- Version that is hidden and whose entries are still to be deleted.
  former TEXT,
  PRIMARY KEY (space, page)
) WITHOUT ROWID;
CREATE INDEX computed_contents_of_integration ON computed_contents (integration, organization, space);
CREATE INDEX computed_contents_due ON computed_contents (organization, due_at);
CREATE INDEX computed_contents_taken ON computed_contents (organization, taken_at);
CREATE TRIGGER computed_contents_found AFTER INSERT ON computed_contents BEGIN
  INSERT OR IGNORE INTO computed_dependencies (kind, target, organization, space, page)
    SELECT kind, target, new.organization, new.space, new.page FROM (
      SELECT r.value->>'$.ref.kind' AS kind, CASE r.value->>'$.ref.kind' WHEN 'space' THEN r.value->>'$.ref.space'
        WHEN 'openapi' THEN r.value->>'$.ref.spec' END AS target
      FROM json_each(new.source, '$.dependencies') r
      WHERE r.type = 'object' AND json_type(r.value, '$.ref') = 'object' LIMIT 10)
    WHERE target IS NOT NULL;
END;
CREATE TRIGGER computed_contents_changed AFTER UPDATE OF source, organization ON computed_contents
WHEN new.source IS NOT old.source OR new.organization IS NOT old.organization BEGIN
  DELETE FROM computed_dependencies WHERE space = new.space AND page = new.page;
  INSERT OR IGNORE INTO computed_dependencies (kind, target, organization, space, page)
    SELECT kind, target, new.organization, new.space, new.page FROM (
      SELECT r.value->>'$.ref.kind' AS kind, CASE r.value->>'$.ref.kind' WHEN 'space' THEN r.value->>'$.ref.space'
        WHEN 'openapi' THEN r.value->>'$.ref.spec' END AS target
      FROM json_each(new.source, '$.dependencies') r
      WHERE r.type = 'object' AND json_type(r.value, '$.ref') = 'object' LIMIT 10)
    WHERE target IS NOT NULL;
END;
CREATE TRIGGER computed_contents_dropped AFTER DELETE ON computed_contents BEGIN
  DELETE FROM computed_dependencies WHERE space = old.space AND page = old.page;
END;

-- Generated pages of a version. Each follows its parent, which `parent` names by its ordinal.
CREATE TABLE computed_entries (
  version TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  parent INTEGER,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  icon TEXT,
  text TEXT NOT NULL DEFAULT '',
  -- Only for pages; `target` only for links, in JSON.
  emoji TEXT,
  target TEXT,
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;

-- Dependencies of generated pages, to find the pages to generate again after a change of a space or a specification. At
-- most ten for each computed page, maintained by triggers on `computed_contents`.
CREATE TABLE computed_dependencies (
  -- 'space' or 'openapi'.
  kind TEXT NOT NULL,
  -- Id of a space, or slug of a specification.
  target TEXT NOT NULL,
  -- Organization of the computed page.
  organization TEXT NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  PRIMARY KEY (kind, target, organization, space, page)
) WITHOUT ROWID;
CREATE INDEX computed_dependencies_of_page ON computed_dependencies (space, page);

-- Receivers of events: a webhook of an organization, or an installation by its webhook and its script.
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- Null for a webhook.
  installation TEXT,
  integration TEXT,
  status TEXT NOT NULL DEFAULT 'active',
  url TEXT,
  description TEXT NOT NULL DEFAULT '',
  -- Filters: types of events and spaces, in JSON. Null: all.
  events TEXT,
  spaces TEXT,
  -- Encrypted for `sealed_for`. The previous secret also signs until `previous_until`.
  secret TEXT,
  previous_secret TEXT,
  sealed_for TEXT NOT NULL,
  previous_until INTEGER,
  -- Consecutive failures. Nothing is sent until `held_until`.
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  held_until INTEGER,
  -- When the sweep looks after it: a delivery is due, or the lease should be over.
  wake_at INTEGER,
  -- The worker that is sending.
  lease TEXT,
  -- Incremented when the URL, secret or status changes during a lease.
  generation INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Pending deliveries; counter, maintained by triggers.
  waiting INTEGER NOT NULL DEFAULT 0,
  -- When deliveries of a paused or ended subscription are deleted.
  clean_at INTEGER,
  integration_account TEXT,
  -- Why and since when a webhook is paused.
  paused_reason TEXT,
  paused_since INTEGER,
  -- Failed attempts and abandoned deliveries since the last success.
  failed_attempts INTEGER NOT NULL DEFAULT 0,
  given_up INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX subscriptions_fed ON subscriptions (organization)
  WHERE status IN ('active', 'leaving');
CREATE INDEX subscriptions_of_organization ON subscriptions (organization, kind, created_at, id);
CREATE INDEX subscriptions_of_installation ON subscriptions (installation)
  WHERE installation IS NOT NULL;
CREATE INDEX subscriptions_waking ON subscriptions (wake_at)
  WHERE wake_at IS NOT NULL AND status IN ('active', 'leaving', 'draining');
CREATE INDEX subscriptions_to_clean ON subscriptions (clean_at) WHERE clean_at IS NOT NULL;
CREATE INDEX subscriptions_paused ON subscriptions (organization) WHERE status = 'paused';
CREATE TRIGGER subscriptions_begun AFTER INSERT ON subscriptions BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT new.id, seq, new.organization, 'paused' FROM feed
    WHERE organization = new.organization ORDER BY seq DESC LIMIT 1;
END;
CREATE TRIGGER subscriptions_idle AFTER UPDATE OF status ON subscriptions
WHEN new.status <> old.status BEGIN
  UPDATE subscriptions
  SET clean_at = CASE new.status WHEN 'paused' THEN new.updated_at + 2592000000 WHEN 'ended' THEN 0 END
  WHERE id = new.id;
END;
CREATE TRIGGER subscriptions_resumed AFTER UPDATE OF status ON subscriptions
WHEN old.status = 'paused' AND new.status = 'active' AND old.clean_at <= new.updated_at BEGIN
  UPDATE deliveries SET due_at = new.updated_at
  WHERE subscription = new.id AND due_at IS NULL AND seq IN (
    SELECT MIN(d.seq) FROM deliveries d INDEXED BY deliveries_pending
    WHERE d.subscription = new.id AND d.status = 'pending' GROUP BY d.object);
END;
CREATE TRIGGER subscriptions_changed AFTER UPDATE OF status ON subscriptions
WHEN new.status <> old.status AND new.kind = 'webhook' BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT new.id, seq, new.organization, old.status FROM feed
    WHERE organization = new.organization ORDER BY seq DESC LIMIT 1;
END;

-- Events that have not been fanned out to the subscriptions of their organization yet.
CREATE TABLE feed (
  seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  organization TEXT NOT NULL,
  event TEXT NOT NULL
);
CREATE INDEX feed_of_organization ON feed (organization, seq);

-- Former statuses of subscriptions, up to a position in the feed. Events keep the status that a subscription had when
-- they were written. Maintained by triggers.
CREATE TABLE former_statuses (
  subscription TEXT NOT NULL,
  seq INTEGER NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (subscription, seq)
) WITHOUT ROWID;
CREATE INDEX former_statuses_of_organization ON former_statuses (organization, seq);

-- An event for a subscription. Of the pending deliveries for one `object`, only the first is due.
CREATE TABLE deliveries (
  subscription TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  type TEXT NOT NULL,
  -- Id of the target of the event.
  object TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Attempts since the last redelivery request.
  tries INTEGER NOT NULL DEFAULT 0,
  -- Time of the last possible retry. Null before the first failure.
  retry_until INTEGER,
  -- HTTP status and error of the last attempt.
  answered INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  -- Number of redelivery requests.
  redeliveries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX deliveries_by_id ON deliveries (id);
CREATE INDEX deliveries_due ON deliveries (subscription, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_pending ON deliveries (subscription, object, seq) WHERE status = 'pending';
CREATE INDEX deliveries_dead ON deliveries (subscription, settled_at) WHERE status = 'dead';
CREATE INDEX deliveries_settled ON deliveries (settled_at) WHERE settled_at IS NOT NULL;
CREATE TRIGGER deliveries_waiting AFTER INSERT ON deliveries WHEN new.status = 'pending' BEGIN
  UPDATE subscriptions SET waiting = waiting + 1 WHERE id = new.subscription;
END;
CREATE TRIGGER deliveries_settled_or_not AFTER UPDATE OF status ON deliveries
WHEN (new.status = 'pending') <> (old.status = 'pending') BEGIN
  UPDATE subscriptions SET waiting = waiting + CASE new.status WHEN 'pending' THEN 1 ELSE -1 END
  WHERE id = new.subscription;
END;
CREATE TRIGGER deliveries_dropped AFTER DELETE ON deliveries WHEN old.status = 'pending' BEGIN
  UPDATE subscriptions SET waiting = waiting - 1 WHERE id = old.subscription;
END;

-- Attempts to send a delivery.
CREATE TABLE delivery_attempts (
  delivery TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  -- HTTP status. Null without a response.
  status INTEGER,
  error TEXT,
  answer TEXT,
  PRIMARY KEY (delivery, number)
) WITHOUT ROWID;
