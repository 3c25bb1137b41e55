import type { RedirectRecord, SiteRecord } from '@octavo/db';
import {
  abortUnless,
  commitCheckedOnce,
  prepareStatement,
  redirectRow,
  retryOnConflict,
  runBatch,
  serializeStored,
} from '@octavo/db';
import type { Context } from '@octavo/runtime';
import type { BulkRedirect, BulkRedirectResult, Issue, publishing, SiteId } from '@octavo/schema';
import { createId, invalid, RedirectDestination, toStoredSource } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { getShownSource } from '../resolution/locations.ts';
import { findDestinationFault, getRedirectChecks, selectDestinationTargets } from './redirects.ts';

export const bulkUpsertSiteRedirects = handler('bulkUpsertSiteRedirects', async ({ body: { redirects } }, context) => ({
  results: await retryOnConflict(() => writeBulk(redirects, context)),
}));

type BulkContext = Context<typeof publishing.bulkUpsertSiteRedirects, PublishingEnvironment>;

const bySources = prepareStatement((site: SQL<SiteId>, sources: SQL<string>) =>
  redirectRow.query(sql`
    SELECT ${redirectRow} FROM json_each(${sources}) asked
    CROSS JOIN site_redirects sr INDEXED BY site_redirects_by_source ON sr.site = ${site} AND sr.source = asked.value`),
);

async function writeBulk(entries: BulkRedirect[], context: BulkContext): Promise<BulkRedirectResult[]> {
  const { db, site, commit } = context;
  const sources = [...new Set(entries.map(({ source }) => toStoredSource(source).source))];
  const destinations = entries.flatMap((entry) =>
    entry.intent === 'publish' || entry.destination === null ? [] : [entry.destination],
  );
  const { there, places } = await runBatch(db, {
    there: bySources(site.id, JSON.stringify(sources)),
    places: selectDestinationTargets(site.id, destinations),
  });
  const plan = planBulk(entries, there, Date.now());
  const targets = places.flatMap((row) => row.places);
  const faults = entries.flatMap((entry, index) => {
    if (entry.intent === 'publish' || entry.destination === null) return [];
    const leading = { source: toStoredSource(entry.source), destination: entry.destination };
    const message = findDestinationFault(leading, targets, context);
    return message === undefined ? [] : [{ path: `body.redirects.${index}.destination`, message }];
  });
  if (plan.faults.length + faults.length > 0) throw invalid([...plan.faults, ...faults]);
  await commitCheckedOnce(db, getRedirectChecks(site, destinations), (guards, outcome) =>
    commit(
      [
        ...guards,
        abortUnless(db, selectExistingRedirects(site, plan)),
        ...createStatements(plan, site).map((text) => db.run(text)),
        ...outcome,
      ],
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

const selectExistingRedirects = (site: SiteRecord, { removed }: BulkPlan): SQL => sql`(
  SELECT COUNT(*) FROM site_redirects WHERE site = ${site.id}
    AND id IN (SELECT value FROM json_each(${JSON.stringify(removed)}))) = ${removed.length}`;

/** Changed rows are deleted and inserted again, so that two redirects can swap their sources. */
const createStatements = ({ removed, rows }: BulkPlan, site: SiteRecord): SQL[] => [
  sql`DELETE FROM site_redirects WHERE site = ${site.id}
    AND id IN (SELECT value FROM json_each(${JSON.stringify(removed)}))`,
  sql`INSERT INTO site_redirects
      (id, site, source, wildcard, destination, draft, permanent, capture_wildcard, created_at, updated_at)
    SELECT value->>'id', ${site.id}, value->>'source', value->>'wildcard', value->>'destination', value->>'draft',
      value->>'permanent', value->>'captureWildcard', value->>'createdAt', value->>'updatedAt'
    FROM json_each(${JSON.stringify(rows.map((row) => ({ ...row, destination: serializeStored(RedirectDestination, row.destination) })))})`,
];

/** The rows to delete (by id) and to insert. */
interface BulkPlan {
  removed: string[];
  rows: RedirectRecord[];
  results: BulkRedirectResult[];
  faults: Issue[];
}

type SourceKey = Pick<RedirectRecord, 'source' | 'wildcard' | 'draft'>;

const getSourceKey = ({ source, wildcard, draft }: SourceKey): string => JSON.stringify([source, wildcard, draft]);

/** Plans the changes to the existing redirects. An entry that cannot be applied adds a fault. */
function planBulk(entries: BulkRedirect[], existing: RedirectRecord[], now: number): BulkPlan {
  const redirectsByKey = new Map(existing.map((each) => [getSourceKey(each), each]));
  const plan: BulkPlan = { removed: [], rows: [], results: [], faults: [] };
  const usedKeys = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const source = { ...toStoredSource(entry.source), draft: entry.intent === 'draft' };
    const fault = planEntry(entry, source, { redirectsByKey, plan, usedKeys, now });
    if (fault !== undefined) plan.faults.push({ path: `body.redirects.${index}.source`, message: fault });
  }
  return plan;
}

interface PlanContext {
  redirectsByKey: Map<string, RedirectRecord>;
  plan: BulkPlan;
  usedKeys: Set<string>;
  now: number;
}

function planEntry(entry: BulkRedirect, source: SourceKey, planning: PlanContext): string | undefined {
  const { redirectsByKey, usedKeys } = planning;
  const key = getSourceKey(source);
  const draftKey = getSourceKey({ ...source, draft: true });
  const keys = entry.intent === 'publish' ? [key, draftKey] : [key];
  if (keys.some((each) => usedKeys.has(each))) return 'must not be repeated in the list';
  for (const each of keys) usedKeys.add(each);
  if (entry.intent === 'publish')
    return planPublication(redirectsByKey.get(draftKey), redirectsByKey.get(key), planning);
  return entry.destination === null
    ? planRemoval(redirectsByKey.get(key), planning)
    : planChange({ ...entry, destination: entry.destination }, source, planning);
}

function planPublication(
  draft: RedirectRecord | undefined,
  live: RedirectRecord | undefined,
  { plan, now }: PlanContext,
) {
  if (draft === undefined) return 'must be the source of a draft';
  const id = live?.id ?? draft.id;
  const createdAt = live?.createdAt ?? draft.createdAt;
  plan.removed.push(draft.id, ...(live === undefined ? [] : [live.id]));
  plan.rows.push({ ...draft, id, draft: false, createdAt, updatedAt: Math.max(now, createdAt + 1) });
  plan.results.push({ status: 'published', source: getShownSource(draft), draft: false, id });
  return undefined;
}

function planRemoval(redirect: RedirectRecord | undefined, { plan }: PlanContext) {
  if (redirect === undefined) return 'must be the source of an existing redirect';
  plan.removed.push(redirect.id);
  plan.results.push({ status: 'deleted', source: getShownSource(redirect), draft: redirect.draft });
  return undefined;
}

type DestinationChange = Pick<RedirectRecord, 'destination'> & {
  permanent?: boolean | undefined;
  captureWildcard?: boolean | undefined;
};

function planChange(
  { destination, permanent, captureWildcard }: DestinationChange,
  source: SourceKey,
  { redirectsByKey, plan, now }: PlanContext,
) {
  const redirect = redirectsByKey.get(getSourceKey(source));
  const { id, createdAt } = redirect ?? { id: createId('redirect'), createdAt: now };
  const updatedAt = redirect === undefined ? now : Math.max(now, redirect.updatedAt + 1);
  if (redirect !== undefined) plan.removed.push(id);
  plan.rows.push({
    ...{ ...source, id, destination, createdAt, updatedAt },
    permanent: permanent ?? redirect?.permanent ?? false,
    captureWildcard: captureWildcard ?? redirect?.captureWildcard ?? false,
  });
  const status = redirect === undefined ? 'created' : 'updated';
  plan.results.push({ status, source: getShownSource(source), draft: source.draft, id });
  return undefined;
}
