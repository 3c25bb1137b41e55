import type { Database, Statement } from '@octavo/db';
import { commitChecked, firstBroken, grants } from '@octavo/db';
import type { NewEvent, Role } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { SubjectKind } from './checks.ts';
import { allBelong, contentIsThere, isGiven, noneAboveHeld, requireAtMostHeld } from './checks.ts';
import type { GrantedContent } from './granted-content.ts';

interface Context {
  db: Database;
  commit(statements: Statement[], events: NewEvent[]): Promise<unknown>;
}

interface Subject {
  kind: SubjectKind;
  id: string;
}

const changed = (content: GrantedContent, subjects: string[]): NewEvent[] => [
  {
    type: 'permissions.changed',
    organization: content.organization,
    ...(content.kind === 'space' ? { space: content.id } : {}),
    data: { object: content.id, subjects },
  },
];

/** Gives all of the users and teams the role, in the place of what each was given before; or none of them. */
export async function giveRole(
  content: GrantedContent,
  { users = [], teams = [], role }: { users?: string[] | undefined; teams?: string[] | undefined; role: Role | null },
  { db, commit }: Context,
): Promise<undefined> {
  requireAtMostHeld(role, content);
  const subjects = [...new Set([...users, ...teams])];
  const checks = [
    contentIsThere(content),
    allBelong('user', users, content),
    allBelong('team', teams, content),
    noneAboveHeld(subjects, content),
  ];
  const give = db.run(sql`
    INSERT INTO grants (object, subject, organization, role, created_at)
    SELECT ${content.id}, value, ${content.organization}, ${role}, ${Date.now()}
    FROM json_each(${JSON.stringify(subjects)}) WHERE 1
    ON CONFLICT (object, subject) DO UPDATE SET role = excluded.role, organization = excluded.organization`);
  await commitChecked(db, checks, (guards) => commit([...guards, give], changed(content, subjects)));
}

const grantOf = (content: GrantedContent, subject: Subject) =>
  sql`${grants.object} = ${content.id} AND ${grants.subject} = ${subject.id}`;

/** Changes what the subject was given; a role that is left out changes nothing. */
export async function changeRole(
  content: GrantedContent,
  { subject, role }: { subject: Subject; role: Role | null | undefined },
  { db, commit }: Context,
): Promise<undefined> {
  const given = isGiven(subject.kind, subject.id, content);
  if (role === undefined) {
    const missing = await firstBroken(db, [given]);
    if (missing !== undefined) throw missing;
    return;
  }
  requireAtMostHeld(role, content);
  const checks = [contentIsThere(content), given, noneAboveHeld([subject.id], content)];
  const change = db.update(grants).set({ role }).where(grantOf(content, subject));
  await commitChecked(db, checks, (guards) => commit([...guards, change], changed(content, [subject.id])));
}

/** Takes back what the subject was given, a stated "no access" too: what is inherited holds again. */
export async function takeRole(content: GrantedContent, subject: Subject, { db, commit }: Context): Promise<undefined> {
  const checks = [
    contentIsThere(content),
    isGiven(subject.kind, subject.id, content),
    noneAboveHeld([subject.id], content),
  ];
  const take = db.delete(grants).where(grantOf(content, subject));
  await commitChecked(db, checks, (guards) => commit([...guards, take], changed(content, [subject.id])));
}
