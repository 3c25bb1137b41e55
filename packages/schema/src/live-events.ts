import * as z from 'zod';
import type { EventType, NewEvent } from './events.ts';
import type { SpaceId } from './ids.ts';

/** The page of a change request that a user edits, and the position of the edited block among its blocks. */
export const Presence = z.object({
  changeRequest: z.string().max(64),
  page: z.string().max(64),
  block: z.number().int().min(0).max(1_000_000).optional(),
});
export type Presence = z.infer<typeof Presence>;

/** A message of a client on a live connection. `presence` is null when the user stops editing. */
export const LiveRequest = z.object({ type: z.literal('presence'), presence: Presence.nullable() });
export type LiveRequest = z.infer<typeof LiveRequest>;

/** A change in a space. It contains ids only: clients read the current state from the API. */
export interface LiveEvent {
  type: EventType;
  /** The change request that was changed, or in which the change was made. */
  changeRequest?: string;
  /** The new revision of the live content or of the change request. */
  revision?: string;
  comment?: string;
}

/** A message of the server on a live connection. */
export type LiveMessage =
  /** The connection is open. */
  | { type: 'connected' }
  | { type: 'event'; event: LiveEvent }
  /** Another user edits a page, or has stopped (null). Each connection is a participant of its own. */
  | { type: 'presence'; participant: string; user: string; presence: Presence | null };

/** The text of the message with which clients check that the connection works. The server sends `livePong` back. */
export const livePing = 'ping';
export const livePong = 'pong';

/** Codes with which the server closes connections. `replaced`: newer connections of the user have replaced this one. */
export const liveCloseCodes = { noAccess: 4001, replaced: 4002, silent: 4003, invalid: 1008, tooLong: 1009 } as const;

/** The changes in a space that are sent to its live connections. */
export interface LiveNotice {
  type: 'live';
  /** The space. */
  id: SpaceId;
  events: LiveEvent[];
}

const liveTypes =
  /^(?:revision\.created|(?:space|change_request|comment|comment_reply)\.\w+|import\.(?:completed|failed))$/;

function toLiveEvent({ type, space, data }: NewEvent): LiveEvent {
  const { changeRequest, revision, comment, branch } = data as Partial<
    Record<'changeRequest' | 'revision' | 'comment' | 'branch', string>
  >;
  const owner = changeRequest ?? (branch === space ? undefined : branch);
  return {
    type,
    ...(owner !== undefined && { changeRequest: owner }),
    ...(revision !== undefined && { revision }),
    ...(comment !== undefined && { comment }),
  };
}

/** Maximum number of sent events of one commit. Clients read lists again, so no change is missed. */
const maxEvents = 50;

/** Returns the notices for the spaces of events. */
export function createLiveNotices(events: readonly NewEvent[]): LiveNotice[] {
  const bySpace = new Map<SpaceId, LiveEvent[]>();
  for (const event of events) {
    const { space } = event;
    if (space === undefined || !liveTypes.test(event.type)) continue;
    const collected = bySpace.get(space) ?? [];
    bySpace.set(space, collected);
    if (collected.length < maxEvents) collected.push(toLiveEvent(event));
  }
  return [...bySpace].map(([id, all]) => ({ type: 'live', id, events: all }));
}
