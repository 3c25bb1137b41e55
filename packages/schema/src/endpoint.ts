import type * as z from 'zod';
import type { ErrorType } from './errors.ts';
import type { IntegrationScope } from './integrations/integration-scope.ts';
import type { RateKind } from './rate-limits.ts';
import type { CollectionRight, OrganizationRight, SpaceRight } from './rights.ts';
import type { Scope } from './scopes.ts';

/** What the caller must hold before a handler runs; the runtime reads the ids from the path's parameters. */
export type Access =
  | 'public'
  | 'user'
  /** The user through a token that is not bound to one organization: what concerns the account beyond it. */
  | 'account'
  /** With `signIn: 'any'` also for members whose token does not stem from the SSO that the organization enforces. */
  | { organization: OrganizationRight; signIn?: 'any' }
  /** A member: `view` by the members themselves and by who may list them, `leave` by themselves and by admins. */
  | { member: 'view' | 'leave'; signIn?: 'any' }
  /**
   * With `:changeRequestId` or `:revisionId` in the path that object must belong to the space, else 404. With `or` the
   * right `access` is enough for who was asked to review the change request, by name or as one of a team (`requested`),
   * or for what concerns the caller alone: `:userId` is the caller's (`self`).
   */
  | { space: SpaceRight; deleted?: 'allowed'; or?: 'requested' | 'self' }
  | { collection: CollectionRight }
  | { team: 'view' | 'admin' }
  | { site: 'view' | 'manage' }
  | { openapi: 'view' | 'edit' }
  | { integration: 'view' | 'admin' }
  /**
   * `view` and `configure` by the installation itself, by its integration, and by admins of the organization; `admin` by
   * those alone. `place` is about a space or site that the path or the body names, also by who may install on that; `token` by the
   * integration alone.
   */
  | { installation: 'view' | 'configure' | 'admin' | 'place' | 'token' };

/**
 * What the caller needs on an object that a field of the body names. Where the field is null, `top` is needed on the
 * organization instead; without it that needs nothing more.
 */
export type NamedInBody =
  | { collection: CollectionRight; top?: OrganizationRight }
  | { space: SpaceRight }
  /** With `bySubdomain` the field may hold the organization's hostname instead. */
  | { organization: OrganizationRight; bySubdomain?: true }
  /** A space or a site that the caller may have the installation on. */
  | { place: 'space' | 'site' };

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/v1`; parameters as `:name`, and one last `:name+` may hold slashes. */
  path: `/${string}`;
  summary: string;
  /** The operation that serves it, where one serves several: the content's three points have theirs in common. */
  operation?: string;
  access: Access;
  /**
   * Whether visitors of a site may call it by their token, for what that site shows them; `previews` are of what only a
   * member sees, by the member's rights. Else it is not there for them.
   */
  visitors?: 'allowed' | 'previews';
  /** The scope that a scoped token needs: `any` none, `unscoped` a token without scopes (permissions.md, section 7). */
  scope: Scope | 'any' | 'unscoped';
  /** Whether an integration may call it by a token of its own. */
  byIntegration?: true;
  /** What an installation needs to call it, where that does not follow from the scope: see `installationScopesOf`. */
  byInstallation?: 'any' | 'none' | readonly IntegrationScope[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** By the field of the body that names the object; checked once the body is parsed, before the handler runs. */
  targets?: Record<string, NamedInBody>;
  /**
   * What the caller needs on the organization where the body names no object of any of the targets. It stands beside
   * them, not in one: a body may name its object by one of several fields, and only what all of them leave out is decided
   * by the organization.
   */
  otherwise?: OrganizationRight;
  /** Left out where the answer has no body. */
  response?: z.ZodType;
  success: 200 | 201 | 204 | 205;
  /**
   * Where what a 201 made is read, if it has no `urls.location` and does not stand below the path by its `id`: a path of
   * parameters and of fields of the answer.
   */
  location?: `/v1/${string}`;
  /** Beyond those that any endpoint may answer: 400, 401, 403, 404 of its access, 413, 415, 429, 5xx. */
  errors?: readonly ErrorType[];
  deprecated?: true;
  /** Whom the answer counts no rows for, because their number tells of what is hidden: only admins get it `from-members`. */
  hidesCost?: 'from-all' | 'from-members';
  /** Where the answer holds what is shown only once: it is never kept, so that a repeated request is not answered with it. */
  secret?: true;
  /**
   * Where the answer follows from the revision that the path names or leads to: it carries an ETag, and is not read again
   * for a client that has it.
   */
  cache?: 'revision';
  /** Where the answer is JSON that stands ready, and is passed on without being read: it may have many MB. */
  streamed?: true;
  /** Where the request changes a branch of content: If-Match names the revision that must still be its head. */
  precondition?: 'revision';
  /** What a caller's requests are counted as, where each takes more than a read or a write does. */
  rate?: Extract<RateKind, 'searches' | 'jobs'>;
  /** Where a POST only reads what its body asks for: it takes no Idempotency-Key, and no event tells of it. */
  reads?: true;
  /** The largest request body in bytes where it is not the usual 1 MiB. */
  maxBodyBytes?: number;
}

/** Whether a request may carry an Idempotency-Key, so that it is carried out once however often it is sent. */
export const takesKey = ({ method, success, reads }: Endpoint): boolean =>
  reads === undefined && (method === 'POST' || success === 201);

export const isWrite = ({ method, reads }: Endpoint): boolean => method !== 'GET' && reads === undefined;

export type Contract = Record<string, Endpoint>;

/** Keeps the literal types of a contract: method, path, schemas. */
export const contract = <const C extends Contract>(endpoints: C): C => endpoints;

/** The name of the operation that serves the endpoint of an id. */
export const operationOf = (id: string, { operation = id }: Endpoint): string => operation;

/** The operations that keep a contract, by name. */
export type OperationsOf<C extends Contract> = {
  [Id in keyof C]: C[Id] extends { operation: infer Name extends string } ? Name : Id;
}[keyof C];

/** What an operation serves: the endpoint of its name, or those at the points that have it in common. */
export type Served<C extends Contract, Name extends OperationsOf<C>> = {
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
