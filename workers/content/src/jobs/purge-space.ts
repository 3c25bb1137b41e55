import { holds, must, unlessBeaten } from '@octavo/db';
import type { Taken } from '@octavo/runtime';
import { commitStep } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { deleteBytes, doomedIn } from '../engine/retention/blobs.ts';
import type { PurgeData, PurgePart, Stage } from '../engine/retention/part.ts';
import { purgeBranches } from '../engine/retention/purge-branches.ts';
import { purgeChangeRequests } from '../engine/retention/purge-change-requests.ts';
import { purgeImports } from '../engine/retention/purge-imports.ts';
import { purgeRevisions } from '../engine/retention/purge-revisions.ts';
import { purgeRow } from '../engine/retention/purge-row.ts';
import { purgeSearch } from '../engine/retention/purge-search.ts';
import { purgeVersions } from '../engine/retention/purge-versions.ts';
import type { Job, JobContext } from './job.ts';

const stages: Record<PurgeData['stage'], Stage> = {
  imports: purgeImports,
  branches: purgeBranches,
  change_requests: purgeChangeRequests,
  search: purgeSearch,
  versions: purgeVersions,
  revisions: purgeRevisions,
  space: purgeRow,
};

/** One step: a bounded part of what is left of a space that is being purged, or of one whose row is gone already. */
export const purgeSpace: Job<'purge_space'> = async (taken, context) => {
  const { space, data } = taken;
  const { stage, after } = data;
  if (space === null) throw new Error('The job names no space.');
  if (await holds(context.db, isLive(space))) {
    await commitStep(context, taken, { statements: [] });
    return;
  }
  const part = await stages[stage](context.db, { space, after, files: context.env.FILES });
  const purge = () => write(context, taken, { space, part });
  // Where something was written since: from the start once more.
  const restart = () => write(context, taken, { space, part: { statements: [], next: { stage: 'imports' } } });
  const rows = stage === 'space' ? ((await unlessBeaten(purge)) ?? (await restart())) : await purge();
  await deleteBytes(context, doomedIn(rows));
};

/** The space is not being purged: nothing of it may go. */
const isLive = (space: SpaceId) =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND (deleted_at IS NULL OR purging_at IS NULL))`;

function write({ db, ...context }: JobContext, taken: Taken, { space, part }: { space: SpaceId; part: PurgePart }) {
  const purged = must(db, sql`NOT ${isLive(space)}`);
  const owner = taken.organization === null ? {} : { organization: taken.organization };
  const next = part.next === undefined ? [] : [{ type: 'purge_space' as const, ...owner, space, data: part.next }];
  return commitStep({ db, ...context }, taken, {
    statements: [purged, ...part.statements],
    events: [...(part.events ?? []), ...next],
  });
}
