import type * as z from 'zod';
import type { ErrorType } from './errors.ts';
import type { IntegrationScope } from './integrations/integration-scope.ts';
import type { RateKind } from './rate-limits.ts';
import type { CollectionRight, OrganizationRight, SpaceRight } from './rights.ts';
import type { Scope } from './scopes.ts';

/** The right that the caller needs before a handler runs. The runtime reads the ids from the path parameters. */
export type Access =
  | 'public'
  | 'user'
  /** A user with a token that is not bound to one organization: for account settings beyond an organization. */
  | 'account'
  /** `signIn: 'any'` also allows members whose token was not issued by the SSO that the organization enforces. */
  | { organization: OrganizationRight; signIn?: 'any' }
  /**
   * A member. `view` is allowed for the member and for users who may list members, `leave` for the member and for
   * admins.
   */
  | { member: 'view' | 'leave'; signIn?: 'any' }
  /**
   * A `:changeRequestId` or `:revisionId` in the path must belong to the space, otherwise the response is a 404. `or`
   * names users for whom the right `access` is enough: `requested` are users who were asked to review the change
   * request, directly or through a team; `self` is the caller, if `:userId` is the caller's id.
   */
  | { space: SpaceRight; deleted?: 'allowed'; or?: 'requested' | 'self' }
  | { collection: CollectionRight }
  | { team: 'view' | 'admin' }
  | { site: 'view' | 'manage' }
  | { openapi: 'view' | 'edit' }
  | { integration: 'view' | 'admin' }
  /**
   * `view` and `configure` are allowed for the installation itself, its integration, and admins of the organization.
   * `admin` is allowed only for admins, `token` only for the integration. `place` is a right on a space or site that
   * the path or the body names; users who may install integrations there have it too.
   */
  | { installation: 'view' | 'configure' | 'admin' | 'place' | 'token' };

/**
 * The right that the caller needs on an object that a field of the body names. If the field is null, the caller needs
 * `top` on the organization, or nothing more if `top` is not set.
 */
export type NamedInBody =
  | { collection: CollectionRight; top?: OrganizationRight }
  | { space: SpaceRight }
  /** `bySubdomain` allows the organization's hostname instead of its id. */
  | { organization: OrganizationRight; bySubdomain?: true }
  /** A space or a site on which the caller may install integrations. */
  | { place: 'space' | 'site' };

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/v1`. Parameters are written `:name`; a last parameter `:name+` can contain slashes. */
  path: `/${string}`;
  summary: string;
  /**
   * The name of the operation, if it serves several endpoints: the endpoints for the live content, change requests and
   * revisions share one operation.
   */
  operation?: string;
  access: Access;
  /**
   * Whether site visitors may call the endpoint with their token, for content that the site shows them. `previews`
   * allows it only for previews, with the member's rights. For other visitors the response is a 404.
   */
  visitors?: 'allowed' | 'previews';
  /** The scope that a scoped token needs. `any`: every token is allowed; `unscoped`: only tokens without scopes. */
  scope: Scope | 'any' | 'unscoped';
  /** Whether an integration may call the endpoint with its own token. */
  byIntegration?: true;
  /** The scopes that an installation needs, if they differ from the default; see `getInstallationScopes`. */
  byInstallation?: 'any' | 'none' | readonly IntegrationScope[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The objects that the body names, by field. They are checked after the body is parsed, before the handler runs. */
  targets?: Record<string, NamedInBody>;
  /**
   * The right that the caller needs on the organization if the body names none of the `targets`. It is separate from
   * `targets` because a body can name its object in one of several fields, and the organization decides only if all of
   * them are omitted.
   */
  otherwise?: OrganizationRight;
  /** The schema of the response; omitted if the response has no body. */
  response?: z.ZodType;
  success: 200 | 201 | 204 | 205;
  /**
   * The path of the object that a 201 created, if it has no `urls.location` and its path is not the request path plus
   * its `id`. Can contain path parameters and fields of the response.
   */
  location?: `/v1/${string}`;
  /**
   * Errors in addition to those that every endpoint can return: 400, 401, 403, 404 for the objects in its access, 413,
   * 415, 429, 5xx.
   */
  errors?: readonly ErrorType[];
  deprecated?: true;
  /**
   * The callers to whom the response does not report the number of rows read, because this number reveals hidden
   * content. With `from-members`, only admins receive the number.
   */
  hidesCost?: 'from-all' | 'from-members';
  /**
   * Set if the response contains a secret that is shown only once. The response is never stored, so a repeated request
   * with the same Idempotency-Key does not get the secret again.
   */
  secret?: true;
  /**
   * Set if the response depends only on the revision that the path names or resolves to. The response then has an ETag,
   * and a client that already has it receives a 304 without a new read.
   */
  cache?: 'revision';
  /** Set if the response is stored JSON that is forwarded without parsing, because it can have many MB. */
  streamed?: true;
  /**
   * Set if the request changes or reviews a branch of content. If-Match names the revision that must still be the
   * branch's head.
   */
  precondition?: 'revision';
  /** The rate limit that applies, if a request costs more than an ordinary read or write. */
  rate?: Extract<RateKind, 'searches' | 'jobs'>;
  /** Set if a POST only reads. It accepts no Idempotency-Key and writes no event. */
  reads?: true;
  /** The maximum size of the request body in bytes, if it is not `defaultMaxBodyBytes`. */
  maxBodyBytes?: number;
}

/** The maximum size of a request body in bytes. */
export const defaultMaxBodyBytes = 1024 * 1024;

/**
 * Returns whether a request can have an Idempotency-Key, with which it is executed only once even if it is repeated.
 */
export const supportsIdempotencyKey = ({ method, success, reads }: Endpoint): boolean =>
  reads === undefined && (method === 'POST' || success === 201);

export const isWrite = ({ method, reads }: Endpoint): boolean => method !== 'GET' && reads === undefined;

export type Contract = Record<string, Endpoint>;

/** Preserves the literal types of a contract: method, path, schemas. */
export const contract = <const C extends Contract>(endpoints: C): C => endpoints;

/** Returns the name of the operation that serves the endpoint with this id. */
export const getOperationName = (id: string, { operation = id }: Endpoint): string => operation;

/** The names of the operations that implement a contract. */
export type OperationsOf<C extends Contract> = {
  [Id in keyof C]: C[Id] extends { operation: infer Name extends string } ? Name : Id;
}[keyof C];

/** The endpoint of an operation, or the endpoints for live content, change requests and revisions that share it. */
export type OperationEndpoint<C extends Contract, Name extends OperationsOf<C>> = {
  [Id in keyof C]: C[Id] extends { operation: string }
    ? C[Id]['operation'] extends Name
      ? C[Id]
      : never
    : Id extends Name
      ? C[Id]
      : never;
}[keyof C];

export type ParamsOf<E extends Endpoint> = E extends { params: infer P extends z.ZodType }
  ? z.output<P>
  : Record<never, never>;
export type QueryOf<E extends Endpoint> = E extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : Record<never, never>;
export type BodyOf<E extends Endpoint> = E extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
export type ResponseOf<E extends Endpoint> = E extends { response: infer R extends z.ZodType }
  ? z.output<R>
  : undefined;
