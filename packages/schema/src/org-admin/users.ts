import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Scope } from '../scopes.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { createHttpUrlSchema } from '../web-address.ts';

export const UserToken = z
  .object({
    object: z.literal('user-token'),
    id: z.string(),
    label: z.string(),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.optional(),
    scopes: z.array(Scope).optional(),
    expiresAt: Timestamp.optional(),
  })
  .meta({ id: 'UserToken' });
export type UserToken = z.infer<typeof UserToken>;

/** A new token with its secret, which is shown only once and stored only as a SHA-256 hash. */
export const CreatedUserToken = UserToken.extend({ token: z.string() }).meta({ id: 'CreatedUserToken' });

/** A session of a browser in the app. */
export const UserSession = z
  .object({
    object: z.literal('user-session'),
    id: z.string(),
    browser: z.string(),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.optional(),
    expiresAt: Timestamp,
    current: z.boolean(),
  })
  .meta({ id: 'UserSession' });
export type UserSession = z.infer<typeof UserSession>;

export const DisplayName = createLineSchema(1, 64, z.string().trim());
export const TokenLabel = createLineSchema(1, 50);

/**
 * A request for a new token. Without scopes, the token has all rights of the user; without an expiry, it does not
 * expire.
 */
export const NewToken = z.object({
  label: TokenLabel,
  scopes: z
    .array(Scope)
    .min(1)
    .max(30)
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must not repeat a scope')
    .optional(),
  expiresAt: Timestamp.optional(),
});

export const userEndpoints = contract({
  getAuthenticatedUser: {
    byIntegration: true,
    byInstallation: 'any',
    method: 'GET',
    path: '/v1/user',
    summary: 'Get the caller',
    access: 'user',
    scope: 'any',
    response: User,
    success: 200,
  },
  getUserById: {
    method: 'GET',
    path: '/v1/users/:userId',
    summary: 'Get a user',
    access: 'user',
    scope: 'any',
    params: z.object({ userId: Id }),
    response: User,
    success: 200,
  },
  /**
   * Users can change only their own data. With a token that is bound to one organization, they can do so only if they
   * belong to no other organization.
   */
  updateUserById: {
    method: 'PATCH',
    path: '/v1/users/:userId',
    summary: 'Change the name or photo of the caller',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ userId: Id }),
    body: z
      .object({
        displayName: DisplayName.optional(),
        photoURL: createHttpUrlSchema().nullable().optional(),
      })
      .prefault({}),
    response: User,
    success: 200,
  },
  listUserTokens: {
    method: 'GET',
    path: '/v1/user/tokens',
    summary: 'List the tokens of the caller',
    access: 'user',
    scope: 'unscoped',
    query: PageQuery,
    response: list(UserToken),
    success: 200,
  },
  createUserToken: {
    method: 'POST',
    path: '/v1/user/tokens',
    summary: 'Create a token',
    access: 'user',
    scope: 'unscoped',
    body: NewToken,
    response: CreatedUserToken,
    success: 201,
    secret: true,
    errors: ['conflict'],
  },
  deleteUserToken: {
    method: 'DELETE',
    path: '/v1/user/tokens/:tokenId',
    summary: 'Revoke a token',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ tokenId: Id }),
    success: 205,
  },
  listUserSessions: {
    method: 'GET',
    path: '/v1/user/sessions',
    summary: 'List the sessions of the caller',
    access: 'user',
    scope: 'unscoped',
    query: PageQuery,
    response: list(UserSession),
    success: 200,
  },
  deleteUserSession: {
    method: 'DELETE',
    path: '/v1/user/sessions/:sessionId',
    summary: 'End a session',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ sessionId: Id }),
    success: 205,
  },
});
