import type {
  CallerRecord,
  CausedEvent,
  ChangeRequestRecord,
  CollectionRecord,
  Connection,
  Database,
  InstallationRecord,
  Lookup,
  MemberRecord,
  Membership,
  OrganizationRecord,
  ReadPoint,
  RevisionPoint,
  RowsOf,
  SiteRecord,
  SpaceRecord,
  Statements,
  TeamRecord,
  VisibleIntegrationRecord,
} from '@octavo/db';
import {
  lookUpBoundOrganization,
  lookUpBranch,
  lookUpLineage,
  lookUpOrganization,
  lookUpOwner,
  lookUpRole,
  lookUpUser,
} from '@octavo/db';
import type {
  BodyOf,
  Caller,
  Endpoint,
  OrganizationId,
  ParamsOf,
  QueryOf,
  ResponseOf,
  Role,
  SpaceId,
  UserId,
  Visitor,
} from '@octavo/schema';
import type { Background } from './environment.ts';
import type { Authorized, Reader } from './find-object.ts';
import type { StreamedJson, Urls } from './respond.ts';

/** A value that authorization reads, or a lookup of it if the caller is not authorized yet. */
type EarlyValue<Value> = Value | Lookup<Value>;

/** The values that the queries of an operation on a space can use. */
export interface SpaceScope {
  space: SpaceId;
  point: ReadPoint;
  /** The branch of the space or of the change request. */
  branch: EarlyValue<string>;
  /** The organization of the space. */
  organization: EarlyValue<OrganizationId>;
  user: EarlyValue<UserId>;
  /** The visitor's site and the member whose rights a preview uses; undefined for users. */
  visitor: Pick<Visitor, 'site' | 'user'> | undefined;
}

/** The values that the queries of an operation on an organization can use. */
export interface OrganizationScope {
  /** The organization if the caller is a member or a guest there, otherwise null. */
  organization: EarlyValue<OrganizationId> | null;
  /** The organization if the caller has a role there, otherwise null. */
  asMember: EarlyValue<OrganizationId> | null;
  /** The organization if the caller is a guest there, otherwise null. */
  asGuest: EarlyValue<OrganizationId> | null;
  user: EarlyValue<UserId>;
  role: EarlyValue<Role | null>;
  /**
   * The installation whose token the caller uses, otherwise null. It is unknown, and null, in queries that are sent
   * together with the authorization.
   */
  installation: string | null;
}

/** The values that the queries of an operation on no particular object can use. */
interface UserScope {
  user: EarlyValue<UserId>;
  /** The organization to which the caller's token is bound; null if it is not bound to one. */
  boundTo: EarlyValue<OrganizationId | null>;
}

type ReadScope<E extends Endpoint> = E['access'] extends { space: unknown }
  ? SpaceScope
  : E['access'] extends { organization: unknown } | { team: unknown }
    ? OrganizationScope
    : E['access'] extends string
      ? UserScope
      : never;

type Params = Record<string, string>;

/**
 * Returns the scope of a request before its caller is authorized. Undefined if the endpoint requires access to another
 * kind of object than a space, an organization or a team, or if a visitor requests an organization or a team.
 */
export function createEarlyScope(
  { access }: Endpoint,
  params: Params,
  { hash, visitor }: Reader,
): SpaceScope | OrganizationScope | UserScope | undefined {
  const user = lookUpUser(hash);
  if (typeof access !== 'object') return { user, boundTo: lookUpBoundOrganization(hash) };
  if ('space' in access) {
    const { spaceId: space = '', changeRequestId: changeRequest, revisionId: revision } = params;
    const path = { space, changeRequest, revision };
    const caller = visitor === undefined ? { hash } : { site: visitor.site };
    const isLive = changeRequest === undefined && revision === undefined;
    return {
      space,
      point: { lineage: lookUpLineage(caller, path), branch: isLive ? space : undefined },
      branch: lookUpBranch(caller, path),
      organization: visitor?.organization ?? lookUpOwner(hash, space),
      user,
      visitor: visitor && { site: visitor.site, ...visitor.preview },
    };
  }
  if (!('organization' in access || 'team' in access) || visitor !== undefined) return undefined;
  const { organizationId: organization = '' } = params;
  return {
    organization: lookUpOrganization(hash, organization, 'any'),
    asMember: lookUpOrganization(hash, organization, 'member'),
    asGuest: lookUpOrganization(hash, organization, 'guest'),
    user,
    role: lookUpRole(hash, organization),
    installation: null,
  };
}

/** Returns the scope of an authorized request. */
export function createScope({ actor, visitor, space, point, changeRequest, organization, membership }: Authorized) {
  const user = actor?.id ?? '';
  if (space !== undefined && point !== undefined) {
    const branch = changeRequest?.id ?? space.id;
    return { space: space.id, point, branch, organization: space.organization, user, visitor };
  }
  const id = organization?.id ?? null;
  const role = membership?.role ?? null;
  const [asMember, asGuest] = role === null ? [null, id] : [id, null];
  const installation = actor?.installation ?? null;
  return { organization: id, asMember, asGuest, user, role, installation, boundTo: actor?.organization ?? null };
}

/** The values and functions that every handler can use. */
export interface BaseContext<Env> {
  env: Env;
  /** Runs work after the response. */
  background: Background;
  db: Database;
  /** Adds the cost of a service call to the cost of this request, and returns the call's value. */
  callWorker: Connection['callWorker'];
  urls: Urls;
  requestId: string;
  /** Adds a value to the ETag, because the response depends on this value as well as on the revision. */
  addToEtag(part: string | undefined): void;
  /** The visitor of a site; undefined for users. */
  visitor?: Visitor | undefined;
}

/** Authorized objects of another endpoint, with the parameters of its path. */
type AuthorizedFor = Authorized & { params: Record<string, string> };

export interface ActorContext {
  actor: CallerRecord;
  /** The actor and the request id, as commits and services record them. */
  caller: Caller;
  /** Writes statements and events in one batch, sends the events after the response, and returns the rows by name. */
  commit<Given extends Statements>(statements: Given, events: CausedEvent[]): Promise<RowsOf<Given>>;
  /**
   * Authorizes the caller for another endpoint with encoded path parameters. Used for requests that name objects by
   * URL.
   */
  authorizeOther(endpoint: Endpoint, params: Record<string, string>): Promise<AuthorizedFor>;
}

interface OrganizationContext {
  organization: OrganizationRecord;
  membership: Membership;
}

interface SpaceContext {
  space: SpaceRecord;
  role: Role | null;
  /** Whether the caller has no role in the space's organization. */
  isGuest: boolean;
  point: RevisionPoint;
}

/** The team and the member that the path names. */
type NamedObjects<E extends Endpoint> = (E['path'] extends `${string}:teamId${string}`
  ? { team: TeamRecord }
  : unknown) &
  (E['path'] extends `${string}:userId${string}` ? { member: MemberRecord } : unknown);

/** The change request is optional if only some of the operation's paths name a change request. */
type InChangeRequest<Path extends string> = [Path] extends [ChangeRequestPath]
  ? { changeRequest: ChangeRequestRecord }
  : [Extract<Path, ChangeRequestPath>] extends [never]
    ? unknown
    : { changeRequest?: ChangeRequestRecord };

type ChangeRequestPath = `${string}:changeRequestId${string}`;

/** The organization. It is optional for visitors, who are not members of an organization. */
type OrganizationPart<E extends Endpoint> = E extends { visitors: unknown }
  ? Partial<OrganizationContext>
  : OrganizationContext;

type ActorPart<E extends Endpoint> = E extends { visitors: unknown }
  ? Omit<ActorContext, 'actor'> & Partial<Pick<ActorContext, 'actor'>>
  : ActorContext;

type PathObjects<E extends Endpoint> = E['access'] extends
  | { organization: unknown }
  | { team: unknown }
  | { member: unknown }
  | { openapi: unknown }
  ? OrganizationPart<E> & NamedObjects<E>
  : E['access'] extends { space: unknown }
    ? SpaceContext & InChangeRequest<E['path']>
    : E['access'] extends { collection: unknown }
      ? { collection: CollectionRecord }
      : E['access'] extends { site: unknown }
        ? OrganizationPart<E> & { site: SiteRecord }
        : E['access'] extends { installation: unknown }
          ? { installation: InstallationRecord; isAdmin: boolean }
          : E['access'] extends { integration: unknown }
            ? { integration: VisibleIntegrationRecord }
            : unknown;

/** A space that the body names, with the caller's role on it. */
export type SpaceInBody = Pick<SpaceContext, 'space' | 'role'>;

/** The objects that the body names, by field. Omitted and null fields are absent. */
type BodyTargets<E extends Endpoint> = E['targets'] extends object
  ? { targets: { [Field in keyof E['targets']]?: TargetRecord<E['targets'][Field]> } }
  : unknown;

type TargetRecord<T> = T extends { collection: unknown }
  ? CollectionRecord
  : T extends { space: unknown }
    ? SpaceInBody
    : T extends { place: unknown }
      ? { id: string }
      : OrganizationRecord;

/** The revisions of `If-Match`; one of them must be the head of the branch that the request changes. */
type Precondition<E extends Endpoint> = E['precondition'] extends string ? { expected: string[] | undefined } : unknown;

export type Context<E extends Endpoint, Env> = BaseContext<Env> &
  (E['access'] extends 'public' ? unknown : ActorPart<E> & PathObjects<E> & BodyTargets<E> & Precondition<E>);

export interface HandlerInput<E extends Endpoint> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}

/** The function that serves an operation, from parsed input and authorized objects to the response's body. */
export type Handler<E extends Endpoint, Env> = (
  input: HandlerInput<E>,
  context: Context<E, Env>,
) => HandlerResult<E> | Promise<HandlerResult<E>>;

/** An operation whose first queries do not depend on the result of the authorization. */
export interface ReadingHandler<E extends Endpoint, Env, Given extends Statements> {
  /**
   * Returns the queries whose rows the handler needs. The queries are sent in one round trip with those of the
   * authorization, and their rows are dropped if the caller is not authorized. Returns undefined if the queries need a
   * value of the scope that is not known yet; they are then sent after the authorization.
   */
  reads: (input: HandlerInput<E>, scope: ReadScope<E>) => Given | undefined;
  handle: (
    input: HandlerInput<E>,
    context: Context<E, Env>,
    rows: RowsOf<Given>,
  ) => HandlerResult<E> | Promise<HandlerResult<E>>;
}

type HandlerResult<E extends Endpoint> = E['streamed'] extends true ? StreamedJson : ResponseOf<E>;
