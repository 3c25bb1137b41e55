import type { CallerRecord, Database, UserRecord } from '@octavo/db';
import { isActive, readRow, userRow } from '@octavo/db';
import { sql } from 'drizzle-orm';

/**
 * A user as the caller sees them: oneself, and where the caller belongs to an organization with a role, its members.
 * Through a token that is bound to one organization, those of that one.
 */
export function findSeenUser(db: Database, caller: CallerRecord, id: string): Promise<UserRecord | undefined> {
  const seen = userRow.query(sql`
    SELECT ${userRow} FROM users u
    WHERE u.id = ${id} AND (u.id = ${caller.id} OR EXISTS (
      SELECT 1 FROM members m CROSS JOIN organizations o ON o.id = m.organization
        CROSS JOIN members theirs ON theirs.organization = m.organization AND theirs.user = u.id
      WHERE m.user = ${caller.id} AND m.role IS NOT NULL AND ${isActive(sql`${caller.organization}`)}))`);
  return readRow(db, seen);
}
