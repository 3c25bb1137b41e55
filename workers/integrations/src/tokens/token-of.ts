import type { Database } from '@octavo/db';
import { hashToken, keepToken, runBatch, tokenPrefix } from '@octavo/db';
import { deriveText } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

/** What a token needs: the settings that it follows from, and the database that it is written to. */
export interface TokenContext {
  env: Pick<IntegrationsEnvironment, 'OCTAVO_SECRET'>;
  db: Database;
}

/** A token, and when it ends, in milliseconds. */
export interface ProgramToken {
  token: string;
  expiresAt: number;
}

/** Whose token it is. */
interface TokenOwner {
  user: UserId;
  label: string;
  integration: string;
  installation: string | null;
  organization: OrganizationId | null;
  /** How many runs of scripts led to what is done by it. */
  depth: number;
}

const period = 30 * 60 * 1000;

/**
 * A token for an integration or an installation, good for half an hour to an hour. It follows from the server's secret,
 * the account, the depth and the running half hour, so that many runs within that write one row; only its hash is stored.
 */
export async function tokenOf({ env, db }: TokenContext, owner: TokenOwner): Promise<ProgramToken> {
  const now = Date.now();
  const running = Math.floor(now / period);
  const text = await deriveText(env, `token of an integration\n${owner.user}\n${running}\n${owner.depth}`);
  const token = `${tokenPrefix}${text}`;
  const expiresAt = (running + 2) * period;
  const row = { ...owner, id: newId('token'), hash: await hashToken(token), scopes: [], createdAt: now, expiresAt };
  await runBatch(db, [keepToken(db, row)]);
  return { token, expiresAt };
}
