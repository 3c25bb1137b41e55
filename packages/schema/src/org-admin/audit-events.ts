import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list } from '../list.ts';
import { Timestamp } from '../time.ts';

/**
 * The origin of a request, as far as it is known. An extension of the GitBook API. Events that were recorded before
 * this field existed have no origin.
 */
export const AuditOrigin = z.object({
  /** The client's IP address. */
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  /** The id of the token. */
  token: z.string().optional(),
});
export type AuditOrigin = z.infer<typeof AuditOrigin>;

/** An action of a user in an organization. Labels are the current names; deleted objects have no label. */
export const AuditEvent = z
  .object({
    object: z.literal('audit-event'),
    id: z.string(),
    occurredAt: Timestamp,
    action: z.string(),
    /** For integrations and installations, `id` is the id of the account that authors their changes. */
    actor: z.object({
      type: z.enum(['user', 'integration', 'installation', 'system']),
      id: z.string(),
      label: z.string().optional(),
    }),
    source: z.enum(['api', 'integration', 'script']),
    target: z.object({ type: z.string(), id: z.string(), label: z.string().optional() }),
    origin: AuditOrigin.optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof AuditEvent>;

/** An event with its data. Events of one request and of the jobs that it caused have the same `correlationId`. */
export const AuditEventDetails = AuditEvent.extend({
  correlationId: z.string(),
  schemaVersion: z.literal(1),
  payload: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
}).meta({ id: 'AuditEventDetails' });
export type AuditEventDetails = z.infer<typeof AuditEventDetails>;

const params = z.object({ organizationId: Id });
const Moment = z.iso.datetime({ offset: true }).transform((moment) => Date.parse(moment));
const QueryMoment = Moment.optional().meta({ override: { type: 'string', format: 'date-time' } });

const byAdmins = {
  access: { organization: 'admin' },
  scope: 'organization:read',
  method: 'GET',
  success: 200,
} as const;

export const auditEventEndpoints = contract({
  listOrganizationAuditEvents: {
    ...byAdmins,
    path: '/v1/orgs/:organizationId/audit-events',
    summary: 'List audit events',
    params,
    query: FilteredPageQuery.extend({
      from: QueryMoment,
      to: QueryMoment,
      action: z.string().max(100).optional(),
      actor: Id.optional(),
      target: Id.optional(),
    }),
    response: list(AuditEvent),
  },
  getOrganizationAuditEvent: {
    ...byAdmins,
    path: '/v1/orgs/:organizationId/audit-events/:eventId',
    summary: 'Get an audit event',
    params: params.extend({ eventId: Id }),
    response: AuditEventDetails,
  },
});
