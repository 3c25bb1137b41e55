import * as z from 'zod';
import { auditedFields } from '../audited.ts';
import { contract } from '../endpoint.ts';
import type { EventType } from '../events.ts';
import type { OrganizationId, SpaceId } from '../ids.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { formatTimestamp, Timestamp } from '../time.ts';
import type { IntegrationScope } from './integration-scope.ts';
import { IntegrationName } from './integrations.ts';

const content = ['space:content:read', 'space:content:write'] as const;
const spaces = ['space:metadata:read', 'space:metadata:write'] as const;
const sites = ['site:metadata:read'] as const;

/**
 * The scopes that allow an installation to receive events, by the object in the event type's prefix. One of them is
 * enough.
 */
const scopesByObject: Record<string, readonly IntegrationScope[]> = {
  revision: content,
  import: content,
  change_request: content,
  comment: content,
  comment_reply: content,
  space: spaces,
  site: sites,
  site_section: sites,
  site_section_group: sites,
  site_space: sites,
  site_external_link: sites,
  site_redirect: sites,
  site_redirects: sites,
  openapi_spec: ['openapi:read', 'openapi:write'],
};

/** Event types that require other scopes than their object does: events about site access and about visitor claims. */
const scopesByType: { readonly [Type in EventType]?: readonly IntegrationScope[] } = {
  'site.auth_updated': [],
  'site.auth_key_shown': [],
  'site.auth_key_regenerated': [],
  'site.adaptive_schema_updated': ['site:adaptive:read', 'site:adaptive:write'],
};

const objectsOfOwn = new Set(['installation', 'space_installation', 'site_installation']);

const getObjectKind = (type: EventType): string => type.split('.')[0] ?? '';

/**
 * Returns whether a type is about an installation. An installation receives these events about itself regardless of its
 * scopes.
 */
export const isInstallationEvent = (type: EventType): boolean => objectsOfOwn.has(getObjectKind(type));

/**
 * Returns the scopes that allow an installation to receive events of a type; one of them is enough. Empty if no
 * installation receives them.
 */
export const getEventScopes = (type: EventType): readonly IntegrationScope[] =>
  auditedFields[type] === null ? [] : (scopesByType[type] ?? scopesByObject[getObjectKind(type)] ?? []);

/** An event in the outbox. */
export interface StoredEvent {
  id: string;
  type: EventType;
  organization: OrganizationId | null;
  space: SpaceId | null;
  actor: string;
  data: Record<string, unknown>;
  createdAt: number;
}

/**
 * Returns the id of an event's target, from the field that `auditedFields` names. Events with the same target are
 * delivered in order.
 */
export function getTargetId({ type, organization, space, actor, data }: StoredEvent): string {
  const targetId = String(auditedFields[type]);
  const value = { organization, space, actor }[targetId] ?? data[targetId];
  return typeof value === 'string' ? value : '';
}

/** Length of the visible prefix of an invite's id. The full id is a secret that allows joining. */
export const visibleInviteLength = 10;

/** Returns the visible part of a field of an event's data, for callers who may read the event. */
export const toVisiblePart = (field: string, value: string): string =>
  field === 'invite' ? value.slice(0, visibleInviteLength) : value;

/** The body of a webhook request. It depends only on the event, so all attempts send the same body. */
export interface EventPayload {
  id: string;
  type: string;
  createdAt: string;
  organization: string | null;
  space?: string;
  actor: string;
  data: Record<string, unknown>;
}

/** Returns the webhook body of an event. */
export function createPayload({ id, type, createdAt, organization, space, actor, data }: StoredEvent): EventPayload {
  const visible = Object.entries(data).map(([field, value]) => [
    field,
    typeof value === 'string' ? toVisiblePart(field, value) : value,
  ]);
  return {
    id,
    type,
    createdAt: formatTimestamp(createdAt),
    organization,
    ...(space === null ? {} : { space }),
    actor,
    data: Object.fromEntries(visible) as EventPayload['data'],
  };
}

/** An event in the GitBook-compatible format. */
export interface InstallationPayload {
  eventId: string;
  type: string;
  installationId: string;
  [field: string]: unknown;
}

/** The user who caused an event. */
export interface EventActor {
  object: 'user';
  id: string;
  displayName: string;
  urls: { location: string };
}

const setup = /^((?:space_|site_)?installation)\.(created|updated|deleted)$/;

/**
 * Returns the fields that are specific to an event in the GitBook-compatible format, or undefined if that format has no
 * such event.
 */
function createSpecifiedFields({ type, space, data }: StoredEvent, actor: EventActor) {
  const [, object, change] = setup.exec(type) ?? [];
  if (object !== undefined) {
    if (change === 'deleted') return { type: `${object}_deleted`, previous: { status: data.status } };
    const previous = data.previous === undefined ? {} : { previous: { status: data.previous } };
    return { type: `${object}_setup`, status: data.status, ...previous };
  }
  if (type !== 'revision.created' || data.branch !== space) return undefined;
  return { type: 'space_content_updated', revisionId: data.revision, updatedBy: [actor] };
}

/**
 * Returns the payload of an event for an installation: in the GitBook-compatible format if it has such an event,
 * otherwise with our data.
 */
export function createInstallationPayload(
  event: StoredEvent,
  installation: string,
  actor: EventActor,
): InstallationPayload {
  const { id: eventId, space, data, createdAt } = event;
  const targets = {
    ...(space === null ? {} : { spaceId: space }),
    ...(typeof data.site === 'string' ? { siteId: data.site } : {}),
  };
  const base = { eventId, installationId: installation, ...targets };
  const specified = createSpecifiedFields(event, actor);
  if (specified !== undefined) return { ...base, ...specified };
  return {
    ...createPayload(event).data,
    ...base,
    type: event.type,
    createdAt: formatTimestamp(createdAt),
    actor: event.actor,
  };
}

/** The event that a script is called with. Its type determines the other fields. */
export const ScriptEvent = z.looseObject({ eventId: z.string(), type: z.string() }).meta({ id: 'ScriptEvent' });
export type ScriptEvent = z.infer<typeof ScriptEvent>;

/** An event in the log. For long events, the log stores only id and type. */
export const LoggedEvent = ScriptEvent;

/** A line that a script wrote to its console. */
const ScriptLogLine = z
  .object({ message: z.string(), timestamp: Timestamp, level: z.enum(['debug', 'info', 'warn', 'error']) })
  .meta({ id: 'ScriptLog' });
export const ScriptLogs = z.array(ScriptLogLine);

/** The payload of a later call that an integration requests. */
export const IntegrationTask = z.record(z.string(), z.unknown());

export const IntegrationEvent = z
  .object({
    id: z.string(),
    integrationId: z.string(),
    installationId: z.string().optional(),
    createdAt: Timestamp,
    payload: ScriptEvent,
    status: z.enum(['success', 'failed']),
  })
  .meta({ id: 'IntegrationEvent' });
export type IntegrationEvent = z.infer<typeof IntegrationEvent>;

const params = z.object({ integrationName: IntegrationName });

export const integrationEventEndpoints = contract({
  listIntegrationEvents: {
    method: 'GET',
    path: '/v1/integrations/:integrationName/events',
    summary: 'List the script runs of an integration',
    access: { integration: 'admin' },
    scope: 'integration:publish',
    byIntegration: true,
    params,
    query: PageQuery,
    response: list(IntegrationEvent),
    success: 200,
  },
  getIntegrationEvent: {
    method: 'GET',
    path: '/v1/integrations/:integrationName/events/:eventId',
    summary: 'Get a script run of an integration',
    access: { integration: 'admin' },
    scope: 'integration:publish',
    byIntegration: true,
    params: params.extend({ eventId: Id }),
    response: z.object({
      event: IntegrationEvent,
      trace: z.object({
        logs: ScriptLogs,
        error: z.string().optional(),
      }),
    }),
    success: 200,
  },
});
