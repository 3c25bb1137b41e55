import type { RecordOf } from '@octavo/db';
import { computed, grantedScopesField, installations, integrations, maybe, selection, subscriptions } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const s = aliasedTable(subscriptions, 's');

/** Where events go: an installation's where its integration says now, which is no other of that name. */
const url = sql`COALESCE(subscriptions.url, (
  SELECT n.webhook FROM integrations n WHERE n.name = subscriptions.integration
    AND n.account = subscriptions.integration_account AND n.unpublished_at IS NULL))`;

/** What signs: an installation's own secret, which is kept here once it is gone. */
const secret = sql`COALESCE((
  SELECT x.signing_secret FROM installations x WHERE x.id = subscriptions.installation), subscriptions.secret)`;

/** A subscription as those see it who send to it: of `subscriptions`. */
export const subscriber = selection({
  id: subscriptions.id,
  organization: subscriptions.organization,
  kind: subscriptions.kind,
  installation: subscriptions.installation,
  integration: subscriptions.integration,
  integrationAccount: subscriptions.integrationAccount,
  status: subscriptions.status,
  url: maybe(computed(String, url)),
  secret: maybe(computed(String, secret)),
  previousSecret: subscriptions.previousSecret,
  previousUntil: subscriptions.previousUntil,
  sealedFor: subscriptions.sealedFor,
  failures: subscriptions.failures,
  failingSince: subscriptions.failingSince,
  failedAttempts: subscriptions.failedAttempts,
  givenUp: subscriptions.givenUp,
  heldUntil: subscriptions.heldUntil,
  generation: subscriptions.generation,
});
export type Subscriber = RecordOf<typeof subscriber>;

/** That a subscription is still as its sender knows it: nobody changed where it is sent, by what secret, or whether. */
export const isAsKnown = ({
  id,
  generation,
  url: known,
}: Pick<Subscriber, 'id' | 'generation' | 'url'>): SQL => sql`EXISTS (
  SELECT 1 FROM subscriptions WHERE id = ${id} AND generation = ${generation} AND ${url} IS ${known})`;

const [n, x] = [aliasedTable(integrations, 'n'), aliasedTable(installations, 'x')];

const wanting = selection({
  id: s.id,
  kind: s.kind,
  status: s.status,
  events: s.events,
  spaces: s.spaces,
  installation: maybe(s.installation),
  /** Null for a webhook. */
  integration: maybe({ name: n.name, account: n.account, events: maybe(n.events), webhook: maybe(n.webhook) }),
  /** Null for a webhook, and once it is gone. */
  installed: maybe({
    account: x.account,
    status: x.status,
    scopes: grantedScopesField(sql`x`, sql`n`),
    spaceSelection: x.spaceSelection,
    siteSelection: x.siteSelection,
  }),
});
/** A subscription with what decides which events it gets. */
export type Wanting = RecordOf<typeof wanting>;

/** The subscriptions of an organization that events of its feed may be for, by their ids: also of those that are paused. */
export const fedOf = (organization: OrganizationId): SQL => sql`
  SELECT id FROM subscriptions INDEXED BY subscriptions_fed
  WHERE organization = ${organization} AND status IN ('active', 'leaving')
  UNION ALL SELECT id FROM subscriptions INDEXED BY subscriptions_paused
  WHERE organization = ${organization} AND status = 'paused' AND (kind <> 'webhook' OR EXISTS (
    SELECT 1 FROM former_statuses WHERE subscription = subscriptions.id))`;

/** These subscriptions. */
export const selectWanting = (organization: OrganizationId) =>
  wanting.query(sql`
    SELECT ${wanting} FROM (${fedOf(organization)}) fed CROSS JOIN subscriptions s ON s.id = fed.id
    LEFT JOIN integrations n ON n.name = s.integration AND n.account = s.integration_account AND n.unpublished_at IS NULL
    LEFT JOIN installations x ON x.id = s.installation`);
