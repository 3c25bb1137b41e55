import type { UserRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { OrganizationId, Role, User, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** The caller's own role in the organization; null for a guest. */
export const callerRole = (organization: OrganizationId, user: UserId): SQL =>
  sql`(SELECT own.role FROM members own WHERE own.organization = ${organization} AND own.user = ${user})`;

/** A member as the caller may know him: a guest learns no addresses. */
export const presentUserTo = (callerRole: Role | null, user: UserRecord, urls: Urls): User =>
  presentUser(user, urls, { email: callerRole !== null });
