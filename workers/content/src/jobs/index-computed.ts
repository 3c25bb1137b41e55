import { readRows, searchSources, selection, statement } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { madePagesJobs } from './index-made-pages.ts';
import type { Job } from './job.ts';

const maxPlaces = 100;
/** No slug comes after it. */
const lastSlug = '\u{10ffff}';

const s = aliasedTable(searchSources, 's');
const placeRow = selection({ spec: s.spec, space: s.space, place: s.place });

/** The next places of an organization where computed pages stand, up to those of the specification `last`. */
const placesOf = statement(
  (organization: SQL<OrganizationId>, last: SQL<string>, spec: SQL<string>, space: SQL<string>, place: SQL<string>) =>
    placeRow.query(sql`
      SELECT DISTINCT ${placeRow} FROM search_sources s INDEXED BY search_sources_of_spec
      WHERE s.organization = ${organization} AND s.spec <= ${last} AND (s.spec, s.space, s.place) > (${spec}, ${space}, ${place})
      ORDER BY s.spec, s.space, s.place LIMIT ${sql.raw(String(maxPlaces))}`),
);

const placesIn = statement((space: SQL<SpaceId>) =>
  placeRow.query(sql`SELECT ${placeRow} FROM search_sources s WHERE s.space = ${space}`),
);

/** Queues the indexing of what is made of computed pages: of one space at once, else so many places a step. */
export const indexComputed: Job<'index_computed'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null) throw new Error('The job names no organization.');
  const { spec, after = [spec ?? '', '', ''] } = data;
  const found = space === null ? placesOf(organization, spec ?? lastSlug, ...after) : placesIn(space);
  const rows = await readRows(context.db, found);
  const last = space === null && rows.length === maxPlaces ? rows.at(-1) : undefined;
  const events = rows.flatMap((row) => madePagesJobs({ organization, space: row.space }, [row.place]));
  if (last !== undefined) events.push(restAfter(organization, [last.spec, last.space, last.place], spec));
  await commitStep(context, taken, { statements: [], events });
};

const restAfter = (organization: OrganizationId, after: [string, string, string], spec?: string): NewEvent => ({
  type: 'index_computed',
  organization,
  data: { spec, after },
});
