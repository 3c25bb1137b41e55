import { foreverSeq } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { readChanges, toldKinds } from './read-changes.ts';

/** What the branch of a change request changes against its base. */
export const getChangeRequestChanges: Handler<typeof content.getChangeRequestChanges, ContentEnvironment> = (
  { query },
  { env, db, space, changeRequest, urls },
) => {
  const { lineage } = changeRequest.head;
  const own = lineage[0]?.[0] === changeRequest.id;
  const keys = sql`SELECT v.kind AS kind, v.id AS id FROM versions v
    WHERE v.branch = ${changeRequest.id} AND v.kind IN ${toldKinds} AND v.until = ${foreverSeq}`;
  const before = JSON.stringify(own ? lineage.slice(1) : lineage);
  const place = { space: space.id, branch: changeRequest.id };
  return readChanges({ db, env, urls, place }, { before, after: JSON.stringify(lineage), keys }, query.limit);
};
