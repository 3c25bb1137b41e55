import type { InstallationRecord } from '@octavo/db';
import type { ProgramToken, TokenContext } from './token-of.ts';
import { tokenOf } from './token-of.ts';

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
