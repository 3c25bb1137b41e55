import { json } from '../../support/content.ts';
import type { Server } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface AuditEvent {
  id: string;
  occurredAt: string;
  action: string;
  actor: { type: string; id: string; label?: string };
  source: string;
  target: { type: string; id: string; label?: string };
  origin?: { ip?: string; userAgent?: string; token?: string };
  urls: { location: string };
}

export interface AuditEventDetails extends AuditEvent {
  correlationId: string;
  schemaVersion: number;
  payload: Record<string, string | string[]>;
}

interface Page {
  count: number;
  items: AuditEvent[];
  next?: { page: string };
}

/** A client for the audit log of an organization, with the admin's token. */
export function createAuditLogClient({ id, token }: { id: string; token: string }, server: Server = platform()) {
  const path = `/v1/orgs/${id}/audit-events`;
  return {
    path,
    page: (query = '') => json<Page>(`${path}${query}`, { token }, server),
    async all(query: Record<string, string> = {}): Promise<AuditEvent[]> {
      const { items } = await json<Page>(
        `${path}?${new URLSearchParams({ limit: '1000', ...query })}`,
        { token },
        server,
      );
      return items;
    },
    details: (event: string) => json<AuditEventDetails>(`${path}/${event}`, { token }, server),
    status: async (query: string) => (await server.request(`${path}${query}`, { token })).status,
  };
}
