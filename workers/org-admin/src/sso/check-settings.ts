import type { Database, Statement } from '@octavo/db';
import { must } from '@octavo/db';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { readCertificate } from './certificate.ts';

interface Settings {
  certificate?: string | undefined;
  defaultTeam?: string | null | undefined;
}

const isTeam = (organization: string, team: string): SQL =>
  sql`EXISTS (SELECT 1 FROM teams WHERE id = ${team} AND organization = ${organization})`;

/**
 * Checks what no schema can say of a provider's settings, and gives the guards for what may change until they are
 * written. An empty certificate is one that is not known yet. @throws ApiError invalid
 */
export async function checkSettings(
  db: Database,
  organization: string,
  { certificate = '', defaultTeam }: Settings,
): Promise<Statement[]> {
  const read = certificate === '' ? undefined : readCertificate(certificate);
  if (read !== undefined && 'fault' in read) throw invalid([{ path: 'body.certificate', message: read.fault }]);
  if (defaultTeam == null) return [];
  const found = await db.all(sql`SELECT 1 WHERE ${isTeam(organization, defaultTeam)}`);
  if (found.length === 0) throw invalid([{ path: 'body.defaultTeam', message: 'is no team of this organization' }]);
  return [must(db, isTeam(organization, defaultTeam))];
}
