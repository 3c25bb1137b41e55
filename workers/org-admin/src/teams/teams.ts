import {
  abortUnless,
  decodeCursor,
  deleteTeam,
  fromQuery,
  getOnlyRow,
  isAfterCursor,
  matchText,
  memberRow,
  paginate,
  paginateMatches,
  retryOnConflict,
  scanFields,
  scanRows,
  selection,
  teamMembers,
  teamRow,
  teams,
} from '@octavo/db';
import type { OrganizationScope } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { BodyOf, orgAdmin, QueryOf } from '@octavo/schema';
import { createId, getOrganizationPermissions, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { presentTeam } from './presenter.ts';
import type { Placement } from './queries.ts';
import { areMembers, findMembers, placeInTeam, requireMembers, teamById, writeTeam } from './queries.ts';

const listedRow = selection({ team: teamRow.fields, listedAt: fromQuery(Number), ...scanFields });

interface TeamListing {
  query: QueryOf<typeof orgAdmin.listTeamsInOrganizationById>;
  /** An SQL expression for the id of the organization, or null if the caller gets an empty list. */
  organization: SQL;
  reader: OrganizationScope['user'];
}

/** All teams of the organization, newest first. */
const selectTeams = (listing: TeamListing) => {
  const from = sql`teams t INDEXED BY teams_of_organization`;
  return selectListedTeams(listing, { from, time: sql`t.created_at`, id: sql`t.id`, isListed: sql`1` });
};

/** The teams of an owner, ordered by the time when the owner joined, because that is the order of the index. */
const selectOwnedTeams = (listing: TeamListing) =>
  selectListedTeams(listing, {
    from: sql`team_members tm INDEXED BY teams_of_user CROSS JOIN teams t ON t.id = tm.team`,
    time: sql`tm.joined_at`,
    id: sql`tm.team`,
    isListed: sql`tm.user = ${listing.query.owner} AND tm.organization = ${listing.organization} AND tm.role = 'owner'`,
  });

interface TeamSource {
  from: SQL;
  time: SQL;
  id: SQL;
  isListed: SQL;
}

function selectListedTeams(
  { query: { page, limit, title }, organization, reader }: TeamListing,
  { from, time, id, isListed }: TeamSource,
) {
  const cursor = decodeCursor(page, ['number', 'string']);
  const rows = scanRows({
    columns: listedRow.with({ listedAt: time }),
    from: sql`FROM ${from} LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${reader}
      WHERE t.organization = ${organization} AND ${isListed} AND ${isAfterCursor(cursor, time, id)}`,
    order: sql`${time} DESC, ${id} DESC`,
    matches: title ? matchText([listedRow.names.team.title], title) : undefined,
    limit,
  });
  return listedRow.query(rows);
}

/** Admins own every team. Other active members own the teams in which their role is `owner`. */
export const listTeamsInOrganizationById = handler('listTeamsInOrganizationById', {
  reads({ query }, { organization, user: reader }) {
    if (query.owner === undefined) return [selectTeams({ query, reader, organization: sql`${organization}` })];
    const selectOrganizationIf = (role: SQL) => sql`(SELECT o.organization FROM members o
      WHERE o.organization = ${organization} AND o.user = ${query.owner} AND NOT o.disabled AND ${role})`;
    return [
      selectTeams({ query, reader, organization: selectOrganizationIf(sql`o.role IS 'admin'`) }),
      selectOwnedTeams({ query, reader, organization: selectOrganizationIf(sql`o.role IS NOT 'admin'`) }),
    ];
  },
  handle: ({ query: { limit } }, { membership }, rows) =>
    paginateMatches(rows, limit, {
      item: ({ team }) => presentTeam(team, membership),
      getCursor: ({ listedAt, team }) => [listedAt, team.id],
    }),
});

export const createOrganizationTeam = handler(
  'createOrganizationTeam',
  async ({ body }, { db, organization, membership, actor, commit }) => {
    const row = { id: createId('team'), organization: organization.id, title: body.title, createdAt: Date.now() };
    const users = [...new Set(body.members)];
    const usersByPath = new Map(body.members.map((user, index) => [`body.members.${index}`, user]));
    await retryOnConflict(async () => {
      if (users.length > 0) requireMembers(await findMembers(db, organization.id, users), usersByPath);
      const statements = placeInTeam(
        db,
        { team: row.id, organization: organization.id },
        users.map((user) => ({ user })),
      );
      const event = { type: 'team.created', organization: organization.id, data: { team: row.id } } as const;
      await commit(
        [abortUnless(db, areMembers(organization.id, users)), db.insert(teams).values(row), ...statements],
        [event],
      );
    });
    const ownRole = users.includes(actor.id) ? 'member' : null;
    return presentTeam({ ...row, members: users.length, spaces: 0, ownRole }, membership);
  },
);

export const getTeamInOrganizationById = handler('getTeamInOrganizationById', (_, { team, membership }) =>
  presentTeam(team, membership),
);

export const updateTeamInOrganizationById = handler(
  'updateTeamInOrganizationById',
  async ({ body: { title } }, context) => {
    const { db, team, organization, membership, actor } = context;
    const update = db.update(teams).set({ title }).where(sql`id = ${team.id} AND organization = ${organization.id}`);
    const changed = teamById(team.id, actor.id);
    const rows = await writeTeam(context, { type: 'team.updated' }, () => ({ update, changed }));
    return presentTeam(getOnlyRow(rows.changed), membership);
  },
);

export const removeTeamFromOrganizationById = handler('removeTeamFromOrganizationById', async (_, context) => {
  const { db, team, organization } = context;
  const remove = deleteTeam(db, { organization: organization.id, id: team.id });
  await writeTeam(context, { type: 'team.deleted' }, () => remove);
  return undefined;
});

const tm = aliasedTable(teamMembers, 'tm');
const teamMemberRow = selection({ member: memberRow.fields, role: tm.role, joinedAt: tm.joinedAt });

/** Lists the newest memberships first. Guests, who may not list members, do not see e-mail addresses. */
export const listTeamMembersInOrganizationById = handler('listTeamMembersInOrganizationById', {
  reads({ params, query: { page, limit } }, { organization }) {
    const cursor = decodeCursor(page, ['number', 'string']);
    return teamMemberRow.query(sql`
      SELECT ${teamMemberRow}
      FROM team_members tm INDEXED BY team_members_by_joining
      CROSS JOIN members m ON m.organization = tm.organization AND m.user = tm.user
      CROSS JOIN users u ON u.id = m.user
      WHERE tm.team = ${params.teamId} AND tm.organization = ${organization}
        AND ${isAfterCursor(cursor, sql`tm.joined_at`, sql`tm.user`)}
      ORDER BY tm.joined_at DESC, tm.user DESC LIMIT ${limit + 1}`);
  },
  handle({ query: { limit } }, { membership, urls }, rows) {
    const { listMembers } = getOrganizationPermissions(membership.role, membership.ownsTeam);
    return paginate(rows, limit, {
      item: ({ member, role }) => ({
        organization: presentMember(member, urls, { email: listMembers }),
        team: { role },
        permissions: { view: true },
      }),
      getCursor: ({ member, joinedAt }) => [joinedAt, member.user.id],
    });
  },
});

export const addMemberToOrganizationTeamById = handler(
  'addMemberToOrganizationTeamById',
  async ({ body: { role } }, context) => {
    const { db, team, organization, member } = context;
    const user = member.user.id;
    const isMember = { condition: areMembers(organization.id, [user]), createError: () => notFound('member') };
    await writeTeam(context, { type: 'team.members_changed', checks: [isMember] }, () =>
      placeInTeam(db, { team: team.id, organization: organization.id }, [{ user, role }]),
    );
    return undefined;
  },
);

type Body = BodyOf<typeof orgAdmin.updateMembersInOrganizationTeam>;

export const updateMembersInOrganizationTeam = handler('updateMembersInOrganizationTeam', async ({ body }, context) => {
  const { db, team, organization } = context;
  const usersByPath = indexNames(body);
  if (usersByPath.size === 0) return undefined;
  await writeTeam(context, { type: 'team.members_changed' }, async () => {
    const membersById = await findMembers(db, organization.id, [...new Set(usersByPath.values())]);
    requireMembers(membersById, usersByPath);
    const { placements, removed } = getChanges(body, membersById);
    const users = placements.map(({ user }) => user);
    return [
      abortUnless(db, areMembers(organization.id, users)),
      ...placeInTeam(db, { team: team.id, organization: organization.id }, placements),
      db
        .delete(teamMembers)
        .where(sql`team = ${team.id} AND user IN (SELECT value FROM json_each(${JSON.stringify(removed)}))`),
    ];
  });
  return undefined;
});

const indexNames = ({ add = [], remove = [], memberships = {} }: Body): Map<string, string> =>
  new Map([
    ...add.map((name, index) => [`body.add.${index}`, name] as const),
    ...remove.map((name, index) => [`body.remove.${index}`, name] as const),
    ...Object.keys(memberships).map((user) => [`body.memberships.${user}`, user] as const),
  ]);

/** Removals win over everything else in the request. */
function getChanges({ add = [], remove = [], memberships = {} }: Body, membersById: Map<string, string>) {
  const getUsers = (names: string[]) => names.flatMap((name) => membersById.get(name) ?? []);
  const removed = new Set(getUsers(remove));
  const users = new Set([...getUsers(add), ...Object.keys(memberships)]);
  const memberPlacements: Placement[] = [...users]
    .filter((user) => !removed.has(user))
    .map((user) => ({ user, role: Object.hasOwn(memberships, user) ? memberships[user]?.role : undefined }));
  return { placements: memberPlacements, removed: [...removed] };
}

export const deleteMemberFromOrganizationTeamById = handler(
  'deleteMemberFromOrganizationTeamById',
  async (_, context) => {
    const { db, team, member } = context;
    const isMembership = sql`team = ${team.id} AND user = ${member.user.id}`;
    const isIn = {
      condition: sql`EXISTS (SELECT 1 FROM team_members WHERE ${isMembership})`,
      createError: () => notFound('member'),
    };
    const remove = db.delete(teamMembers).where(isMembership);
    await writeTeam(context, { type: 'team.members_changed', checks: [isIn] }, () => [remove]);
    return undefined;
  },
);
