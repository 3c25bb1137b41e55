import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';

/** One thing that somebody did in an organization. */
export const AuditEvent = z
  .object({
    object: z.literal('audit-event'),
    id: z.string(),
    occurredAt: Timestamp,
    action: z.string(),
    actor: z.object({ type: z.enum(['user', 'system']), id: z.string(), label: z.string().optional() }),
    source: z.enum(['api', 'script']),
    target: z.object({ type: z.string(), id: z.string(), label: z.string().optional() }),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof AuditEvent>;

const params = z.object({ organizationId: Id });

export const auditEventEndpoints = contract({
  listOrganizationAuditEvents: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/audit-events',
    summary: 'List what was done in an organization, the newest first',
    access: { organization: 'admin' },
    scope: 'organization:read',
    params,
    query: PageQuery,
    response: list(AuditEvent),
    success: 200,
  },
});
