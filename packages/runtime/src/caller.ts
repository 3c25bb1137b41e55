import { type CallerRecord, connect, tokens } from '@octavo/db';
import type { AuditOrigin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Background, Environment } from './environment.ts';
import { describe, log } from './log.ts';

export const requestIdHeader = 'octavo-request-id';
/** The client's address as the gateway found it; it takes away what a client sends under this name. */
export const clientAddressHeader = 'octavo-client-address';
/** The id of the user that an answer is for, told to the gateway, which takes it away. */
export const callerHeader = 'octavo-caller';
const maxUserAgentLength = 256;
/** Control characters, such as those that steer a terminal, and halves of characters. */
const unprintable = /\p{C}/gu;

/** From where a request came; `token` is the id of the one that it was made with. */
export function originOf({ headers }: Pick<Request, 'headers'>, token?: string): AuditOrigin {
  const ip = headers.get(clientAddressHeader);
  const userAgent = headers.get('user-agent')?.slice(0, maxUserAgentLength).replace(unprintable, '');
  return { ...(ip ? { ip } : {}), ...(userAgent ? { userAgent } : {}), ...(token === undefined ? {} : { token }) };
}

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
