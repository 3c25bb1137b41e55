import type { Database, Query, RecordOf } from '@octavo/db';
import {
  createGrantedScopesField,
  feed,
  formerStatuses,
  installations,
  integrations,
  nullable,
  outbox,
  runBatch,
  selection,
  siteInstallations,
  spaceInstallations,
  subscriptions,
} from '@octavo/db';
import type { OrganizationId, StoredEvent } from '@octavo/schema';
import { getEventScopes, isInstallationEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

export const maxEventsPerStep = 100;

const f = aliasedTable(feed, 'f');
const o = aliasedTable(outbox, 'o');
const fedRow = selection({
  seq: f.seq,
  depth: o.depth,
  event: {
    ...{ id: o.id, type: o.type, organization: o.organization, space: o.space },
    ...{ actor: o.actor, data: o.data, createdAt: o.createdAt },
  },
});
export type FedEvent = RecordOf<typeof fedRow>;

const spaceRow = selection({ installation: spaceInstallations.installation, place: spaceInstallations.space });
const siteRow = selection({ installation: siteInstallations.installation, place: siteInstallations.site });

/** The next events of an organization's feed, with its subscriptions. */
export interface FeedStep {
  events: FedEvent[];
  subscriptions: FedSubscription[];
  statusAt: GetStatusAt;
  reach: SelectedTargets;
}

/** The spaces and sites of installations that are limited to selected ones. */
interface SelectedTargets {
  has(installation: string, targetId: string): boolean;
}

const selectNextEvents = (organization: OrganizationId, columns: SQL): SQL => sql`
  SELECT ${columns} FROM feed f INDEXED BY feed_of_organization CROSS JOIN outbox o ON o.id = f.event
  WHERE f.organization = ${organization} ORDER BY f.seq LIMIT ${maxEventsPerStep}`;

/** Reads the next events of an organization's feed, with its subscriptions. */
export async function readFeed(db: Database, organization: OrganizationId): Promise<FeedStep> {
  const { events, wanting, former, spaces, sites } = await runBatch(db, {
    events: fedRow.query(selectNextEvents(organization, fedRow.getSQL())),
    wanting: selectSubscriptionsToFeed(organization),
    former: selectFormerStatuses(
      selectFeedSubscriptionIds(organization),
      sql`(SELECT MAX(seq) FROM (${selectNextEvents(organization, sql`f.seq`)}))`,
    ),
    spaces: spaceRow.query(sql`
      SELECT ${spaceRow} FROM (SELECT DISTINCT place FROM (${selectNextEvents(organization, sql`o.space AS place`)})) fed
      CROSS JOIN space_installations INDEXED BY space_installations_of_space
      WHERE space_installations.space = fed.place AND space_installations.organization = ${organization}
        AND space_installations.status = 'active'`),
    sites: siteRow.query(sql`
      SELECT ${siteRow} FROM (SELECT DISTINCT place FROM (${selectNextEvents(organization, sql`o.data->>'site' AS place`)})) fed
      CROSS JOIN site_installations INDEXED BY site_installations_of_site
      WHERE site_installations.site = fed.place AND site_installations.organization = ${organization}
        AND site_installations.status = 'active'`),
  });
  const reachableKeys = new Set([...spaces, ...sites].map(({ installation, place }) => `${installation} ${place}`));
  return {
    ...{ events, subscriptions: wanting, statusAt: getStatuses(former) },
    reach: { has: (installation, targetId) => reachableKeys.has(`${installation} ${targetId}`) },
  };
}

const s = aliasedTable(subscriptions, 's');
const [n, x] = [aliasedTable(integrations, 'n'), aliasedTable(installations, 'x')];

const subscriptionRow = selection({
  id: s.id,
  kind: s.kind,
  status: s.status,
  events: s.events,
  spaces: s.spaces,
  installation: nullable(s.installation),
  /** The installed integration; null for a webhook. */
  integration: nullable({ name: n.name, account: n.account, events: nullable(n.events), webhook: nullable(n.webhook) }),
  /** The installation; null for a webhook and for an installation that was deleted. */
  installed: nullable({
    account: x.account,
    status: x.status,
    scopes: createGrantedScopesField(sql`x`, sql`n`),
    spaceSelection: x.spaceSelection,
    siteSelection: x.siteSelection,
  }),
});
/** A subscription with the fields that decide which events it gets. */
export type FedSubscription = RecordOf<typeof subscriptionRow>;

/** Selects the ids of an organization's subscriptions that may get events of its feed, paused ones included. */
const selectFeedSubscriptionIds = (organization: OrganizationId): SQL => sql`
  SELECT id FROM subscriptions INDEXED BY subscriptions_fed
  WHERE organization = ${organization} AND status IN ('active', 'leaving')
  UNION ALL SELECT id FROM subscriptions INDEXED BY subscriptions_paused
  WHERE organization = ${organization} AND status = 'paused' AND (kind <> 'webhook' OR EXISTS (
    SELECT 1 FROM former_statuses WHERE subscription = subscriptions.id))`;

const selectSubscriptionsToFeed = (organization: OrganizationId): Query<FedSubscription> =>
  subscriptionRow.query(sql`
    SELECT ${subscriptionRow} FROM (${selectFeedSubscriptionIds(organization)}) fed CROSS JOIN subscriptions s ON s.id = fed.id
    LEFT JOIN integrations n ON n.name = s.integration AND n.account = s.integration_account AND n.unpublished_at IS NULL
    LEFT JOIN installations x ON x.id = s.installation`);

const formerStatusTable = aliasedTable(formerStatuses, 'f');
const formerRow = selection({
  subscription: formerStatusTable.subscription,
  seq: formerStatusTable.seq,
  status: formerStatusTable.status,
});
type Former = RecordOf<typeof formerRow>;

type Status = FedSubscription['status'] | NonNullable<FedSubscription['installed']>['status'];

/**
 * Returns the status that a subscription, or its installation, had at the time when the event with this `seq` was
 * written.
 */
type GetStatusAt = (to: FedSubscription, seq: number) => Status;

/** Selects the former statuses of subscriptions that apply to events of the feed up to `last`. */
const selectFormerStatuses = (ids: SQL, last: SQL): Query<Former> =>
  formerRow.query(sql`
    SELECT ${formerRow} FROM (${ids}) s CROSS JOIN former_statuses f ON f.subscription = s.id
    WHERE f.seq <= COALESCE((
      SELECT MIN(n.seq) FROM former_statuses n WHERE n.subscription = s.id AND n.seq >= ${last}), ${last})
    ORDER BY f.subscription, f.seq`);

/** If a subscription has no former status at or after a `seq`, it already had its current status at that time. */
function getStatuses(statuses: Former[]): GetStatusAt {
  const bySubscription = Map.groupBy(statuses, ({ subscription }) => subscription);
  return ({ id, status, installed }, seq) =>
    bySubscription.get(id)?.find((each) => each.seq >= seq)?.status ?? installed?.status ?? status;
}

/**
 * Events caused by this many script runs are not sent to installations: scripts that react to each other would never
 * stop.
 */
const maxDepth = 5;

/**
 * Whether installations do not receive an event because the chain of script runs that led to it is too long.
 * Installations always receive events about their own setup.
 */
export const isTooDeep = ({ type }: Pick<StoredEvent, 'type'>, depth: number): boolean =>
  depth >= maxDepth && !isInstallationEvent(type);

/** The state when an event was written: `depth` is the number of script runs that led to it. */
interface EventState {
  depth: number;
  status: Status;
  reach: SelectedTargets;
}

/** Whether a subscription gets an event. `state` has the subscription's status when the event was written. */
export function matchesSubscription(to: FedSubscription, event: StoredEvent, state: EventState): boolean {
  if (to.kind === 'webhook') return state.status !== 'paused' && matchesWebhook(to, event);
  return matchesInstallation(to, event, state);
}

function matchesWebhook({ events, spaces }: FedSubscription, { type, space }: StoredEvent): boolean {
  if (events !== null && !events.includes(type)) return false;
  return spaces === null || (space !== null && spaces.includes(space));
}

/**
 * An installation always gets events about itself. While it is active, it also gets the events that its scopes allow.
 */
function matchesInstallation(to: FedSubscription, event: StoredEvent, { status, depth, reach }: EventState): boolean {
  const { integration, installation, installed } = to;
  if (integration === null || installation === null) return false;
  if (to.kind === 'installation_webhook' && integration.webhook === null) return false;
  const { events } = integration;
  if (events !== null && !events.includes(event.type)) return false;
  if (isCausedByItself(to, event) || isTooDeep(event, depth)) return false;
  if (isInstallationEvent(event.type))
    return event.data.installation === installation && (to.status !== 'leaving' || isUninstallation(event));
  if (installed === null || status !== 'active') return false;
  if (!getEventScopes(event.type).some((scope) => installed.scopes.includes(scope))) return false;
  return canReach(installed, event, (targetId) => reach.has(installation, targetId));
}

/**
 * Whether the event says that the installation was deleted. A subscription that is leaving gets only such events,
 * because other events could keep failing and delay them.
 */
const isUninstallation = ({ type }: StoredEvent): boolean => type.endsWith('installation.deleted');

/**
 * Whether the installation, or its integration, caused the event itself. A script that reacts to its own events would
 * never stop. Exception: if the script changes the status of its own setup, the event is sent, because this cannot
 * repeat endlessly.
 */
function isCausedByItself(
  { installed, integration }: FedSubscription,
  { type, actor, data: { status, previous } }: StoredEvent,
) {
  if (actor !== installed?.account && actor !== integration?.account) return false;
  return !isInstallationEvent(type) || status === previous;
}

/** Whether the installation is active in the space and the site of the event. */
function canReach(
  { spaceSelection, siteSelection }: NonNullable<FedSubscription['installed']>,
  { space, data: { site } }: StoredEvent,
  isOn: (targetId: string) => boolean,
): boolean {
  if (space !== null && spaceSelection !== 'all' && !isOn(space)) return false;
  return typeof site !== 'string' || siteSelection === 'all' || isOn(site);
}
