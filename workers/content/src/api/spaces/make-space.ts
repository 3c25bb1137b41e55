import { commit, readRow, revisions, selection, unlessBeaten } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { SpaceCreation, SpaceId } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { prepareChanges } from '../../engine/edit/documents.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { headOf } from '../../heads/space-head.ts';
import { newSpace } from './queries.ts';
import { samplePages } from './sample-pages.ts';

/** Makes a space at the top level of its organization; one that is there already is left as it is, or filled. */
export async function makeSpace(
  { space, organization, title, kind, ...caller }: SpaceCreation,
  { env, background, connection, db }: ServiceContext<HeadEnvironment>,
): Promise<void> {
  const look = { parent: null, emoji: '', editMode: 'live' } as const;
  const made = newSpace(db, { ...look, id: space, organization, title, createdBy: caller.actor });
  const committed = await unlessBeaten(() => commit(db, caller, made.statements, made.events));
  if (committed !== undefined) sendEvents(env, background, committed.waiting);
  if (kind === 'empty') return;
  const first = await readRow(db, firstRevision(space));
  if (first === undefined) return;
  const { prepared: changes } = await prepareChanges(organization, samplePages);
  const edit = { ...caller, space, branch: space, changes, base: first.id, expected: undefined };
  connection.absorb(await headOf(env, space).edit(edit));
}

const r = aliasedTable(revisions, 'r');
const revisionRow = selection({ id: r.id });

/** The first revision of a space that has no other yet. */
const firstRevision = (space: SpaceId) =>
  revisionRow.query(sql`SELECT ${revisionRow} FROM revisions r WHERE r.branch = ${space} AND r.seq = 1
    AND NOT EXISTS (SELECT 1 FROM revisions x WHERE x.branch = ${space} AND x.seq > 1)`);
