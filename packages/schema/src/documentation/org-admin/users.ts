import { ids, user } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const token = {
  object: 'user-token',
  id: ids.token,
  label: 'Nightly export',
  createdAt: '2026-02-03T08:15:00.000Z',
  lastUsedAt: '2026-03-02T02:00:00.000Z',
  scopes: ['space:read'],
  expiresAt: '2027-01-01T00:00:00.000Z',
} as const;

const tokenProperties = {
  label: 'The name of the token.',
  lastUsedAt: 'The time of the last request with the token, to ten minutes. Absent if the token was never used.',
  scopes: 'The scopes that limit the token. Absent if the token has all rights of its user.',
  expiresAt: 'The time at which the token stops working. Absent if it does not expire.',
};

export const newToken = {
  body: {
    label: 'A name for the token.',
    scopes: 'The scopes that limit the token. If omitted, the token has all rights of its user.',
    expiresAt: 'The time at which the token stops working, in the future. If omitted, the token does not expire.',
  },
  example: {
    body: { label: 'Nightly export', scopes: ['space:read'], expiresAt: '2027-01-01T00:00:00.000Z' },
  },
};

export const users: ResourceDocumentation = {
  operations: {
    getAuthenticatedUser: {
      description:
        'Returns the user whose token authenticates the request. For an integration or installation, this is ' +
        'its account.',
    },
    getUserById: {
      description:
        'Returns a user. The caller can read their own user and the members of organizations in which they have a ' +
        'role. Returns 404 for any other user.',
    },
    updateUserById: {
      description:
        'Changes the name or photo of the caller. Users can change only themselves. A token that is bound to one ' +
        'organization cannot change a user who also signs in elsewhere. Omitted fields are unchanged.',
      body: {
        displayName: 'The new name. Surrounding spaces are removed.',
        photoURL:
          'The URL of the new photo. A `downloadURL` of a file, or the URL of a complete upload, is replaced by a permanent URL. Null removes the photo.',
      },
      example: { body: { displayName: 'Ada Marsh', photoURL: 'https://images.acme.example/ada.png' } },
    },
    listUserTokens: {
      description:
        'Lists the tokens of the caller, newest first. The secrets of the tokens are not included. With a token ' +
        'that is bound to one organization, only tokens with the same binding are listed.',
    },
    createUserToken: {
      ...newToken,
      description:
        'Creates a token that has the rights of the caller, limited by the scopes. The response contains the ' +
        'secret, which is shown only once. A token that is bound to one organization creates tokens with the same ' +
        'binding that expire no later than itself. A user can have at most 100 tokens; expired ones do not count.',
    },
    deleteUserToken: {
      description: 'Revokes a token of the caller. It stops working immediately.',
      parameters: { tokenId: 'The id of the token.' },
    },
    listUserSessions: {
      description:
        'Lists the sessions in which browsers are signed in as the caller, newest first. With a token that is bound ' +
        'to one organization, only sessions with the same binding are listed.',
    },
    deleteUserSession: {
      description: 'Ends a session of the caller. The browser is signed out immediately.',
      parameters: { sessionId: 'The id of the session.' },
    },
  },
  schemas: {
    UserToken: {
      description: 'A token with which a user calls the API, without its secret.',
      properties: tokenProperties,
      example: token,
    },
    CreatedUserToken: {
      description: 'A new token with its secret.',
      properties: {
        ...tokenProperties,
        token: 'The secret to send as `Authorization: Bearer`. It is shown only once: only its SHA-256 hash is stored.',
      },
      example: { ...token, token: 'octavo_V3kXq8ZpR1tYw6NbM4sLd7GhJ2fKc9Qe0TaUiOyP' },
    },
    UserSession: {
      description: 'A session of a browser that is signed in to the app.',
      properties: {
        browser: 'A short description of the browser that signed in.',
        createdAt: 'The time of the sign-in.',
        lastUsedAt: 'The time of the last request of the session, to ten minutes. Absent if it was never used.',
        expiresAt: 'The time at which the session ends unless it is used. A session ends 90 days after the sign-in.',
        current: 'Whether the request itself belongs to this session.',
      },
      example: {
        object: 'user-session',
        id: ids.token,
        browser: 'Firefox on Linux',
        createdAt: '2026-02-03T08:15:00.000Z',
        lastUsedAt: '2026-03-02T09:30:00.000Z',
        expiresAt: '2026-03-16T09:30:00.000Z',
        current: true,
      },
    },
    User: {
      description: 'A person, a service account, or the account of an integration.',
      properties: {
        displayName: 'The name shown to other users.',
        email: 'The e-mail address. Absent if the caller may not see it, for example as a guest.',
        photoURL: 'The URL of the photo. Absent if the user has none.',
      },
      example: user,
    },
  },
};
