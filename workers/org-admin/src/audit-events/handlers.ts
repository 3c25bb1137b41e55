import { getOrganizationAuditEvent } from './get-organization-audit-event.ts';
import { listOrganizationAuditEvents } from './list-organization-audit-events.ts';

export const auditEventsHandlers = { listOrganizationAuditEvents, getOrganizationAuditEvent };
