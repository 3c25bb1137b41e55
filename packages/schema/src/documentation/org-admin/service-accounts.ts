import type { ResourceDocumentation } from '../documentation.ts';
import { newToken } from './users.ts';

const userId = 'The id of the service account.';

export const serviceAccounts: ResourceDocumentation = {
  operations: {
    listServiceAccounts: {
      description: 'Lists the service accounts of the organization, newest first.',
    },
    createServiceAccount: {
      description:
        'Creates a service account: a member for a program, which acts only through tokens that admins create. ' +
        'Change its role or remove it as you would any other member. An organization can have at most 100 service ' +
        'accounts.',
      body: {
        displayName: 'The name of the service account.',
        role:
          'The role in the organization. Null makes the account a guest, which has access only where ' +
          'it is granted.',
      },
      example: { body: { displayName: 'CI', role: 'edit' } },
    },
    listServiceAccountTokens: {
      description: 'Lists the tokens of a service account, newest first, without their secrets.',
      parameters: { userId },
    },
    createServiceAccountToken: {
      ...newToken,
      description:
        'Creates a token of a service account. The token works only in this organization, and stops working when ' +
        'the account is disabled or removed. The response contains the secret, which is shown only once. A service ' +
        'account can have at most 100 tokens; expired ones do not count.',
      parameters: { userId },
    },
    deleteServiceAccountToken: {
      description: 'Revokes a token of a service account. It stops working immediately.',
      parameters: { userId, tokenId: 'The id of the token.' },
    },
  },
};
