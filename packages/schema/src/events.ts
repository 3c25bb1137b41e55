import * as z from 'zod';
import type { OrganizationId, SpaceId } from './ids.ts';
import { type JobType, jobData } from './jobs.ts';

const changedPages = z.object({
  revision: z.string(),
  pages: z.array(z.string()),
  /**
   * Total length of the texts of the pages, in bytes. Omitted if the length is unknown or if the texts may include
   * other texts.
   */
  bytes: z.number().optional(),
});

/** A comment, with its change request unless it is on the live content. */
const onComment = { comment: z.string(), changeRequest: z.string().optional() };

/** An installation with its status after the event. Its configuration is never part of an event. */
const installationFields = { installation: z.string(), integration: z.string(), status: z.string() };
/** The scopes that the organization agreed to. */
const grantedScopes = { scopes: z.array(z.string()).optional() };

/**
 * The reason why a webhook was paused: nothing was delivered for a week, its receiver responded that it is permanently
 * gone, or it has reached the limit of pending deliveries.
 */
export const webhookPauseReason = z.enum(['failing', 'gone', 'full']);
export type WebhookPauseReason = z.infer<typeof webhookPauseReason>;

/**
 * The events by type, with the data that a consumer needs to look up details. Names are past tense: see "Names" in
 * docs/architecture.md.
 */
export const eventData = {
  'organization.created': z.object({}),
  'organization.updated': z.object({}),
  'user.updated': z.object({}),
  'token.created': z.object({ token: z.string() }),
  'token.deleted': z.object({ token: z.string() }),
  'member.added': z.object({ user: z.string() }),
  'member.updated': z.object({ user: z.string() }),
  'member.removed': z.object({ user: z.string() }),
  'member.signed_in': z.object({ user: z.string() }),
  'mail.requested': z.object({ user: z.string(), mail: z.string() }),
  'team.created': z.object({ team: z.string() }),
  'team.updated': z.object({ team: z.string() }),
  'team.deleted': z.object({ team: z.string() }),
  'team.members_changed': z.object({ team: z.string() }),
  'permissions.changed': z.object({ object: z.string(), subjects: z.array(z.string()) }),
  'invite.created': z.object({ invite: z.string() }),
  'invite.updated': z.object({ invite: z.string() }),
  'invite.deleted': z.object({ invite: z.string() }),
  'saml_provider.created': z.object({ provider: z.string() }),
  'saml_provider.updated': z.object({ provider: z.string() }),
  'saml_provider.deleted': z.object({ provider: z.string() }),
  'translation.created': z.object({ translation: z.string() }),
  'translation.updated': z.object({ translation: z.string() }),
  'translation.deleted': z.object({ translation: z.string() }),
  'collection.created': z.object({ collection: z.string() }),
  'collection.updated': z.object({ collection: z.string() }),
  'collection.moved': z.object({ collection: z.string() }),
  'collection.transferred': z.object({ collection: z.string(), from: z.string() }),
  'collection.deleted': z.object({ collection: z.string() }),
  'space.created': z.object({}),
  'space.updated': z.object({}),
  'space.duplicated': z.object({ source: z.string() }),
  'space.moved': z.object({}),
  'space.transferred': z.object({ from: z.string() }),
  'space.deleted': z.object({}),
  'space.restored': z.object({}),
  'space.purged': z.object({}),
  'import.started': z.object({ import: z.string() }),
  'import.completed': z.object({ import: z.string(), revision: z.string() }),
  'import.failed': z.object({ import: z.string() }),
  'import.cancelled': z.object({ import: z.string() }),
  'revision.created': z.object({ revision: z.string(), branch: z.string() }),
  'content.changed': changedPages,
  'change_request.created': z.object({ changeRequest: z.string() }),
  'change_request.updated': z.object({ changeRequest: z.string() }),
  'change_request.merged': z.object({ changeRequest: z.string(), revision: z.string() }),
  'change_request.reviewers_requested': z.object({
    changeRequest: z.string(),
    users: z.array(z.string()),
    teams: z.array(z.string()),
  }),
  'change_request.reviewer_removed': z.object({ changeRequest: z.string(), reviewer: z.string() }),
  'change_request.reviewed': z.object({ changeRequest: z.string(), review: z.string(), status: z.string() }),
  'comment.created': z.object({ ...onComment, mentions: z.array(z.string()) }),
  'comment.updated': z.object({ ...onComment, mentions: z.array(z.string()) }),
  'comment.resolved': z.object(onComment),
  'comment.reopened': z.object(onComment),
  'comment.reactions_changed': z.object({ ...onComment, reply: z.string().optional() }),
  'comment.deleted': z.object(onComment),
  'comment_reply.created': z.object({ ...onComment, reply: z.string(), mentions: z.array(z.string()) }),
  'comment_reply.updated': z.object({ ...onComment, reply: z.string(), mentions: z.array(z.string()) }),
  'comment_reply.deleted': z.object({ ...onComment, reply: z.string() }),
  'site.created': z.object({ site: z.string() }),
  'site.updated': z.object({ site: z.string() }),
  'site.published': z.object({ site: z.string() }),
  'site.unpublished': z.object({ site: z.string() }),
  'site.deleted': z.object({ site: z.string() }),
  'site_section.created': z.object({ site: z.string(), section: z.string() }),
  'site_section.updated': z.object({ site: z.string(), section: z.string() }),
  'site_section.moved': z.object({ site: z.string(), section: z.string() }),
  'site_section.deleted': z.object({ site: z.string(), section: z.string() }),
  'site_section_group.created': z.object({ site: z.string(), sectionGroup: z.string() }),
  'site_section_group.updated': z.object({ site: z.string(), sectionGroup: z.string() }),
  'site_section_group.moved': z.object({ site: z.string(), sectionGroup: z.string() }),
  'site_section_group.deleted': z.object({ site: z.string(), sectionGroup: z.string() }),
  'site_space.created': z.object({ site: z.string(), siteSpace: z.string() }),
  'site_space.updated': z.object({ site: z.string(), siteSpace: z.string() }),
  'site_space.moved': z.object({ site: z.string(), siteSpace: z.string() }),
  'site_space.deleted': z.object({ site: z.string(), siteSpace: z.string() }),
  'site_external_link.created': z.object({ site: z.string(), externalLink: z.string() }),
  'site_external_link.updated': z.object({ site: z.string(), externalLink: z.string() }),
  'site_external_link.moved': z.object({ site: z.string(), externalLink: z.string() }),
  'site_external_link.deleted': z.object({ site: z.string(), externalLink: z.string() }),
  'share_link.created': z.object({ site: z.string(), shareLink: z.string() }),
  'share_link.updated': z.object({ site: z.string(), shareLink: z.string() }),
  'share_link.deleted': z.object({ site: z.string(), shareLink: z.string() }),
  'pdf.requested': z.object({ pdf: z.string() }),
  'site.auth_updated': z.object({ site: z.string() }),
  'site.auth_key_shown': z.object({ site: z.string() }),
  'site.auth_key_regenerated': z.object({ site: z.string() }),
  'site.adaptive_schema_updated': z.object({ site: z.string() }),
  'site_redirects.changed': z.object({ site: z.string(), redirects: z.number() }),
  'site_redirect.created': z.object({ site: z.string(), redirect: z.string() }),
  'site_redirect.updated': z.object({ site: z.string(), redirect: z.string() }),
  'site_redirect.deleted': z.object({ site: z.string(), redirect: z.string() }),
  'site.customized': z.object({ site: z.string(), siteSpace: z.string().optional() }),
  'openapi_spec.created': z.object({ spec: z.string() }),
  'openapi_spec.updated': z.object({ spec: z.string() }),
  'openapi_spec.deleted': z.object({ spec: z.string() }),
  'openapi_spec.processed': z.object({ spec: z.string() }),
  'installation.created': z.object({ ...installationFields, ...grantedScopes }),
  'installation.updated': z.object({ ...installationFields, ...grantedScopes, previous: z.string() }),
  'installation.deleted': z.object({ ...installationFields }),
  'space_installation.created': z.object({ ...installationFields }),
  'space_installation.updated': z.object({ ...installationFields, previous: z.string() }),
  'space_installation.deleted': z.object({ ...installationFields }),
  'site_installation.created': z.object({ ...installationFields, site: z.string() }),
  'site_installation.updated': z.object({ ...installationFields, previous: z.string(), site: z.string() }),
  'site_installation.deleted': z.object({ ...installationFields, site: z.string() }),
  'integration.published': z.object({ integration: z.string() }),
  'integration.development_set': z.object({ integration: z.string() }),
  'integration.development_ended': z.object({ integration: z.string() }),
  'integration.unpublished': z.object({ integration: z.string() }),
  'webhook.created': z.object({ webhook: z.string() }),
  'webhook.updated': z.object({ webhook: z.string() }),
  'webhook.deleted': z.object({ webhook: z.string() }),
  'webhook.secret_rotated': z.object({ webhook: z.string() }),
  'webhook.redelivered': z.object({ webhook: z.string(), deliveries: z.number().int() }),
  'webhook.paused': z.object({ webhook: z.string(), reason: webhookPauseReason }),
} as const;

/** The rows of the outbox: events and pending jobs. */
const outboxData = { ...eventData, ...jobData };

export type EventType = keyof typeof outboxData;
export type EventData<Type extends EventType> = z.infer<(typeof outboxData)[Type]>;

/** Returns the schema of the data of an event or a job. */
export const getEventSchema = <Type extends EventType>(type: Type): (typeof outboxData)[Type] => outboxData[type];

/** The queue binding of each type that has a consumer. Other types are only stored in the audit log. */
export const eventQueues = {
  'content.changed': 'EVENTS',
  'mail.requested': 'MAILS',
  index_space: 'JOBS',
  index_made_pages: 'JOBS',
  index_includes: 'JOBS',
  index_computed: 'JOBS',
  compact_search: 'JOBS',
  build_search: 'JOBS',
  flatten_space: 'JOBS',
  index_spaces: 'JOBS',
  sweep_expired: 'JOBS',
  purge_space: 'JOBS',
  move_texts: 'JOBS',
  import_content: 'JOBS',
  render_pdf: 'PDFS',
  process_openapi: 'SPECS',
} as const satisfies { [Type in EventType]?: string } & Record<JobType, 'JOBS' | 'PDFS' | 'SPECS'>;
export type ConsumedEventType = keyof typeof eventQueues;
export type EventQueue = (typeof eventQueues)[ConsumedEventType];

export const isConsumed = (type: EventType): type is ConsumedEventType => Object.hasOwn(eventQueues, type);

/** Maximum number of pages in one `content.changed` event, which bounds the memory of its consumer. */
export const maxPagesPerEvent = 25;

export type NewEvent = {
  [Type in EventType]: {
    type: Type;
    organization?: OrganizationId;
    space?: SpaceId;
    data: EventData<Type>;
    /** If only texts of pages changed: the ids of these pages. It is not stored. */
    texts?: readonly string[] | undefined;
    /** The users whom an edit of a comment or reply added to its mentions. They are not stored. */
    addedMentions?: readonly string[] | undefined;
  };
}[EventType];

/** An event in a queue. It only identifies the event, because the consumer reads it from the outbox. */
export const EventMessage = z.object({ id: z.string(), type: z.enum(Object.keys(eventQueues) as [ConsumedEventType]) });
export type EventMessage = z.infer<typeof EventMessage>;

/** A message that an organization has events to dispatch to its subscriptions. `id` is the organization's. */
export const FeedMessage = z.object({ id: z.string(), type: z.literal('feed') });
export type FeedMessage = z.infer<typeof FeedMessage>;

/** A message to send after a commit. If it is lost, a sweep sends it again. */
export type WaitingMessage = EventMessage | FeedMessage;

/** The queue binding of each type of message. */
export const messageQueues = { ...eventQueues, feed: 'DELIVERIES' } as const;
export type MessageQueue = (typeof messageQueues)[keyof typeof messageQueues];

/** A message that work for a subscription of an organization is due. */
export const SendMessage = z.object({ subscription: z.string(), organization: z.string() });
export type SendMessage = z.infer<typeof SendMessage>;
