import type { Check, Parameter, RowsOf, Statements } from '@octavo/db';
import {
  commitChecked,
  decodeCursor,
  deleteMember,
  fromQuery,
  getOnlyRow,
  isAfterCursor,
  isListedUser,
  listSource,
  matchText,
  memberRow,
  members,
  nullable,
  paginateMatches,
  prepareQuery,
  readRows,
  scanFields,
  scanRows,
  selection,
  selectSpaceRank,
  spaceJoins,
  spaceWithRoleRow,
  teamMembers,
  teamRow,
  toListingMember,
  users,
} from '@octavo/db';
import type { Context, HandlerInput } from '@octavo/runtime';
import { presentMember, presentSpace } from '@octavo/runtime';
import type { Member, OrganizationId, orgAdmin, Role, UserId } from '@octavo/schema';
import { getRoleByRank, notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { presentTeam } from '../teams/presenter.ts';
import { createNeedsAdminError, hasAdminWithout, requireFullToken } from './admins.ts';
import { signVisitorClaims } from './visitor-claims.ts';

const listedRow = selection({ member: memberRow.fields, ...scanFields });
const listedMember = listedRow.names.member;

type Listing = typeof orgAdmin.listMembersInOrganizationById;

export const listMembersInOrganizationById = handler('listMembersInOrganizationById', {
  reads({ query }, { organization }) {
    const { role, search, sort, order, limit } = query;
    const cursor = decodeCursor(query.page, ['number', 'string']);
    const time = sort === 'joinedAt' ? sql`m.joined_at` : sql`m.last_seen_at`;
    const members = scanRows({
      columns: listedRow.getSQL(),
      from: sql`FROM members m INDEXED BY ${getIndex(query)} CROSS JOIN users u ON u.id = m.user
        WHERE m.organization = ${organization} AND ${isListedUser(sql`m.user`)} AND ${time} IS NOT NULL ${role === undefined ? sql`` : hasRole(role)}
          AND ${isAfterCursor(cursor, time, sql`m.user`, order)}`,
      order: order === 'desc' ? sql`${time} DESC, m.user DESC` : sql`${time}, m.user`,
      matches: search ? matchText([listedMember.user.displayName, listedMember.user.email], search) : undefined,
      limit,
    });
    return listedRow.query(members);
  },
  handle: ({ query: { limit, sort } }, { urls }, rows) =>
    paginateMatches(rows, limit, {
      item: ({ member }) => presentMember(member, urls),
      getCursor: ({ member }) => [member[sort] ?? 0, member.user.id],
    }),
});

type Query = HandlerInput<Listing>['query'];

/** The index is fixed, so that the planner never chooses another index, which would require sorting. */
const getIndex = ({ sort, role }: Query): SQL => {
  if (sort === 'joinedAt') return role === undefined ? sql`members_by_joining` : sql`members_by_role`;
  return role === undefined ? sql`members_seen` : sql`members_seen_by_role`;
};

const hasRole = (role: NonNullable<Query['role']>): SQL =>
  role === 'guest' ? sql`AND m.role IS NULL` : sql`AND m.role = ${role}`;

export const getMemberInOrganizationById = handler('getMemberInOrganizationById', (_, { member, urls }) =>
  presentMember(member, urls),
);

export const updateMemberInOrganizationById = handler(
  'updateMemberInOrganizationById',
  ({ body: { role } }, context) => {
    if (role === undefined) return presentMember(context.member, context.urls);
    requireFullToken(context.actor, role);
    return changeMember(context, { role });
  },
);

export const enableMemberInOrganization = handler('enableMemberInOrganization', (_, context) =>
  changeMember(context, { disabled: false }),
);

export const disableMemberInOrganization = handler('disableMemberInOrganization', (_, context) =>
  changeMember(context, { disabled: true }),
);

export const setUserAsSSOMemberForOrganization = handler('setUserAsSSOMemberForOrganization', (_, context) => {
  if (context.member.kind === 'service') throw preconditionFailed('A service account cannot sign in.');
  return changeMember(context, { sso: true });
});

export const removeMemberFromOrganizationById = handler('removeMemberFromOrganizationById', async (_, context) => {
  await removeMember(context);
  return undefined;
});

/** Writes no event: it would flood the audit log. */
export const updateOrganizationMemberLastSeenAt = handler(
  'updateOrganizationMemberLastSeenAt',
  async (_, { db, organization, membership, actor, commit, urls }) => {
    const isOwnMembership = sql`organization = ${organization.id} AND user = ${actor.id}`;
    await commit([db.update(members).set({ lastSeenAt: Date.now() }).where(isOwnMembership)], []);
    const serviceVisitorClaims = await signVisitorClaims(db, {
      issuer: urls.page(''),
      organization: organization.id,
      user: actor.id,
      role: membership.role,
    });
    return { serviceVisitorClaims };
  },
);

const reachedRow = selection({
  ...spaceWithRoleRow.fields,
  permission: nullable(fromQuery(getRoleByRank)),
  ...scanFields,
});
const { space: spaceNames, role: visibleRole, permission: reached } = reachedRow.names;

/**
 * Lists the spaces that the member can open and that the caller can see. Each has the member's role and the caller's
 * permissions.
 */
export const listSpacesForOrganizationMember = handler(
  'listSpacesForOrganizationMember',
  async ({ query: { page, limit, order } }, { db, organization, membership, member, actor, urls }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const target = toListingMember(member.user.id, member.role, !member.disabled);
    const result = scanRows({
      columns: reachedRow.with({
        permission: selectSpaceRank(target),
        role: selectSpaceRank(toListingMember(actor.id, membership.role)),
      }),
      from: sql`FROM ${listSource('spaces', sql`${organization.id}`, target)} ${spaceJoins}
        WHERE s.organization = ${organization.id} AND ${isAfterCursor(cursor, sql`s.created_at`, sql`s.id`, order)}`,
      order: order === 'desc' ? sql`s.created_at DESC, s.id DESC` : sql`s.created_at, s.id`,
      matches: sql`${reached} > 0 AND ${visibleRole} > 0 AND ${spaceNames.deletedAt} IS NULL`,
      limit,
    });
    return paginateMatches(await readRows(db, reachedRow.query(result)), limit, {
      item: ({ space, role, permission }) => ({
        permission: requireRole(permission),
        space: presentSpace(space, role, urls),
      }),
      getCursor: ({ space }) => [space.createdAt, space.id],
    });
  },
);

function requireRole(role: Role | null): Role {
  if (role === null) throw new TypeError('The row contains no space with a role.');
  return role;
}

const tm = aliasedTable(teamMembers, 'tm');
const memberTeamRow = selection({ team: teamRow.fields, role: tm.role, joinedAt: tm.joinedAt, ...scanFields });

/** Lists the newest memberships first. */
export const listTeamsForOrganizationMember = handler(
  'listTeamsForOrganizationMember',
  async ({ query: { page, limit, title } }, { db, organization, membership, member, actor }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const result = scanRows({
      columns: memberTeamRow.getSQL(),
      from: sql`FROM team_members tm INDEXED BY teams_of_user_by_joining
        CROSS JOIN teams t ON t.id = tm.team AND t.organization = tm.organization
        LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${actor.id}
        WHERE tm.user = ${member.user.id} AND tm.organization = ${organization.id}
          AND ${isAfterCursor(cursor, sql`tm.joined_at`, sql`tm.team`)}`,
      order: sql`tm.joined_at DESC, tm.team DESC`,
      matches: title ? matchText([memberTeamRow.names.team.title], title) : undefined,
      limit,
    });
    return paginateMatches(await readRows(db, memberTeamRow.query(result)), limit, {
      item: ({ team, role }) => ({ team: presentTeam(team, membership), member: { role } }),
      getCursor: ({ joinedAt, team }) => [joinedAt, team.id],
    });
  },
);

type MemberContext = Pick<
  Context<typeof orgAdmin.updateMemberInOrganizationById, OrgAdminEnvironment>,
  'db' | 'organization' | 'member' | 'commit' | 'urls'
>;

type Change = { role: Role | null } | { disabled: boolean } | { sso: boolean };

const [m, u] = [aliasedTable(members, 'm'), aliasedTable(users, 'u')];
const memberById = prepareQuery(memberRow, (select, organization: Parameter<OrganizationId>, user: Parameter<UserId>) =>
  select
    .from(m)
    .crossJoin(u)
    .where(and(eq(m.organization, organization), eq(m.user, user), eq(u.id, m.user))),
);

/** @throws ApiError precondition_failed for the last admin; not_found if the member has left */
async function changeMember(context: MemberContext, change: Change): Promise<Member> {
  const { db, urls } = context;
  const mayRemoveAdmin = ('role' in change && change.role !== 'admin') || ('disabled' in change && change.disabled);
  const update = db.update(members).set(change).where(matchMembership(context));
  const changed = memberById(context.organization.id, context.member.user.id);
  const rows = await writeMembers(context, { statements: { update, changed }, type: 'member.updated', mayRemoveAdmin });
  return presentMember(getOnlyRow(rows.changed), urls);
}

/** @throws ApiError precondition_failed for the last admin; not_found if the member has left */
async function removeMember(context: MemberContext): Promise<void> {
  const { db, organization, member } = context;
  const remove = deleteMember(db, { organization: organization.id, id: member.user.id });
  await writeMembers(context, { statements: remove, type: 'member.removed', mayRemoveAdmin: true });
}

const matchMembership = ({ organization, member }: MemberContext): SQL =>
  sql`organization = ${organization.id} AND user = ${member.user.id}`;

interface Write<Given> {
  statements: Given;
  type: 'member.updated' | 'member.removed';
  /** Whether the write may leave the organization without an admin. */
  mayRemoveAdmin: boolean;
}

/**
 * Checks inside the batch that the member exists and an admin is left: with separate reads, two admins could remove
 * each other.
 */
async function writeMembers<Given extends Statements>(
  context: MemberContext,
  { statements, type, mayRemoveAdmin }: Write<Given>,
): Promise<RowsOf<Given>> {
  const { db, organization, member, commit } = context;
  const user = member.user.id;
  const memberExists = sql`EXISTS (SELECT 1 FROM members WHERE ${matchMembership(context)})`;
  const checks: Check[] = [{ condition: memberExists, createError: () => notFound('member') }];
  if (mayRemoveAdmin)
    checks.push({ condition: hasAdminWithout(organization.id, user), createError: createNeedsAdminError });
  const event = { type, organization: organization.id, data: { user } };
  const rows = await commitChecked(db, checks, (guards) => commit({ guards, statements }, [event]));
  return rows.statements;
}
