import { deleteSpace, must, releaseSources, runBatch, selection, selectSources, spaces } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';

/** The tables that name a space, all of which have to be empty of it before its row goes. */
const tables = [
  ...['imports', 'revisions', 'change_requests', 'reviews', 'requested_reviewers'],
  ...['comments', 'comment_replies', 'reactions', 'search_sections', 'search_pages', 'search_conditions'],
  ...['search_sources', 'search_made_pages'],
];

const ownRow = selection({ organization: spaces.organization, parent: spaces.parent });

/** The space itself goes last, with its grants, invites and counters, and what it read of other spaces is free. */
export const purgeRow: Stage = async (db, { space }) => {
  const {
    rows: [row],
    sources,
  } = await runBatch(db, {
    rows: ownRow.query(sql`SELECT ${ownRow} FROM spaces WHERE id = ${space}`),
    sources: selectSources(space),
  });
  if (row === undefined) return { statements: [], next: undefined };
  const { organization } = row;
  const purged: NewEvent = { type: 'space.purged', organization, space, data: {} };
  const released = releaseSources(db, space, sources);
  const deleted = deleteSpace(db, { space, organization });
  // The collection that it was deleted with may be empty now.
  const sweep: NewEvent = { type: 'sweep_expired', data: {} };
  return {
    statements: [
      ...tables.map((table) => must(db, sql`NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`)),
      ...released.statements,
      ...deleted.statements,
    ],
    next: undefined,
    events: [...deleted.events, purged, ...released.events, ...(row.parent === null ? [] : [sweep])],
  };
};
