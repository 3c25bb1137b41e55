import { createLocationUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const event = {
  object: 'audit-event',
  id: ids.event,
  occurredAt: '2026-03-02T14:20:00.000Z',
  action: 'change_request.merged',
  actor: { type: 'user', id: ids.user, label: 'Ada Marsh' },
  source: 'api',
  target: { type: 'change-request', id: ids.changeRequest, label: 'Describe the new plans' },
  origin: { ip: '203.0.113.7', userAgent: 'octavo-cli/0.1.0', token: ids.token },
  urls: { location: createLocationUrl(`${organizationPath}/audit-events/${ids.event}`) },
} as const;

const properties = {
  occurredAt: 'The time of the action.',
  action: 'The action, such as `space.created`.',
  actor: 'The user, integration, installation or system that acted.',
  'actor.type': 'The kind of actor.',
  'actor.id': 'The id of the user, or of the account under which an integration or installation acts.',
  'actor.label': 'The current name of the actor. Absent if the actor was deleted.',
  source: 'The way in which the action was requested: by a user through the API, by an integration, or by the system.',
  target: 'The object that was acted on.',
  'target.type': 'The kind of object.',
  'target.id': 'The id of the object. For an invite link, only the beginning, because the full id is a secret.',
  'target.label': 'The current name of the object. Absent if it has none, was deleted, or left the organization.',
  origin: 'The origin of the request. Absent if it is unknown. An extension of this server.',
  'origin.ip': 'The IP address of the client.',
  'origin.userAgent': 'The `User-Agent` header of the request.',
  'origin.token': 'The id of the token that authenticated the request.',
};

export const auditEvents: ResourceDocumentation = {
  operations: {
    listOrganizationAuditEvents: {
      description:
        'Lists the audit events of the organization, newest first. Requires an admin. With filters, a page searches ' +
        'at most 5,000 events, so it can be short or empty although there is a `next`.',
      parameters: {
        from: 'Lists only events at or after this time.',
        to: 'Lists only events at or before this time.',
        action: 'Lists only events with this action, such as `space.created`.',
        actor: 'Lists only events of the actor with this id.',
        target: 'Lists only events on the object with this id.',
      },
    },
    getOrganizationAuditEvent: { description: 'Returns an audit event with its details. Requires an admin.' },
  },
  schemas: {
    AuditEvent: {
      description: 'An action in an organization. Labels are the current names, not those at the time of the action.',
      properties,
      example: event,
    },
    AuditEventDetails: {
      description: 'An audit event with its details.',
      properties: {
        ...properties,
        correlationId:
          'The id of the request that caused the event. Events of the same request and of the jobs that it started ' +
          'have the same one.',
        schemaVersion: 'The version of the format of `payload`.',
        payload: 'The details of the event: ids and words by field name. The fields depend on the action.',
      },
      example: {
        ...event,
        correlationId: ids.request,
        schemaVersion: 1,
        payload: { changeRequest: ids.changeRequest, revision: ids.revision },
      },
    },
  },
};
