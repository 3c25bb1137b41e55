import type { Database } from '@octavo/db';
import { commit, members, organizations, retryOnConflict, tokens, users } from '@octavo/db';
import type { IssuedToken, IssueToken, NewEvent } from '@octavo/schema';
import { newId, notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { newToken } from '../users/new-token.ts';

/** Makes the user where the address is new, the membership where a role is given, and a token. One commit. */
export const issueToken = (db: Database, input: IssueToken): Promise<IssuedToken> =>
  retryOnConflict(() => attempt(db, input));

async function attempt(db: Database, input: IssueToken): Promise<IssuedToken> {
  const { email, organization, role, label } = input;
  if (organization !== undefined) await requireOrganization(db, organization);
  const known = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  const user = known[0]?.id ?? newId('user');
  const now = Date.now();
  const displayName = input.displayName ?? email.split('@')[0] ?? email;
  const { token, row } = await newToken({ user, label });
  const events: NewEvent[] = organization === undefined ? [] : [{ type: 'member.added', organization, data: { user } }];
  await commit(
    db,
    { actor: user, requestId: newId('request') },
    [
      db
        .insert(users)
        .values({ id: user, email, displayName, createdAt: now, emailVerifiedAt: now })
        .onConflictDoNothing(),
      ...(organization === undefined
        ? []
        : [upsertMember(db, { organization, user, role: role ?? null, joinedAt: now })]),
      db.insert(tokens).values(row),
    ],
    events,
  );
  return { token, user, ...(organization === undefined ? {} : { organization }) };
}

async function requireOrganization(db: Database, id: string): Promise<void> {
  const found = await db.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, id));
  if (found.length === 0) throw notFound('organization');
}

const upsertMember = (db: Database, member: typeof members.$inferInsert) =>
  db
    .insert(members)
    .values(member)
    .onConflictDoUpdate({
      target: [members.organization, members.user],
      set: { role: sql`excluded.role`, disabled: false },
    });
