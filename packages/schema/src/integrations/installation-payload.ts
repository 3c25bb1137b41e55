import { timestamp } from '../time.ts';
import type { StoredEvent } from './event-payload.ts';
import { payloadOf } from './event-payload.ts';

/** An event as the specified interface has it. */
export interface InstallationPayload {
  eventId: string;
  type: string;
  installationId: string;
  [field: string]: unknown;
}

/** Who did what an event tells of. */
export interface ShownActor {
  object: 'user';
  id: string;
  displayName: string;
  urls: { location: string };
}

const setup = /^((?:space_|site_)?installation)\.(created|updated|deleted)$/;

/** The fields of an event of the specified interface that are not of all events; undefined where it has no such event. */
function specifiedOf({ type, space, data }: StoredEvent, actor: ShownActor) {
  const [, object, change] = setup.exec(type) ?? [];
  if (object !== undefined) {
    if (change === 'deleted') return { type: `${object}_deleted`, previous: { status: data.status } };
    const previous = data.previous === undefined ? {} : { previous: { status: data.previous } };
    return { type: `${object}_setup`, status: data.status, ...previous };
  }
  if (type !== 'revision.created' || data.branch !== space) return undefined;
  return { type: 'space_content_updated', revisionId: data.revision, updatedBy: [actor] };
}

/** What an installation is sent of an event: as specified where there is such an event, else with the data of ours. */
export function installationPayloadOf(
  event: StoredEvent,
  installation: string,
  actor: ShownActor,
): InstallationPayload {
  const { id: eventId, space, data, createdAt } = event;
  const places = {
    ...(space === null ? {} : { spaceId: space }),
    ...(typeof data.site === 'string' ? { siteId: data.site } : {}),
  };
  const base = { eventId, installationId: installation, ...places };
  const specified = specifiedOf(event, actor);
  if (specified !== undefined) return { ...base, ...specified };
  return { ...payloadOf(event).data, ...base, type: event.type, createdAt: timestamp(createdAt), actor: event.actor };
}
