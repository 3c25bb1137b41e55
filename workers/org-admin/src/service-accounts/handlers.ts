import { createServiceAccount } from './create-service-account.ts';
import { createServiceAccountToken } from './create-service-account-token.ts';
import { deleteServiceAccountToken } from './delete-service-account-token.ts';
import { listServiceAccountTokens } from './list-service-account-tokens.ts';
import { listServiceAccounts } from './list-service-accounts.ts';

export const serviceAccountsHandlers = {
  listServiceAccounts,
  createServiceAccount,
  listServiceAccountTokens,
  createServiceAccountToken,
  deleteServiceAccountToken,
};
