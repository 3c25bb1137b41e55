import { beforeAll, describe, expect, test } from 'vitest';
import type { Cost } from '../../content/space-client.ts';
import { expectSameCost, measurePages, readWithCost } from '../../support/at-size.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { walk } from '../../support/paging.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

// An organization of 10,000 members: a quarter each are guests, readers, editors and creators. Ten members joined at
// the same time, and two of three have a last-seen time. No page may cost more than in an organization of forty
// members.

const few = 40;
const many = 10_000;
const setupLimitMilliseconds = 120_000;

const server = platform();
let organization: TestOrganization;
let team: string;
const costs = new Map<string, Cost[]>();

const lists = ['joinedAt', 'lastSeenAt'].flatMap((sort) =>
  ['desc', 'asc'].flatMap((order) =>
    ['', '&role=read', '&role=guest'].map((role) => `members?sort=${sort}&order=${order}${role}`),
  ),
);
const getListPaths = () => [`members/${organization.user}`, `teams/${team}`];

const getPath = (path: string) => `/v1/orgs/${organization.id}/${path}`;

async function insertMembers(from: number, to: number): Promise<void> {
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to})`;
  const id = "printf('usr_member%05d', (n * 7919) % 10007)";
  await writeDatabase(
    server,
    `${numbers} INSERT INTO users (id, email, display_name, created_at)
      SELECT ${id}, 'person' || n || '@example.test', CASE n WHEN 17 THEN 'The needle' ELSE 'Person ' || n END, 1 FROM numbers`,
  );
  await writeDatabase(
    server,
    `${numbers} INSERT INTO members (organization, user, role, joined_at, last_seen_at)
      SELECT ?, ${id}, CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN 'read' WHEN 2 THEN 'edit' ELSE 'create' END,
        1700000000000 + n / 10, CASE WHEN n % 3 > 0 THEN 1710000000000 + n / 7 END FROM numbers`,
    organization.id,
  );
}

const recordCosts = (path: string, ...more: Cost[]) => costs.set(path, [...(costs.get(path) ?? []), ...more]);

async function measure(): Promise<void> {
  for (const path of lists) recordCosts(path, ...(await measurePages(server, getPath(path), organization.token)));
  for (const path of getListPaths()) {
    recordCosts(path, (await readWithCost(server, getPath(path), organization.token)).cost);
  }
}

beforeAll(async () => {
  organization = await server.makeOrganization();
  team = (await makeTeam(organization, { members: [organization.user] }, server)).id;
  await insertMembers(0, few);
  await measure();
  await insertMembers(few, many);
  await measure();
}, setupLimitMilliseconds);

test.each(lists)('%s costs the same on the first, middle and last page, with 40 and with 10,000 members', (path) => {
  expect(costs.get(path)).toHaveLength(6);
  expectSameCost(costs.get(path) ?? []);
});

test('reading a member or team costs one round trip and the same rows with 40 members and with 10,000', () => {
  for (const path of getListPaths()) {
    const [before, after] = costs.get(path) ?? [];
    expect([path, after]).toEqual([path, before]);
    expect([path, after?.trips]).toEqual([path, 1]);
    expect(after?.read).toBeGreaterThan(0);
  }
});

describe.each(['desc', 'asc'])('in the order %s', (order) => {
  test('paging while members join and leave returns each member who stays exactly once', async () => {
    const { token } = organization;
    const before = queryDatabase<{ user: string }>(
      server.dataDir,
      'SELECT user FROM members WHERE organization = ? ORDER BY joined_at, user',
      organization.id,
    ).map(({ user }) => user);
    const goers = before.filter((user, index) => user !== organization.user && index % 397 === 5);
    const gone = new Set<string>();
    const changeMembers = async () => {
      await makeMember(organization, guest, server);
      const goer = goers.shift();
      if (goer === undefined) return;
      const response = await server.request(getPath(`members/${goer}`), { token, method: 'DELETE' });
      expect(response.status).toBe(204);
      gone.add(goer);
    };

    const seen = await walk(getPath(`members?order=${order}`), token, { limit: 400, between: changeMembers, server });

    expect(gone.size).toBeGreaterThan(20);
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = before.filter((user) => !gone.has(user));
    const known = new Set(stayed);
    expect(seen.filter((user) => known.has(user))).toEqual(order === 'asc' ? stayed : stayed.toReversed());
  });
});

describe('search', () => {
  /** Rows for each member: the index entry, the membership, the user and the count. */
  const rowsPerMember = 4;
  const mostLookedThrough = 5000;

  interface Page {
    count: number;
    next?: { page: string };
  }

  test('scans at most 5,000 members per page, and the next page continues from there', async () => {
    const path = getPath('members?search=NEEDLE');
    const first = await readWithCost<Page>(server, path, organization.token);
    const second = await readWithCost<Page>(server, `${path}&page=${first.body.next?.page}`, organization.token);

    expect(first.body).toMatchObject({ count: 0, next: { page: expect.any(String) } });
    expect(second.body).toMatchObject({ count: 1 });
    for (const { cost } of [first, second]) {
      expect(cost.trips).toBe(1);
      expect(cost.read).toBeLessThan(mostLookedThrough * rowsPerMember + 50);
    }
    const [id] = await walk(path, organization.token, { server });
    expect(queryDatabase(server.dataDir, 'SELECT display_name FROM users WHERE id = ?', id ?? '')).toEqual([
      { display_name: 'The needle' },
    ]);
  });

  test('stops scanning once the page is full', async () => {
    const { body, cost } = await readWithCost<Page>(
      server,
      getPath('members?search=person&limit=10'),
      organization.token,
    );

    expect(body).toMatchObject({ count: 10, next: { page: expect.any(String) } });
    expect(cost.read).toBeLessThan(400);
  });

  test('returns each match once, over any number of pages', async () => {
    const memberIds = await walk(getPath('members?search=person1'), organization.token, { limit: 100, server });
    const expected = queryDatabase<{ user: string }>(
      server.dataDir,
      `SELECT m.user FROM members m CROSS JOIN users u ON u.id = m.user
        WHERE m.organization = ? AND u.email LIKE 'person1%' ORDER BY m.joined_at DESC, m.user DESC`,
      organization.id,
    );

    expect(memberIds).toEqual(expected.map(({ user }) => user));
    expect(memberIds.length).toBeGreaterThan(1000);
  });
});
