import { beforeAll, expect, test } from 'vitest';
import type { Cost } from '../../content/space-client.ts';
import { expectSameCost, measurePages, readWithCost } from '../../support/at-size.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { walk } from '../../support/paging.ts';
import { makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

// 10,000 teams with the same owner. One of them has 10,000 members.

const few = 40;
const many = 10_000;
/** Rows for each team: the team, the membership, the caller's own membership and the count. */
const rowsPerTeam = 4;
const setupLimitMilliseconds = 120_000;

const server = platform();
let organization: TestOrganization;
let owner: TestUser;
let large: string;
const costs = new Map<string, Cost[]>();

const lists = ['teams', 'teams?owner=OWNER', 'members/OWNER/teams', 'teams/LARGE/members'];
const getPath = (path: string) =>
  `/v1/orgs/${organization.id}/${path.replace('OWNER', owner.user).replace('LARGE', large)}`;
const write = (statement: string, ...values: (string | number)[]) => writeDatabase(server, statement, ...values);

async function insertTeams(from: number, to: number): Promise<void> {
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to})`;
  const team = "printf('team_%05d', (n * 7919) % 10007)";
  const user = "printf('usr_team%05d', (n * 7919) % 10007)";
  const time = '1700000000000 + n / 10';
  await write(
    `${numbers} INSERT INTO teams (id, organization, title, created_at)
      SELECT ${team}, ?, CASE n WHEN 17 THEN 'The needle' ELSE 'Team ' || n END, ${time} FROM numbers`,
    organization.id,
  );
  await write(
    `${numbers} INSERT INTO team_members (team, user, organization, role, joined_at)
      SELECT ${team}, ?, ?, 'owner', ${time} FROM numbers`,
    owner.user,
    organization.id,
  );
  await write(`${numbers} INSERT INTO users (id, email, display_name, created_at)
    SELECT ${user}, 'person' || n || '@teams.test', 'Person', 1 FROM numbers`);
  await write(
    `${numbers} INSERT INTO members (organization, user, role, joined_at) SELECT ?, ${user}, 'read', 1 FROM numbers`,
    organization.id,
  );
  await write(
    `${numbers} INSERT INTO team_members (team, user, organization, joined_at) SELECT ?, ${user}, ?, ${time} FROM numbers`,
    large,
    organization.id,
  );
}

const recordCosts = (path: string, ...more: Cost[]) => costs.set(path, [...(costs.get(path) ?? []), ...more]);

async function measure(): Promise<void> {
  for (const path of lists) recordCosts(path, ...(await measurePages(server, getPath(path), organization.token)));
}

beforeAll(async () => {
  organization = await server.makeOrganization();
  owner = await makeMember(organization, 'read', server);
  large = (await makeTeam(organization, { title: 'Everybody' }, server)).id;
  await insertTeams(0, few);
  await measure();
  await insertTeams(few, many);
  await measure();
}, setupLimitMilliseconds);

test.each(lists)('%s costs the same on the first, middle and last page, with 40 and with 10,000 rows', (path) => {
  expect(costs.get(path)).toHaveLength(6);
  expectSameCost(costs.get(path) ?? []);
});

/**
 * Reads all pages of a list while `come` and `go` add and remove rows after each page. `all` is a query for the ids,
 * oldest first.
 */
async function walkDuringChanges(
  path: string,
  all: string,
  { come, go }: { come: () => Promise<unknown>; go: (id: string) => Promise<Response> },
): Promise<void> {
  const before = queryDatabase<{ id: string }>(server.dataDir, all).map(({ id }) => id);
  const goers = before.filter((_, index) => index % 397 === 5);
  const gone = new Set<string>();
  const changeMembers = async () => {
    await come();
    const goer = goers.shift();
    if (goer === undefined) return;
    expect((await go(goer)).status).toBe(204);
    gone.add(goer);
  };

  const seen = await walk(getPath(path), organization.token, { limit: 400, between: changeMembers, server });

  expect(gone.size).toBeGreaterThan(20);
  expect(new Set(seen).size).toBe(seen.length);
  const stayed = before.filter((id) => !gone.has(id));
  const known = new Set(stayed);
  expect(seen.filter((id) => known.has(id))).toEqual(stayed.toReversed());
}

test('paging while teams change returns each team that stays exactly once', async () => {
  const { token } = organization;
  const all = `SELECT id FROM teams WHERE organization = '${organization.id}' AND title <> 'Everybody'
    ORDER BY created_at, id`;
  await walkDuringChanges('teams', all, {
    come: () => makeTeam(organization, {}, server),
    go: (id) => server.request(getPath(`teams/${id}`), { token, method: 'DELETE' }),
  });
});

test('paging while team members change returns each member who stays exactly once', async () => {
  const { token } = organization;
  const all = `SELECT user AS id FROM team_members WHERE team = '${large}' ORDER BY joined_at, user`;
  await walkDuringChanges('teams/LARGE/members', all, {
    async come() {
      const { user } = await makeMember(organization, 'read', server);
      const path = getPath(`teams/LARGE/members/${user}`);
      expect((await server.request(path, { token, method: 'PUT' })).status).toBe(204);
    },
    go: (id) => server.request(getPath(`teams/LARGE/members/${id}`), { token, method: 'DELETE' }),
  });
});

test.each(['teams?title=NEEDLE', 'teams?owner=OWNER&title=NEEDLE', 'members/OWNER/teams?title=NEEDLE'])(
  '%s scans at most 5,000 teams per page, and further pages find the match',
  async (path) => {
    const first = await readWithCost<{ count: number }>(server, getPath(path), organization.token);

    expect(first.body).toMatchObject({ count: 0, next: { page: expect.any(String) } });
    expect(first.cost.read).toBeLessThan(rowsPerTeam * 5000 + 50);
    const memberIds = await walk(getPath(path), organization.token, { server });
    expect(memberIds).toHaveLength(1);
    expect(queryDatabase(server.dataDir, 'SELECT title FROM teams WHERE id = ?', memberIds[0] ?? '')).toEqual([
      { title: 'The needle' },
    ]);
  },
);

test('deletes a team of 10,000 members completely', async () => {
  const { token } = organization;
  expect((await server.request(getPath('teams/LARGE'), { token, method: 'DELETE' })).status).toBe(204);

  expect(queryDatabase(server.dataDir, 'SELECT 1 FROM team_members WHERE team = ?', large)).toEqual([]);
  expect(
    queryDatabase(
      server.dataDir,
      'SELECT 1 FROM members WHERE organization = ? AND (teams < 0 OR (teams > 0 AND user <> ?))',
      ...[organization.id, owner.user],
    ),
  ).toEqual([]);
});
