import type { CallerRecord } from '@octavo/db';
import { connect, tokens } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { Background, Environment } from './environment.ts';
import { describe, log } from './log.ts';

const noteAgainAfterMilliseconds = 10 * 60_000;

/** Notes after the answer when a token was used, every ten minutes at most: reads must not write each time. */
export function noteUse(
  env: Pick<Environment, 'DB'>,
  background: Background,
  { token, lastUsedAt }: CallerRecord,
): void {
  const now = Date.now();
  if (lastUsedAt !== null && now - lastUsedAt < noteAgainAfterMilliseconds) return;
  const { db } = connect(env.DB, { intent: 'write' });
  const noted = db.update(tokens).set({ lastUsedAt: now }).where(sql`${tokens.id} = ${token}`);
  background.waitUntil(
    noted.run().catch((error: unknown) => log('error', 'a use was not noted', { cause: describe(error) })),
  );
}
