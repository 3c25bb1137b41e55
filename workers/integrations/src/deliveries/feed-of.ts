import type { Database, RecordOf } from '@octavo/db';
import { feed, outbox, runBatch, selection, siteInstallations, spaceInstallations } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { StatusAt } from './former-statuses.ts';
import { selectFormer, statusesOf } from './former-statuses.ts';
import type { Reach } from './is-wanted.ts';
import type { Wanting } from './subscriber.ts';
import { fedOf, selectWanting } from './subscriber.ts';

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
export type Fed = RecordOf<typeof fedRow>;

const spaceRow = selection({ installation: spaceInstallations.installation, place: spaceInstallations.space });
const siteRow = selection({ installation: siteInstallations.installation, place: siteInstallations.site });

/** The next events of an organization's feed, and who may get them. */
export interface NextFed {
  events: Fed[];
  wanting: Wanting[];
  statusAt: StatusAt;
  reach: Reach;
}

const nextIn = (organization: OrganizationId, columns: SQL): SQL => sql`
  SELECT ${columns} FROM feed f INDEXED BY feed_of_organization CROSS JOIN outbox o ON o.id = f.event
  WHERE f.organization = ${organization} ORDER BY f.seq LIMIT ${maxEventsPerStep}`;

/** Reads the next events of an organization's feed, with its subscriptions. */
export async function feedOf(db: Database, organization: OrganizationId): Promise<NextFed> {
  const { events, wanting, former, spaces, sites } = await runBatch(db, {
    events: fedRow.query(nextIn(organization, fedRow.getSQL())),
    wanting: selectWanting(organization),
    former: selectFormer(fedOf(organization), sql`(SELECT MAX(seq) FROM (${nextIn(organization, sql`f.seq`)}))`),
    spaces: spaceRow.query(sql`
      SELECT ${spaceRow} FROM (SELECT DISTINCT place FROM (${nextIn(organization, sql`o.space AS place`)})) fed
      CROSS JOIN space_installations INDEXED BY space_installations_of_space
      WHERE space_installations.space = fed.place AND space_installations.organization = ${organization}
        AND space_installations.status = 'active'`),
    sites: siteRow.query(sql`
      SELECT ${siteRow} FROM (SELECT DISTINCT place FROM (${nextIn(organization, sql`o.data->>'site' AS place`)})) fed
      CROSS JOIN site_installations INDEXED BY site_installations_of_site
      WHERE site_installations.site = fed.place AND site_installations.organization = ${organization}
        AND site_installations.status = 'active'`),
  });
  const reached = new Set([...spaces, ...sites].map(({ installation, place }) => `${installation} ${place}`));
  return {
    ...{ events, wanting, statusAt: statusesOf(former) },
    reach: { has: (installation, place) => reached.has(`${installation} ${place}`) },
  };
}
