import type { Database, RecordOf, Statement } from '@octavo/db';
import { abortUnless, fromQuery, members, nullable, readRow, selection, ssoIdentities, users } from '@octavo/db';
import type { NewEvent, OrganizationId, Role, SignInProfile, UserId } from '@octavo/schema';
import { createId, forbidden } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { getNameFromEmail } from '../users/name-from-email.ts';

/** A verified sign-in with the settings of its provider. */
interface SignIn {
  provider: string;
  organization: OrganizationId;
  defaultRole: Role | null;
  defaultTeam: string | null;
  profile: SignInProfile;
}

/** The user of a sign-in and the writes that create or link the account. */
interface Account {
  user: UserId;
  writes: Statement[];
  events: NewEvent[];
}

/**
 * Finds or creates the account of a sign-in. Accounts are identified by the subject of the provider. An e-mail address
 * links to an account only if an admin has marked that member for SSO, or if no user has ever signed in to it. @throws
 * ApiError forbidden
 */
export async function getAccount(db: Database, signIn: SignIn): Promise<Account> {
  const { organization, provider, profile } = signIn;
  const row = await findRow(db, signIn);
  const user = row === undefined ? createId('user') : row.id;
  const step = row === undefined ? makeUser(db, user, signIn) : createStep(row, db, { user, signIn });
  const isLinked = sql`EXISTS (SELECT 1 FROM sso_identities i CROSS JOIN members m
    ON m.organization = i.organization AND m.user = i.user AND NOT m.disabled
    WHERE i.provider = ${provider} AND i.subject = ${profile.subject} AND i.user = ${user} AND i.organization = ${organization})`;
  return {
    user,
    writes: [...step.writes, abortUnless(db, isLinked)],
    events: [...step.events, { type: 'member.signed_in', organization, data: { user } }],
  };
}

const [u, m] = [aliasedTable(users, 'u'), aliasedTable(members, 'm')];
const foundRow = selection({
  id: u.id,
  kind: u.kind,
  emailVerifiedAt: u.emailVerifiedAt,
  member: nullable({ user: m.user, disabled: m.disabled, sso: m.sso }),
  linked: fromQuery(Boolean),
  known: fromQuery(Boolean),
  linkedAnywhere: fromQuery(Boolean),
  holdsTokens: fromQuery(Boolean),
});

type FoundAccount = RecordOf<typeof foundRow>;

/** Reads the user linked to the subject of the provider, otherwise the user with the e-mail address of the profile. */
function findRow(db: Database, { provider, organization, profile }: SignIn): Promise<FoundAccount | undefined> {
  const selectUsers = foundRow.query(sql`
    SELECT ${foundRow},
      EXISTS (SELECT 1 FROM sso_identities i WHERE i.user = u.id AND i.organization = ${organization}) AS linked,
      EXISTS (SELECT 1 FROM sso_identities i WHERE i.provider = ${provider} AND i.subject = ${profile.subject}
        AND i.user = u.id) AS known,
      EXISTS (SELECT 1 FROM sso_identities i WHERE i.user = u.id) AS linked_anywhere,
      EXISTS (SELECT 1 FROM tokens t WHERE t.user = u.id AND t.organization IS NULL) AS holds_tokens
    FROM users u LEFT JOIN members m ON m.user = u.id AND m.organization = ${organization}
    WHERE u.id = COALESCE(
      (SELECT i.user FROM sso_identities i WHERE i.provider = ${provider} AND i.subject = ${profile.subject}),
      (SELECT o.id FROM users o WHERE o.email = ${profile.email}))`);
  return readRow(db, selectUsers);
}

type Step = Omit<Account, 'user'>;

function createStep(row: FoundAccount, db: Database, { user, signIn }: { user: UserId; signIn: SignIn }): Step {
  const { member } = row;
  if (member?.disabled) throw forbidden('This account is disabled in the organization.');
  if (row.known && member !== null) return { writes: [], events: [] };
  const isPerson = row.kind === 'person';
  if (member?.sso && !row.linked && isPerson) return linkMember(db, user, signIn);
  const isAccountInUse = row.linkedAnywhere || row.holdsTokens || row.emailVerifiedAt !== null;
  if (!isAccountInUse && isPerson && member === null) return joinUnownedAccount(db, user, signIn);
  throw forbidden(
    'An account with this email address already exists. An admin of the organization must enable SSO for it first.',
  );
}

const identify = (db: Database, user: UserId, { provider, organization, profile }: SignIn): Statement =>
  db.insert(ssoIdentities).values({ provider, subject: profile.subject, organization, user, createdAt: Date.now() });

function linkMember(db: Database, user: UserId, signIn: SignIn): Step {
  const isMarked = sql`EXISTS (SELECT 1 FROM members m WHERE m.organization = ${signIn.organization} AND m.user = ${user} AND m.sso)`;
  return { writes: [abortUnless(db, isMarked), identify(db, user, signIn)], events: [] };
}

/** Adds an SSO member, also to the provider's default team if it exists. */
function joinOrganization(db: Database, user: UserId, signIn: SignIn): Step {
  const { organization, defaultRole, defaultTeam } = signIn;
  const now = Date.now();
  return {
    writes: [
      db.insert(members).values({ organization, user, role: defaultRole, sso: true, joinedAt: now }),
      db.run(sql`INSERT INTO team_members (team, user, organization, role, joined_at)
        SELECT id, ${user}, organization, 'member', ${now} FROM teams WHERE id = ${defaultTeam} AND organization = ${organization}`),
      identify(db, user, signIn),
    ],
    events: [{ type: 'member.added', organization, data: { user } }],
  };
}

function makeUser(db: Database, id: string, signIn: SignIn): Step {
  const { email, displayName } = signIn.profile;
  if (email === null)
    throw forbidden('The identity provider sent no email address, which is required for a new account.');
  const values = { id, email, displayName: displayName ?? getNameFromEmail(email), createdAt: Date.now() };
  const { writes, events } = joinOrganization(db, id, signIn);
  return { writes: [db.insert(users).values({ ...values, emailVerifiedAt: null }), ...writes], events };
}

/**
 * Takes over an account that has never been used: no verified address, no token and no SSO identity. Another
 * organization may have invited the address, and that must not prevent the owner of the address from signing in here.
 */
function joinUnownedAccount(db: Database, user: UserId, signIn: SignIn): Step {
  const isUnheld = sql`EXISTS (SELECT 1 FROM users u WHERE u.id = ${user} AND u.email_verified_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM sso_identities i WHERE i.user = ${user})
    AND NOT EXISTS (SELECT 1 FROM tokens t WHERE t.user = ${user} AND t.organization IS NULL)`;
  const { writes, events } = joinOrganization(db, user, signIn);
  return { writes: [abortUnless(db, isUnheld), ...writes], events };
}
