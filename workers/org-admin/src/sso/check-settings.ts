import type { Check } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { readCertificate } from './certificate.ts';

interface Settings {
  certificate?: string | undefined;
  defaultTeam?: string | null | undefined;
}

/**
 * Checks what no schema can say of a provider's settings, and gives the checks of what may change until they are
 * written. An empty certificate is one that is not known yet. @throws ApiError invalid
 */
export function checkSettings(organization: OrganizationId, { certificate = '', defaultTeam }: Settings): Check[] {
  const read = certificate === '' ? undefined : readCertificate(certificate);
  if (read !== undefined && 'fault' in read) throw invalid([{ path: 'body.certificate', message: read.fault }]);
  if (defaultTeam == null) return [];
  return [
    {
      holds: sql`EXISTS (SELECT 1 FROM teams WHERE id = ${defaultTeam} AND organization = ${organization})`,
      otherwise: () => invalid([{ path: 'body.defaultTeam', message: 'is no team of this organization' }]),
    },
  ];
}
