import type { IntegrationContext } from './context.ts';
import type { HandledEvents, Questions } from './event.ts';

type Awaitable<Value> = Value | Promise<Value>;

/** A function that is called with what happened or was asked, and with what it may use. */
export type IntegrationHandler<Input, Output = void> = (input: Input, context: IntegrationContext) => Awaitable<Output>;

/** Pages that are made by the integration. */
interface ContentSource {
  revision: IntegrationHandler<Questions['content_compute_revision'], unknown>;
  document: IntegrationHandler<Questions['content_compute_document'], unknown>;
}

/** What an integration does; each part may be left out. */
export interface IntegrationDefinition {
  /** Answers requests to its public address. */
  fetch?: IntegrationHandler<Request, Response>;
  /** By the type of the event. Of the others the platform is told that they are not handled. */
  events?: { [Type in keyof HandledEvents]?: IntegrationHandler<HandledEvents[Type]> };
  /** Gives the script that published sites load; undefined for none. */
  publishedScript?: IntegrationHandler<Questions['fetch_published_script'], string | undefined>;
  /** Answers a visitor who has to sign in. */
  visitorAuthentication?: IntegrationHandler<Request, Response>;
  /** Draws the components of its blocks and configurations, by their ids. */
  components?: Record<string, IntegrationHandler<Questions['ui_render'], object>>;
  /** By the ids in the manifest. */
  contentSources?: Record<string, ContentSource>;
  /** What it does later, by the `type` of the task. */
  tasks?: Record<string, IntegrationHandler<Record<string, unknown>>>;
}
