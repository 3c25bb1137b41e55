import type { Check, RowsOf, Statements } from '@octavo/db';
import { commitChecked, deleteMember, given, memberRow, members, onlyRow, selection } from '@octavo/db';
import type { Context } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { Member, orgAdmin, Role } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { isLedWithout, needsAdmin } from './led.ts';

type MemberContext = Pick<
  Context<typeof orgAdmin.updateMemberInOrganizationById, OrgAdminEnvironment>,
  'db' | 'organization' | 'member' | 'commit' | 'urls'
>;

type Change = { role: Role | null } | { disabled: boolean } | { sso: boolean };

/** @throws ApiError precondition_failed where nobody would be left in charge; not_found where the member has left. */
export async function changeMember(context: MemberContext, change: Change): Promise<Member> {
  const { db, urls } = context;
  const takesCharge = ('role' in change && change.role !== 'admin') || ('disabled' in change && change.disabled);
  const update = db.update(members).set(change).where(membership(context));
  const changed = memberRow.query(sql`SELECT ${memberRow} FROM (SELECT * FROM members WHERE ${membership(context)}) m
    CROSS JOIN users u ON u.id = m.user`);
  const rows = await write(context, { statements: { update, changed }, type: 'member.updated', takesCharge });
  return presentMember(onlyRow(rows.changed), urls);
}

/** @throws ApiError precondition_failed where nobody would be left in charge; not_found where the member has left. */
export async function removeMember(context: MemberContext): Promise<void> {
  const { db, organization, member } = context;
  const remove = deleteMember(db, { organization: organization.id, id: member.user.id });
  await write(context, { statements: remove, type: 'member.removed', takesCharge: true });
}

const membership = ({ organization, member }: MemberContext): SQL =>
  sql`organization = ${organization.id} AND user = ${member.user.id}`;

interface Write<Given> {
  statements: Given;
  type: 'member.updated' | 'member.removed';
  /** True where an admin is none afterwards. */
  takesCharge: boolean;
}

const _stateRow = selection({ isThere: given(Boolean), isLed: given(Boolean) });

/** The batch itself holds that the member is there and an admin is left: by reads alone two could remove each other. */
async function write<Given extends Statements>(
  context: MemberContext,
  { statements, type, takesCharge }: Write<Given>,
): Promise<RowsOf<Given>> {
  const { db, organization, member, commit } = context;
  const user = member.user.id;
  const isThere = sql`EXISTS (SELECT 1 FROM members WHERE ${membership(context)})`;
  const checks: Check[] = [{ holds: isThere, otherwise: () => notFound('member') }];
  if (takesCharge) checks.push({ holds: isLedWithout(organization.id, user), otherwise: needsAdmin });
  const event = { type, organization: organization.id, data: { user } };
  const rows = await commitChecked(db, checks, (guards) => commit({ guards, statements }, [event]));
  return rows.statements;
}
