import type { SiteRecord } from '@octavo/db';
import { commitCheckedOnce, must, redirectRow, retryOnConflict, runBatch, statement, toStored } from '@octavo/db';
import type { Context, Handler } from '@octavo/runtime';
import type { BulkRedirect, BulkRedirectResult, publishing, SiteId } from '@octavo/schema';
import { invalid, RedirectDestination, storedSource } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { destinationPlaces, faultOfDestination } from './destinations.ts';
import type { BulkPlan } from './plan-bulk.ts';
import { planBulk } from './plan-bulk.ts';
import { redirectChecks } from './redirect-checks.ts';

export const bulkUpsertSiteRedirects: Handler<
  typeof publishing.bulkUpsertSiteRedirects,
  PublishingEnvironment
> = async ({ body: { redirects } }, context) => ({
  results: await retryOnConflict(() => writeBulk(redirects, context)),
});

type Writing = Context<typeof publishing.bulkUpsertSiteRedirects, PublishingEnvironment>;

const bySources = statement((site: SQL<SiteId>, sources: SQL<string>) =>
  redirectRow.query(sql`
    SELECT ${redirectRow} FROM json_each(${sources}) asked
    CROSS JOIN site_redirects sr INDEXED BY site_redirects_by_source ON sr.site = ${site} AND sr.source = asked.value`),
);

async function writeBulk(entries: BulkRedirect[], context: Writing): Promise<BulkRedirectResult[]> {
  const { db, site, commit } = context;
  const sources = [...new Set(entries.map(({ source }) => storedSource(source).source))];
  const destinations = entries.flatMap((entry) =>
    entry.intent === 'publish' || entry.destination === null ? [] : [entry.destination],
  );
  const { there, places } = await runBatch(db, {
    there: bySources(site.id, JSON.stringify(sources)),
    places: destinationPlaces(site.id, destinations),
  });
  const plan = planBulk(entries, there, Date.now());
  const known = places.flatMap((row) => row.places);
  const faults = entries.flatMap((entry, index) => {
    if (entry.intent === 'publish' || entry.destination === null) return [];
    const leading = { source: storedSource(entry.source), destination: entry.destination };
    const message = faultOfDestination(leading, known, context);
    return message === undefined ? [] : [{ path: `body.redirects.${index}.destination`, message }];
  });
  if (plan.faults.length + faults.length > 0) throw invalid([...plan.faults, ...faults]);
  await commitCheckedOnce(db, redirectChecks(site, destinations), (guards, outcome) =>
    commit(
      [...guards, must(db, areThere(site, plan)), ...writeOf(plan, site).map((text) => db.run(text)), ...outcome],
      [
        {
          type: 'site_redirects.changed',
          organization: site.organization,
          data: { site: site.id, redirects: entries.length },
        },
      ],
    ),
  );
  return plan.results;
}

const areThere = (site: SiteRecord, { removed }: BulkPlan): SQL => sql`(
  SELECT COUNT(*) FROM site_redirects WHERE site = ${site.id}
    AND id IN (SELECT value FROM json_each(${JSON.stringify(removed)}))) = ${removed.length}`;

/** What is changed goes and comes again, so that sources may be exchanged. */
const writeOf = ({ removed, rows }: BulkPlan, site: SiteRecord): SQL[] => [
  sql`DELETE FROM site_redirects WHERE site = ${site.id}
    AND id IN (SELECT value FROM json_each(${JSON.stringify(removed)}))`,
  sql`INSERT INTO site_redirects
      (id, site, source, wildcard, destination, draft, permanent, capture_wildcard, created_at, updated_at)
    SELECT value->>'id', ${site.id}, value->>'source', value->>'wildcard', value->>'destination', value->>'draft',
      value->>'permanent', value->>'captureWildcard', value->>'createdAt', value->>'updatedAt'
    FROM json_each(${JSON.stringify(rows.map((row) => ({ ...row, destination: toStored(RedirectDestination, row.destination) })))})`,
];
