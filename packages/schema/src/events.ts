import * as z from 'zod';

const changedPages = z.object({ revision: z.string(), pages: z.array(z.string()) });

/** What has happened, by type, with what a consumer needs to look it up. Names are past tense (architecture, "Names"). */
export const eventData = {
  'organization.created': z.object({}),
  'token.created': z.object({ token: z.string() }),
  'token.deleted': z.object({ token: z.string() }),
  'member.added': z.object({ user: z.string() }),
  'space.created': z.object({}),
  'space.updated': z.object({}),
  'revision.created': z.object({ revision: z.string(), branch: z.string() }),
  'content.changed': changedPages,
  'change_request.created': z.object({ changeRequest: z.string() }),
  'change_request.updated': z.object({ changeRequest: z.string() }),
  'change_request.merged': z.object({ changeRequest: z.string(), revision: z.string() }),
} as const;

export type EventType = keyof typeof eventData;

/** The types that a consumer waits for; the others are kept as the audit log only. */
export const consumedEvents: ReadonlySet<EventType> = new Set<EventType>(['content.changed']);

/** The most pages that one `content.changed` event names, so that its consumer's memory stays bounded. */
export const maxPagesPerEvent = 25;

export type NewEvent = {
  [Type in EventType]: {
    type: Type;
    organization?: string;
    space?: string;
    data: z.infer<(typeof eventData)[Type]>;
  };
}[EventType];

/** An event on its queue: only where to find it, for the consumer reads it again from the outbox. */
export const EventMessage = z.object({ id: z.string(), type: z.enum(Object.keys(eventData) as [EventType]) });
export type EventMessage = z.infer<typeof EventMessage>;
