import type { EventData, EventType, InstallationStatus, JobType } from '@octavo/schema';
import type { IntegrationContext } from './context.ts';

type Awaitable<Value> = Value | Promise<Value>;

/** A handler of an event or a question. */
export type IntegrationHandler<Input, Output = void> = (input: Input, context: IntegrationContext) => Awaitable<Output>;

/** Generates the pages of a computed page. */
interface ContentSource {
  revision: IntegrationHandler<Questions['content_compute_revision'], unknown>;
  document: IntegrationHandler<Questions['content_compute_document'], unknown>;
}

/** The handlers of an integration. All are optional. */
export interface IntegrationDefinition {
  /** Handles requests to the public endpoint. */
  fetch?: IntegrationHandler<Request, Response>;
  /** Event handlers by type. Other events are reported to the platform as not handled. */
  events?: { [Type in keyof HandledEvents]?: IntegrationHandler<HandledEvents[Type]> };
  /** Returns the script that published sites load, or undefined for none. */
  publishedScript?: IntegrationHandler<Questions['fetch_published_script'], string | undefined>;
  /** Handles visitors who have to sign in. */
  visitorAuthentication?: IntegrationHandler<Request, Response>;
  /** Renders the components of blocks and configurations, by component id. */
  components?: Record<string, IntegrationHandler<Questions['ui_render'], object>>;
  /** Content sources by their id in the manifest. */
  contentSources?: Record<string, ContentSource>;
  /** Task handlers by the `type` of the task. */
  tasks?: Record<string, IntegrationHandler<Record<string, unknown>>>;
}

interface EventIdentity {
  /** Stays the same when the event is sent again. */
  eventId: string;
  installationId: string;
}

/** Events of an organization, as installations receive them. */
type OrganizationEvents = {
  [Type in Exclude<EventType, JobType>]: EventIdentity & {
    type: Type;
    spaceId?: string;
    createdAt: string;
    actor?: string;
  } & EventData<Type>;
};

interface Setup {
  status: InstallationStatus;
  previous?: { status: InstallationStatus };
}

/** Events of the installation itself, and content updates of a space. */
interface InstallationEvents {
  installation_setup: EventIdentity & Setup & { type: 'installation_setup' };
  installation_deleted: EventIdentity & { type: 'installation_deleted' };
  space_installation_setup: EventIdentity & Setup & { type: 'space_installation_setup'; spaceId: string };
  space_installation_deleted: EventIdentity & { type: 'space_installation_deleted'; spaceId: string };
  site_installation_setup: EventIdentity & Setup & { type: 'site_installation_setup'; siteId: string };
  site_installation_deleted: EventIdentity & { type: 'site_installation_deleted'; siteId: string };
  space_content_updated: EventIdentity & { type: 'space_content_updated'; spaceId: string; revisionId: string };
}

/** The events that a script can handle, by type. */
type HandledEvents = OrganizationEvents & InstallationEvents;

/** A question about the integration, an installation, a space or a site. */
interface Question {
  eventId: string;
  installationId?: string;
  spaceId?: string;
  siteId?: string;
}

/** Asks for the pages of a computed page, or for the text of one page. */
interface Computed extends Question {
  sourceId: string;
  props: Record<string, unknown>;
  /**
   * The dependencies by the names that the computed page gives them. `value` is the state of the dependency, or null if
   * it does not exist.
   */
  dependencies: Record<string, { ref: Record<string, unknown>; value: Record<string, unknown> | null }>;
}

/** The questions that the platform asks a script, by type. The platform waits for the response. */
export interface Questions {
  fetch: Question & {
    type: 'fetch';
    request: { method: string; url: string; headers: Record<string, string> };
    auth?: { userId: string };
  };
  fetch_published_script: Question & { type: 'fetch_published_script' };
  fetch_visitor_authentication: Question & {
    type: 'fetch_visitor_authentication';
    request: { method: string; url: string; headers: Record<string, string> };
  };
  ui_render: Question & {
    type: 'ui_render';
    componentId: string;
    props: Record<string, unknown>;
    state?: Record<string, unknown>;
    context: Record<string, unknown>;
    action?: Record<string, unknown>;
    auth?: { userId: string };
  };
  content_compute_revision: Computed & { type: 'content_compute_revision' };
  content_compute_document: Computed & { type: 'content_compute_document' };
  task: Question & { type: 'task'; task: Record<string, unknown> };
}
