import type { Check, CollectionRecord, Database, SpaceRecord, Statement } from '@octavo/db';
import { commitChecked, findFailedCheck, grants, isListedUser } from '@octavo/db';
import type { NewEvent, OrganizationId, Role } from '@octavo/schema';
import { forbidden, isAtLeast, notFound, roles } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

interface Context {
  db: Database;
  commit(statements: Statement[], events: NewEvent[]): Promise<unknown>;
}

interface Subject {
  kind: SubjectKind;
  id: string;
}

const createChangeEvents = (content: GrantedContent, subjects: string[]): NewEvent[] => [
  {
    type: 'permissions.changed',
    organization: content.organization,
    ...(content.kind === 'space' ? { space: content.id } : {}),
    data: { object: content.id, subjects },
  },
];

/** Grants the role to all of the users and teams, or to none of them. Replaces their current grants. */
export async function grantRole(
  content: GrantedContent,
  { users = [], teams = [], role }: { users?: string[] | undefined; teams?: string[] | undefined; role: Role | null },
  { db, commit }: Context,
): Promise<undefined> {
  rejectHigherRole(role, content);
  const subjects = [...new Set([...users, ...teams])];
  const checks = [
    createContentExistenceCheck(content),
    checkSubjects('user', users, content),
    checkSubjects('team', teams, content),
    checkHeldRoles(subjects, content),
  ];
  const give = db.run(sql`
    INSERT INTO grants (object, subject, organization, role, created_at)
    SELECT ${content.id}, value, ${content.organization}, ${role}, ${Date.now()}
    FROM json_each(${JSON.stringify(subjects)}) WHERE 1
    ON CONFLICT (object, subject) DO UPDATE SET role = excluded.role, organization = excluded.organization`);
  await commitChecked(db, checks, (guards) => commit([...guards, give], createChangeEvents(content, subjects)));
}

const getGrant = (content: GrantedContent, subject: Subject) =>
  sql`${grants.object} = ${content.id} AND ${grants.subject} = ${subject.id}`;

/** Changes the role of a subject's grant; without a role, only checks that the grant exists. */
export async function changeRole(
  content: GrantedContent,
  { subject, role }: { subject: Subject; role: Role | null | undefined },
  { db, commit }: Context,
): Promise<undefined> {
  const grantCheck = createGrantCheck(subject.kind, subject.id, content);
  if (role === undefined) {
    const missing = await findFailedCheck(db, [grantCheck]);
    if (missing !== undefined) throw missing;
    return;
  }
  rejectHigherRole(role, content);
  const checks = [createContentExistenceCheck(content), grantCheck, checkHeldRoles([subject.id], content)];
  const change = db.update(grants).set({ role }).where(getGrant(content, subject));
  await commitChecked(db, checks, (guards) => commit([...guards, change], createChangeEvents(content, [subject.id])));
}

/** Removes a subject's grant, also a "no access" one, so that the inherited role applies again. */
export async function revokeRole(
  content: GrantedContent,
  subject: Subject,
  { db, commit }: Context,
): Promise<undefined> {
  const checks = [
    createContentExistenceCheck(content),
    createGrantCheck(subject.kind, subject.id, content),
    checkHeldRoles([subject.id], content),
  ];
  const take = db.delete(grants).where(getGrant(content, subject));
  await commitChecked(db, checks, (guards) => commit([...guards, take], createChangeEvents(content, [subject.id])));
}

type SubjectKind = 'user' | 'team';

const belonging = {
  user: (id: SQL, organization: OrganizationId) =>
    sql`EXISTS (SELECT 1 FROM members m WHERE m.organization = ${organization} AND m.user = ${id} AND ${isListedUser(sql`m.user`)})`,
  team: (id: SQL, organization: OrganizationId) =>
    sql`EXISTS (SELECT 1 FROM teams t WHERE t.id = ${id} AND t.organization = ${organization})`,
};

export const createRoleError = () =>
  forbidden('You cannot grant, change or remove a role that is higher than your own.');

const getRolesAbove = (heldRole: Role | null): Role[] => roles.filter((role) => !isAtLeast(heldRole, role));

/** @throws ApiError forbidden for a role above the caller's own */
export function rejectHigherRole(role: Role | null, { role: heldRole }: Pick<GrantedContent, 'role'>): void {
  if (role !== null && !isAtLeast(heldRole, role)) throw createRoleError();
}

export const createContentExistenceCheck = (content: GrantedContent): Check => ({
  condition: belongsToOrganization(content),
  createError: () => notFound(content.kind),
});

/** Checks that all of the subjects are members, or teams, of the content's organization. */
const checkSubjects = (kind: SubjectKind, ids: string[], { organization }: GrantedContent): Check => {
  const unknown = sql`FROM json_each(${JSON.stringify(ids)}) named
    WHERE NOT ${belonging[kind](sql`named.value`, organization)}`;
  return {
    condition: sql`NOT EXISTS (SELECT 1 ${unknown})`,
    failingValue: sql`(SELECT named.value ${unknown} LIMIT 1)`,
    createError: (id) => notFound(`${kind === 'user' ? 'member' : 'team'} ${id}`),
  };
};

/** Checks that the subject has a grant on the content. */
const createGrantCheck = (kind: SubjectKind, subject: string, { id, organization }: GrantedContent): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM grants g WHERE g.object = ${id} AND g.subject = ${subject}
    AND g.organization = ${organization}) AND ${belonging[kind](sql`${subject}`, organization)}`,
  createError: () => notFound('permission'),
});

/** Checks that no subject has a grant above the caller's own role, because the caller may not change such a grant. */
const checkHeldRoles = (subjects: string[], { id, role }: GrantedContent): Check => ({
  condition: sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(subjects)}) named
    CROSS JOIN grants g ON g.object = ${id} AND g.subject = named.value
    WHERE g.role IN (SELECT value FROM json_each(${JSON.stringify(getRolesAbove(role))})))`,
  createError: createRoleError,
});

/** A space or collection whose permissions the caller manages, with the role of the caller there. */
export interface GrantedContent {
  kind: 'space' | 'collection';
  id: string;
  organization: OrganizationId;
  role: Role | null;
}

export const toGrantedSpace = ({ space, role }: { space: SpaceRecord; role: Role | null }): GrantedContent => ({
  kind: 'space',
  id: space.id,
  organization: space.organization,
  role,
});

export const toGrantedCollection = ({ collection }: { collection: CollectionRecord }): GrantedContent => ({
  kind: 'collection',
  id: collection.id,
  organization: collection.organization,
  role: collection.role,
});

const tables = { space: sql.raw('spaces'), collection: sql.raw('collections') };

/** Whether the content still exists and still belongs to the organization that the caller was authorized for. */
const belongsToOrganization = ({ kind, id, organization }: GrantedContent): SQL => sql`EXISTS (
  SELECT 1 FROM ${tables[kind]} k WHERE k.id = ${id} AND k.organization = ${organization} AND k.deleted_at IS NULL)`;
