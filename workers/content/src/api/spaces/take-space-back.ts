import { commit, must, trashSpace, unlessBeaten } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { SpaceTakenBack } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { HeadEnvironment } from '../../heads/space-head.ts';

/** Moves a space to the trash that was made for what then was not; one that a site shows all the same, or none, stays as it is. */
export async function takeSpaceBack(
  { space, organization, ...caller }: SpaceTakenBack,
  { db, env, background }: ServiceContext<HeadEnvironment>,
): Promise<void> {
  const isLeft = sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND organization = ${organization} AND deleted_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM site_spaces WHERE space = ${space})`;
  const statements = [must(db, isLeft), ...trashSpace(db, space, Date.now())];
  const deleted = { type: 'space.deleted', organization, space, data: {} } as const;
  const committed = await unlessBeaten(() => commit(db, caller, statements, [deleted]));
  if (committed !== undefined) sendEvents(env, background, committed.waiting);
}
