import type { UserId } from '@octavo/schema';
import type { ProgramToken, TokenContext } from './token-of.ts';
import { tokenOf } from './token-of.ts';

/** A token by which an integration calls as itself. */
export const integrationToken = (
  context: TokenContext,
  { name, account }: { name: string; account: UserId },
  depth: number,
): Promise<ProgramToken> =>
  tokenOf(context, { user: account, label: name, integration: name, installation: null, organization: null, depth });
