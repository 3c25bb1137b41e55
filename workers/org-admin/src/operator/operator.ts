import { WorkerEntrypoint } from 'cloudflare:workers';
import type { Database, Parameter, RecordOf } from '@octavo/db';
import {
  abortUnless,
  commit,
  connect,
  fromQuery,
  members,
  nullable,
  organizations,
  prepareQuery,
  readRow,
  retryOnConflict,
  selection,
  tokens,
  users,
} from '@octavo/db';
import { createUrls, resendEventsBefore } from '@octavo/runtime';
import type { IssuedToken, LoginLink, NewEvent, OrganizationId, UserId, ValueSchema } from '@octavo/schema';
import { CreateLoginLink, createId, forbidden, IssueToken, invalid, notFound, validate } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { createLoginLink } from '../login/login-links.ts';
import { createNeedsAdminError, hasAdmin, hasAdminWithout } from '../members/admins.ts';
import { createToken } from '../tokens/queries.ts';
import { getNameFromEmail } from '../users/name-from-email.ts';

/**
 * The operations of the operator of an installation. Bound to the control channel of the installation, never to the
 * gateway.
 */
export class Operator extends WorkerEntrypoint<OrgAdminEnvironment> {
  async issueToken(input: unknown): Promise<IssuedToken> {
    return issueToken(connect(this.env.DB, { intent: 'write' }).db, read(IssueToken, input));
  }

  async createLoginLink(input: unknown): Promise<LoginLink> {
    const { email } = read(CreateLoginLink, input);
    return createLoginLink(connect(this.env.DB, { intent: 'write' }).db, email, createUrls(this.env).page);
  }

  /** Resends the events that were pending when the previous runtime ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await resendEventsBefore(this.env, started);
  }
}

/** @throws ApiError invalid */
function read<Value>(schema: ValueSchema<Value>, input: unknown): Value {
  const parsed = validate(schema, input);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.issues.map(({ path, message }) => ({ path: path.join('.') || 'input', message })));
}

/** In one commit, creates the user if the address is new, the membership if a role is given, and a token. */
const issueToken = (db: Database, input: IssueToken): Promise<IssuedToken> => retryOnConflict(() => attempt(db, input));

async function attempt(db: Database, input: IssueToken): Promise<IssuedToken> {
  const { email, label, newOrganization } = input;
  if (input.organization !== undefined) await requireOrganization(db, input.organization);
  const organization = newOrganization === undefined ? input.organization : createId('organization');
  const role = newOrganization === undefined ? (input.role ?? null) : 'admin';
  const existingUser = await findUser(db, email, organization);
  if (existingUser !== undefined && existingUser.kind !== 'person')
    throw forbidden('A service account can only have tokens of its organization.');
  if (existingUser?.isLastAdmin && role !== 'admin') throw createNeedsAdminError();
  const user = existingUser === undefined ? createId('user') : existingUser.id;
  const now = Date.now();
  const { token, row } = await createToken({ user, label });
  const write = [
    db
      .insert(users)
      .values({
        id: user,
        email,
        displayName: input.displayName ?? getNameFromEmail(email),
        createdAt: now,
        emailVerifiedAt: now,
      })
      .onConflictDoUpdate({ target: users.id, set: { emailVerifiedAt: sql`COALESCE(email_verified_at, ${now})` } }),
    db.insert(tokens).values(row),
    ...(organization === undefined || newOrganization === undefined
      ? []
      : [insertOrganization(db, organization, newOrganization, now)]),
    ...(organization === undefined
      ? []
      : [upsertMember(db, { organization, user, role, joinedAt: now }), abortUnless(db, hasAdmin(organization))]),
  ];
  await commit(
    db,
    { actor: user, requestId: createId('request') },
    write,
    getEvents(existingUser, { organization, user, token: row.id, isNew: newOrganization !== undefined }),
  );
  return { token, user, ...(organization === undefined ? {} : { organization }) };
}

const [k, km] = [aliasedTable(users, 'k'), aliasedTable(members, 'km')];
const knownRow = selection({
  id: k.id,
  kind: k.kind,
  member: nullable(km.user),
  isLastAdmin: nullable(fromQuery(Boolean)),
});

function findUser(db: Database, email: string, organization: OrganizationId | undefined) {
  // `hasAdminWithout` uses the aliases `m` and `u`, so this query uses other aliases.
  const isLastAdmin = sql`km.role = 'admin' AND NOT ${hasAdminWithout(organization ?? '', sql`k.id`)}`;
  return readRow(
    db,
    knownRow.query(sql`SELECT ${knownRow.with({ isLastAdmin })}
      FROM users k LEFT JOIN members km ON km.organization = ${organization ?? null} AND km.user = k.id WHERE k.email = ${email}`),
  );
}

interface IssuedMembership {
  organization: OrganizationId | undefined;
  user: UserId;
  token: string;
  /** Whether the organization is created with the token. */
  isNew: boolean;
}

function getEvents(
  existingUser: RecordOf<typeof knownRow> | undefined,
  { organization, user, token, isNew }: IssuedMembership,
): NewEvent[] {
  const event: NewEvent = { type: 'token.created', data: { token } };
  if (organization === undefined) return [event];
  const type = existingUser?.member == null ? 'member.added' : 'member.updated';
  const created: NewEvent[] = isNew ? [{ type: 'organization.created', organization, data: {} }] : [];
  return [...created, { type, organization, data: { user } }, event];
}

const organizationById = prepareQuery(selection({ id: organizations.id }), (select, id: Parameter<string>) =>
  select.from(organizations).where(eq(organizations.id, id)),
);

async function requireOrganization(db: Database, id: string): Promise<void> {
  if ((await readRow(db, organizationById(id))) === undefined) throw notFound('organization');
}

const insertOrganization = (db: Database, id: OrganizationId, title: string, createdAt: number) =>
  db.insert(organizations).values({ id, title, emailDomains: [], createdAt });

const upsertMember = (db: Database, member: typeof members.$inferInsert) =>
  db
    .insert(members)
    .values(member)
    .onConflictDoUpdate({
      target: [members.organization, members.user],
      set: { role: sql`excluded.role`, disabled: false },
    });
