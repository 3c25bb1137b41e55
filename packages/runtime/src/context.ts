import type {
  CallerRecord,
  CausedEvent,
  ChangeRequestRecord,
  CollectionRecord,
  Connection,
  Database,
  InstallationRecord,
  MemberRecord,
  Membership,
  OrganizationRecord,
  RevisionPoint,
  RowsOf,
  SiteRecord,
  SpaceRecord,
  Statements,
  TeamRecord,
  VisibleIntegrationRecord,
} from '@octavo/db';
import type { BodyOf, Caller, Endpoint, ParamsOf, QueryOf, ResponseOf, Role, Visitor } from '@octavo/schema';
import type { Background } from './environment.ts';
import type { Authorized } from './find-object.ts';
import type { StreamedJson, Urls } from './respond.ts';

/** The values and functions that every handler can use. */
export interface BaseContext<Env> {
  env: Env;
  /** Runs work after the response. */
  background: Background;
  db: Database;
  /** Adds the cost of a service call to the cost of this request, and returns the call's value. */
  absorb: Connection['absorb'];
  urls: Urls;
  requestId: string;
  /** Adds a value that the response depends on, besides the revision, to the ETag. */
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

/** The change request is optional if only some of the operation's paths name one. */
type InChangeRequest<Path extends string> = [Path] extends [ChangeRequestPath]
  ? { changeRequest: ChangeRequestRecord }
  : [Extract<Path, ChangeRequestPath>] extends [never]
    ? unknown
    : { changeRequest?: ChangeRequestRecord };

type ChangeRequestPath = `${string}:changeRequestId${string}`;

/** Optional for visitors, who are not members of an organization. */
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

type HandlerResult<E extends Endpoint> = E['streamed'] extends true ? StreamedJson : ResponseOf<E>;
