import type { Database, InstallationRecord } from '@octavo/db';
import { hashToken, runBatch, storeToken, tokenPrefix } from '@octavo/db';
import { deriveText } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

/** Returns a token of an installation. It is rejected while the installation is paused. */
export const createInstallationToken = (
  context: TokenContext,
  installation: Pick<InstallationRecord, 'id' | 'account' | 'organization'> & {
    integration: Pick<InstallationRecord['integration'], 'name'>;
  },
  depth: number,
): Promise<ProgramToken> => {
  const { id, account, organization, integration } = installation;
  return getToken(context, {
    user: account,
    label: integration.name,
    integration: integration.name,
    installation: id,
    organization,
    depth,
  });
};

/** Returns a token of the integration itself. */
export const createIntegrationToken = (
  context: TokenContext,
  { name, account }: { name: string; account: UserId },
  depth: number,
): Promise<ProgramToken> =>
  getToken(context, { user: account, label: name, integration: name, installation: null, organization: null, depth });

interface TokenContext {
  env: Pick<IntegrationsEnvironment, 'OCTAVO_SECRET'>;
  db: Database;
}

/** `expiresAt` is in milliseconds. */
interface ProgramToken {
  token: string;
  expiresAt: number;
}

/** The owner of a token. */
interface TokenOwner {
  user: UserId;
  label: string;
  integration: string;
  installation: string | null;
  organization: OrganizationId | null;
  /** Number of script runs that led to the requests of this token. */
  depth: number;
}

const period = 30 * 60 * 1000;

/**
 * Returns a token that is valid for half an hour to an hour. It is derived from the server's secret, the account, the
 * depth and the current half hour, so that all runs in that time write a single row. Only its hash is stored.
 */
async function getToken({ env, db }: TokenContext, owner: TokenOwner): Promise<ProgramToken> {
  const now = Date.now();
  const running = Math.floor(now / period);
  const text = await deriveText(env, `token of an integration\n${owner.user}\n${running}\n${owner.depth}`);
  const token = `${tokenPrefix}${text}`;
  const expiresAt = (running + 2) * period;
  const row = { ...owner, id: createId('token'), hash: await hashToken(token), scopes: [], createdAt: now, expiresAt };
  await runBatch(db, [storeToken(db, row)]);
  return { token, expiresAt };
}
