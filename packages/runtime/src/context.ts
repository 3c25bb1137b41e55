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

/** What every operation has at hand. */
export interface BaseContext<Env> {
  env: Env;
  /** What may go on after the answer. */
  background: Background;
  db: Database;
  /** Adds the cost of a service call to this request's, and gives its value. */
  absorb: Connection['absorb'];
  urls: Urls;
  requestId: string;
  /** Names what the answer follows from beside a revision, as far as there is any: it goes into the ETag. */
  addToEtag(what: string | undefined): void;
  /** Who calls as a visitor of a site; undefined for users. */
  visitor?: Visitor | undefined;
}

/** What authorization found for a read of another address, with the parameters of its path. */
type AuthorizedFor = Authorized & { params: Record<string, string> };

export interface ActorContext {
  actor: CallerRecord;
  /** The actor and the request id, as commits and services record them. */
  caller: Caller;
  /** Writes statements and events in one batch, sends the events on after the answer, and gives the rows by name. */
  commit<Given extends Statements>(statements: Given, events: CausedEvent[]): Promise<RowsOf<Given>>;
  /**
   * Authorizes the caller for another endpoint, by the parameters of its path as they stand there: for what is named by
   * an address.
   */
  authorizeFor(endpoint: Endpoint, params: Record<string, string>): Promise<AuthorizedFor>;
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

/** An operation at several points has a change request at one of them. */
type InChangeRequest<Path extends string> = [Path] extends [ChangeRequestPath]
  ? { changeRequest: ChangeRequestRecord }
  : [Extract<Path, ChangeRequestPath>] extends [never]
    ? unknown
    : { changeRequest?: ChangeRequestRecord };

type ChangeRequestPath = `${string}:changeRequestId${string}`;

/** Visitors of a site are members of nothing. */
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

/** A space that the body named, with the caller's role there. */
export type SpaceInBody = Pick<SpaceContext, 'space' | 'role'>;

/** What the body's targets named, by field; a field that was left out or null is not there. */
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

/** By If-Match, where the request has one: the revisions of which one must be the head of the branch that it changes. */
type Precondition<E extends Endpoint> = E['precondition'] extends string ? { expected: string[] | undefined } : unknown;

export type Context<E extends Endpoint, Env> = BaseContext<Env> &
  (E['access'] extends 'public' ? unknown : ActorPart<E> & PathObjects<E> & BodyTargets<E> & Precondition<E>);

export interface HandlerInput<E extends Endpoint> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}

/** An operation: parsed input and what authorization found in, the resource out. */
export type Handler<E extends Endpoint, Env> = (
  input: HandlerInput<E>,
  context: Context<E, Env>,
) => HandlerResult<E> | Promise<HandlerResult<E>>;

type HandlerResult<E extends Endpoint> = E['streamed'] extends true ? StreamedJson : ResponseOf<E>;
