import type { Database } from '@octavo/db';
import { fromQuery, hashToken, runBatch, selection } from '@octavo/db';
import { formerSecretMilliseconds } from '@octavo/runtime';
import { createId, getTokenIdBound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { createSecret } from '../tokens/queries.ts';

const addedRow = selection({ endsAt: fromQuery(Number) });

/** If a new secret was not used within this time, its response was probably lost, and another one is added. */
const unusedMilliseconds = 5 * 60_000;

/**
 * Adds a new secret to the session that the current secret belongs to. The current one stays valid until the new one is
 * used, because the response with the new one can be lost. Returns undefined if another request has just added
 * one.
 */
export async function replaceSecret(
  db: Database,
  current: string,
): Promise<{ token: string; endsAt: number } | undefined> {
  const now = Date.now();
  const hash = await hashToken(current);
  const { token, hash: newHash } = await createSecret();
  const unused = sql`session = (SELECT session FROM tokens WHERE hash = ${hash}) AND last_used_at IS NULL AND hash <> ${hash}
    AND id > ${getTokenIdBound(now - unusedMilliseconds)}`;
  const added = addedRow.query(sql`
    INSERT INTO tokens (id, user, label, hash, scopes, created_at, expires_at, organization, session, ends_at, parent)
    SELECT ${createId('token')}, user, label, ${newHash}, scopes, created_at, expires_at, organization, session, ends_at, parent
    FROM tokens WHERE hash = ${hash} AND session IS NOT NULL AND last_used_at IS NOT NULL
      AND expires_at > ${now} AND ends_at > ${now + formerSecretMilliseconds}
      AND NOT EXISTS (SELECT 1 FROM tokens WHERE ${unused})
    RETURNING ends_at`);
  const [row] = await runBatch(db, added);
  return row === undefined ? undefined : { token, ...row };
}
