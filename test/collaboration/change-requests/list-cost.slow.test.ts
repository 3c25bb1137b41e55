import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSameCost, measurePages, readWithCost } from '../../support/at-size.ts';
import { makeChangeRequest } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';

// Listing change requests costs no more with 6,000 of them than with 100.

let server: OwnPlatform;
const sizes = [100, 6000];
const worlds: { organization: TestOrganization; space: TestSpace; rare: TestUser; reader: TestUser }[] = [];

beforeAll(async () => {
  server = await startOwnPlatform({ countsRows: true });
  for (const size of sizes) {
    const organization = await server.makeOrganization();
    const space = await server.makeSpace({ organization });
    const [rare, reader] = [
      await server.makeUser({ organization: organization.id, role: 'read' }),
      await server.makeUser({ organization: organization.id, role: 'read' }),
    ];
    const { id } = await makeChangeRequest(space, 'The last', server);
    await writeDatabase(
      server,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size})
      INSERT INTO change_requests (id, space, organization, number, subject, status, created_by, created_at, updated_at, revision_initial)
      SELECT 'cr_${size}_' || i, '${space.id}', '${organization.id}', i + 1, '', iif(i % 2, 'open', 'draft'), '${organization.user}', 1000 + i, 1000 + i,
        '${space.revision}' FROM n`,
    );
    await writeDatabase(
      server,
      `INSERT INTO requested_reviewers (change_request, kind, subject, space, organization, revision, requested_by, created_at)
      SELECT id, 'user', '${rare.user}', space, organization, revision_initial, created_by, 1 FROM change_requests
      WHERE space = '${space.id}' AND number IN (3, 4, 5)`,
    );
    await writeDatabase(
      server,
      `INSERT INTO contributors (branch, action, user, space, count, updated_at)
      SELECT id, 'edit', iif(number IN (3, 4, 5), '${rare.user}', '${organization.user}'), space, 1, 1 FROM change_requests
      WHERE space = '${space.id}' AND id <> '${id}'`,
    );
    worlds.push({ organization, space, rare, reader });
  }
}, 120_000);
afterAll(() => server?.remove());

/** Tolerance in rows, for reading users and their organization memberships. */
const fewRows = 4;
const both = 'status=draft&status=open';
const lists: Record<string, (world: (typeof worlds)[number]) => string> = {
  'a space': ({ space }) => `/v1/spaces/${space.id}/change-requests?`,
  'a space, by update': ({ space }) => `/v1/spaces/${space.id}/change-requests?orderBy=updatedAt`,
  'a space, by creator': ({ space, organization }) =>
    `/v1/spaces/${space.id}/change-requests?creator=${organization.user}`,
  'an organization': ({ organization }) => `/v1/orgs/${organization.id}/change-requests?`,
  'an organization, by update': ({ organization }) => `/v1/orgs/${organization.id}/change-requests?orderBy=updatedAt`,
};

test.each(Object.entries(lists))('a page of %s costs the same at any list size and position', async (_, path) => {
  const firsts: number[] = [];
  for (const world of worlds) {
    for (const { token } of [world.organization, world.reader]) {
      const costs = await measurePages(server, path(world), token);
      expectSameCost(costs);
      firsts.push(costs[0]?.read ?? 0);
    }
  }

  expect(Math.max(...firsts) - Math.min(...firsts)).toBeLessThanOrEqual(30);
});

test.each(['requestedReviewer', 'contributor'])(
  'listing a few change requests by %s costs the same among many others',
  async (filter) => {
    const costs: number[] = [];
    for (const { organization, space, rare } of worlds) {
      for (const path of [
        `/v1/orgs/${organization.id}/change-requests?${both}`,
        `/v1/spaces/${space.id}/change-requests?`,
      ]) {
        const read = await readWithCost<{ count: number }>(
          server,
          `${path}&${filter}=${rare.user}`,
          organization.token,
        );
        expect(read.body.count).toBe(path.includes(both) ? 3 : 1);
        expect(read.cost.trips).toBe(path.includes(both) ? 3 : 2);
        costs.push(read.cost.read);
      }
    }

    expect(Math.max(...costs.slice(0, 2))).toBeLessThan(150);
    expect(Math.max(...costs.slice(2))).toBeLessThanOrEqual(Math.max(...costs.slice(0, 2)) + fewRows);
  },
);

test('listing many change requests by contributor reads a limited number of rows', async () => {
  for (const { space, organization } of worlds) {
    const path = `/v1/spaces/${space.id}/change-requests?contributor=${organization.user}`;
    const costs = await measurePages(server, path, organization.token);
    for (const { read } of costs) expect(read).toBeLessThan(700);
  }
});

test('each additional status costs one limited lookup', async () => {
  for (const { organization, reader } of worlds) {
    const path = `/v1/orgs/${organization.id}/change-requests?${both}&limit=3`;
    for (const { token } of [organization, reader])
      expect((await readWithCost(server, path, token)).cost.read).toBeLessThan(11_000);
  }
});
