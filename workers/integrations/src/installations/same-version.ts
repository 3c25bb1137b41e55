import type { Check, InstallationRecord } from '@octavo/db';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/**
 * That the version stands by which a configuration was held to be complete: what is pending is looked at after each new
 * version, and would stay so if it were written behind that look.
 */
export const sameVersion = ({ name, version }: Pick<InstallationRecord['integration'], 'name' | 'version'>): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM integrations WHERE name = ${name} AND version = ${version})`,
  otherwise: () => conflict('Another version of the integration was published meanwhile: try again.'),
});
