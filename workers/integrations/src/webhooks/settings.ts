import type { Check } from '@octavo/db';
import { faultOfOutside } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

/** Refuses an address that events may not be posted to. @throws ApiError invalid */
export function requirePublic(env: IntegrationsEnvironment, url: string | undefined): void {
  const fault = url === undefined ? undefined : faultOfOutside(env, url);
  if (fault !== undefined) throw invalid([{ path: 'body.url', message: fault }]);
}

/** That spaces are the organization's. */
export function areSpacesOf(organization: OrganizationId, spaces: string[] | null | undefined): Check[] {
  if (spaces === undefined || spaces === null) return [];
  const others = sql`FROM json_each(${JSON.stringify(spaces)}) named WHERE NOT EXISTS (
    SELECT 1 FROM spaces WHERE spaces.id = named.value AND spaces.organization = ${organization})`;
  return [
    {
      holds: sql`NOT EXISTS (SELECT 1 ${others})`,
      culprit: sql`(SELECT named.value ${others} LIMIT 1)`,
      otherwise: (culprit) =>
        invalid([{ path: 'body.spaces', message: `names no space of the organization: ${culprit}` }]),
    },
  ];
}

/** The types as they are kept: null for all. */
export const keptEvents = (events: string[]): string[] | null => (events.includes('*') ? null : [...new Set(events)]);
