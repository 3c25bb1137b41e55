import type { EventData, EventType, InstallationStatus, JobType } from '@octavo/schema';

interface Happened {
  /** The same whenever the event is sent again. */
  eventId: string;
  installationId: string;
}

/** What has happened in an organization, as the platform tells it to installations. */
type TellingEvents = {
  [Type in Exclude<EventType, JobType>]: Happened & {
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

/** What has happened to the installation itself, and new content of a space. */
interface InstallationEvents {
  installation_setup: Happened & Setup & { type: 'installation_setup' };
  installation_deleted: Happened & { type: 'installation_deleted' };
  space_installation_setup: Happened & Setup & { type: 'space_installation_setup'; spaceId: string };
  space_installation_deleted: Happened & { type: 'space_installation_deleted'; spaceId: string };
  site_installation_setup: Happened & Setup & { type: 'site_installation_setup'; siteId: string };
  site_installation_deleted: Happened & { type: 'site_installation_deleted'; siteId: string };
  space_content_updated: Happened & { type: 'space_content_updated'; spaceId: string; revisionId: string };
}

/** The events that a script may handle, by type. */
export type HandledEvents = TellingEvents & InstallationEvents;

/** Where a question of the platform is about one space or site. */
interface Asked {
  eventId: string;
  installationId?: string;
  spaceId?: string;
  siteId?: string;
}

/** Pages, or the text of one, are to be made of what somebody gave a computed page, or `revision` a page. */
interface Computed extends Asked {
  sourceId: string;
  props: Record<string, unknown>;
  /** By the names that the computed page has for them; `value` is their state, null of what is not there. */
  dependencies: Record<string, { ref: Record<string, unknown>; value: Record<string, unknown> | null }>;
}

/** What the platform asks a script, by type: it waits for the answer. */
export interface Questions {
  fetch: Asked & {
    type: 'fetch';
    request: { method: string; url: string; headers: Record<string, string> };
    auth?: { userId: string };
  };
  fetch_published_script: Asked & { type: 'fetch_published_script' };
  fetch_visitor_authentication: Asked & {
    type: 'fetch_visitor_authentication';
    request: { method: string; url: string; headers: Record<string, string> };
  };
  ui_render: Asked & {
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
  task: Asked & { type: 'task'; task: Record<string, unknown> };
}
