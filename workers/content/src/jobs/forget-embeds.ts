import { deleteInParts, type Environment } from '@octavo/runtime';
import { sql } from 'drizzle-orm';

const keptMilliseconds = 30 * 24 * 3_600_000;

/** Forgets titles of what pages embed after a month: they may be others by then. */
export const forgetEmbeds = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInParts(
    env,
    'embeds',
    (limit) => sql`DELETE FROM embeds WHERE url IN (
      SELECT url FROM embeds WHERE read_at < ${Date.now() - keptMilliseconds} ORDER BY read_at LIMIT ${limit}) RETURNING 1`,
  );
