import type { Database, InstallationRecord } from '@octavo/db';
import { hashToken, keepToken, runBatch, tokenPrefix } from '@octavo/db';
import { deriveText } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

/** A token by which an integration acts as one of its installations; it is worth nothing while that is paused. */
export const installationToken = (
  context: TokenContext,
  installation: Pick<InstallationRecord, 'id' | 'account' | 'organization'> & {
    integration: Pick<InstallationRecord['integration'], 'name'>;
  },
  depth: number,
): Promise<ProgramToken> => {
  const { id, account, organization, integration } = installation;
  return tokenOf(context, {
    user: account,
    label: integration.name,
    integration: integration.name,
    installation: id,
    organization,
    depth,
  });
};

/** A token by which an integration calls as itself. */
export const integrationToken = (
  context: TokenContext,
  { name, account }: { name: string; account: UserId },
  depth: number,
): Promise<ProgramToken> =>
  tokenOf(context, { user: account, label: name, integration: name, installation: null, organization: null, depth });

/** What a token needs: the settings that it follows from, and the database that it is written to. */
interface TokenContext {
  env: Pick<IntegrationsEnvironment, 'OCTAVO_SECRET'>;
  db: Database;
}

/** A token, and when it ends, in milliseconds. */
interface ProgramToken {
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
async function tokenOf({ env, db }: TokenContext, owner: TokenOwner): Promise<ProgramToken> {
  const now = Date.now();
  const running = Math.floor(now / period);
  const text = await deriveText(env, `token of an integration\n${owner.user}\n${running}\n${owner.depth}`);
  const token = `${tokenPrefix}${text}`;
  const expiresAt = (running + 2) * period;
  const row = { ...owner, id: newId('token'), hash: await hashToken(token), scopes: [], createdAt: now, expiresAt };
  await runBatch(db, [keepToken(db, row)]);
  return { token, expiresAt };
}
