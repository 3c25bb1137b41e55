import { audited } from '../audited.ts';
import type { EventType } from '../events.ts';
import type { OrganizationId, SpaceId } from '../ids.ts';
import { timestamp } from '../time.ts';

/** An event as the outbox holds it. */
export interface StoredEvent {
  id: string;
  type: EventType;
  organization: OrganizationId | null;
  space: SpaceId | null;
  actor: string;
  data: Record<string, unknown>;
  createdAt: number;
}

/** What an event is about: what its type says in `audited`. Events of one object are delivered in their order. */
export function objectOf({ type, organization, space, actor, data }: StoredEvent): string {
  const place = String(audited[type]);
  const value = { organization, space, actor }[place] ?? data[place];
  return typeof value === 'string' ? value : '';
}

/** The id of an invite is what one joins by: its beginning is enough to know it by. */
export const shownOfInvite = 10;

/** What is shown of a field of an event's data, to those who may read the event. */
export const shownPart = (field: string, value: string): string =>
  field === 'invite' ? value.slice(0, shownOfInvite) : value;

/** The body that a webhook is sent: it follows from the event, and is the same each time. */
export interface EventPayload {
  id: string;
  type: string;
  createdAt: string;
  organization: string | null;
  space?: string;
  actor: string;
  data: Record<string, unknown>;
}

/** The body for an event. */
export function payloadOf({ id, type, createdAt, organization, space, actor, data }: StoredEvent): EventPayload {
  const shown = Object.entries(data).map(([field, value]) => [
    field,
    typeof value === 'string' ? shownPart(field, value) : value,
  ]);
  return {
    id,
    type,
    createdAt: timestamp(createdAt),
    organization,
    ...(space === null ? {} : { space }),
    actor,
    data: Object.fromEntries(shown) as EventPayload['data'],
  };
}
