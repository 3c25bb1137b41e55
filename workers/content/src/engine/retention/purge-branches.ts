import { given, runBatch, selection } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { deleteVersions, versionRow } from './delete-versions.ts';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

const foundRow = selection({ id: given(String) });

const revisionsWhere = (condition: SQL) =>
  sql`SELECT * FROM (SELECT id, branch FROM revisions WHERE ${condition} ORDER BY branch LIMIT ${maxRows})`;

/** The branches of change requests: first their versions, then the revisions by which the branches are found. */
export const purgeBranches: Stage = async (db, { space }) => {
  const some = sql`some AS MATERIALIZED (${revisionsWhere(sql`space = ${space} AND branch < ${space}`)}
    UNION ALL ${revisionsWhere(sql`space = ${space} AND branch > ${space}`)} LIMIT ${maxRows})`;
  const { found, versions } = await runBatch(db, {
    found: foundRow.query(sql`WITH ${some} SELECT id FROM some`),
    versions: versionRow.query(sql`WITH ${some} SELECT ${versionRow} FROM (SELECT DISTINCT branch FROM some) b
      CROSS JOIN versions v ON v.branch = b.branch LIMIT ${maxRows}`),
  });
  const ids = JSON.stringify(found.map(({ id }) => id));
  const bare = versions.length < maxRows;
  return {
    statements: [
      ...deleteVersions(db, versions),
      ...(bare
        ? [db.run(sql`DELETE FROM revisions WHERE +space = ${space} AND id IN (SELECT value FROM json_each(${ids}))`)]
        : []),
    ],
    next: { stage: bare && found.length < maxRows ? 'change_requests' : 'branches' },
  };
};
