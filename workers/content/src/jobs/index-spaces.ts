import { spaces } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import { gt } from 'drizzle-orm';
import type { Job } from './job.ts';

const maxSpaces = 500;

/** Queues the indexing of all live spaces, so many a step. */
export const indexSpaces: Job<'index_spaces'> = async (taken, context) => {
  const { after = '' } = taken.data;
  const rows = await context.db
    .select({ id: spaces.id, organization: spaces.organization, deletedAt: spaces.deletedAt })
    .from(spaces)
    .where(gt(spaces.id, after))
    .orderBy(spaces.id)
    .limit(maxSpaces);
  const last = rows.length < maxSpaces ? undefined : rows.at(-1);
  await commitStep(context, taken, {
    statements: [],
    events: [
      ...rows
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id, organization }) => ({ type: 'index_space' as const, organization, space: id, data: {} })),
      ...(last === undefined ? [] : [{ type: 'index_spaces' as const, data: { after: last.id } }]),
    ],
  });
};
