import type { Row } from '@octavo/db';
import { text } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import { sql } from 'drizzle-orm';
import type { Job } from './job.ts';

const maxSpaces = 500;

/** Queues the indexing of all live spaces, so many a step. */
export const indexSpaces: Job<'index_spaces'> = async (taken, context) => {
  const { after = '' } = taken.data;
  const rows = await context.db.all<Row>(sql`SELECT id, organization, deleted_at IS NULL AS live FROM spaces
    WHERE id > ${after} ORDER BY id LIMIT ${maxSpaces}`);
  const last = rows.length < maxSpaces ? undefined : rows.at(-1);
  await commitStep(context, taken, {
    statements: [],
    events: [
      ...rows
        .filter(({ live }) => live === 1)
        .map((row) => ({
          type: 'index_space' as const,
          organization: text(row, 'organization'),
          space: text(row, 'id'),
          data: {},
        })),
      ...(last === undefined ? [] : [{ type: 'index_spaces' as const, data: { after: text(last, 'id') } }]),
    ],
  });
};
