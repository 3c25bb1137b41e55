import { deleteInParts } from '@octavo/runtime';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

const keptMilliseconds = 30 * 24 * 3_600_000;

/** Forgets runs of scripts that are long over. */
export const forgetEvents = (env: IntegrationsEnvironment): Promise<void> =>
  deleteInParts(
    env,
    'runs of scripts',
    (limit) => sql`DELETE FROM integration_events WHERE id IN (
      SELECT id FROM integration_events INDEXED BY integration_events_by_age
      WHERE created_at < ${Date.now() - keptMilliseconds} ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
  );
