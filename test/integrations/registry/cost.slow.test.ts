import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectSameCost, measurePages, readWithCost } from '../../support/at-size.ts';
import { writeDatabase } from '../../support/database.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { publish, type ShownIntegration } from './registry-client.ts';

let server: OwnPlatform;
let [owner, other] = [] as unknown as [TestOrganization, TestOrganization];
beforeAll(async () => {
  server = await startOwnPlatform({ countsRows: true });
  owner = await server.makeOrganization();
  other = await server.makeOrganization();
  await insertIntegrations('few', 10);
});
afterAll(() => server.remove());

/** Inserts `count` public integrations, and as many private ones of other organizations. */
async function insertIntegrations(tag: string, count: number): Promise<void> {
  const columns =
    'name, organization, account, title, visibility, script, signing_secret, created_by, created_at, updated_at';
  const [first] = await Promise.all([publish(owner, { name: `${tag}-first`, visibility: 'public' }, server)]);
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO integrations (${columns})
      SELECT ? || '-' || v.visibility || i, organization, account, title, v.visibility, script, signing_secret, created_by, i, i
      FROM n CROSS JOIN integrations x ON x.name = ? CROSS JOIN (SELECT 'public' AS visibility UNION SELECT 'private') v`,
    ...[count, tag, first?.name ?? ''],
  );
}

const read = async (path: string, { token }: TestOrganization) => (await readWithCost(server, path, token)).cost;

const paths = {
  'a page of the list': '/v1/integrations?limit=3',
  'a page of search results': '/v1/integrations?limit=3&search=public',
  'a page of an owner': () => `/v1/integrations?limit=3&owner=${owner.id}`,
  'a page of the integrations that an organization may install': () => `/v1/orgs/${other.id}/integrations?limit=3`,
  'one integration': '/v1/integrations/few-public3',
};

describe('the cost of reads', () => {
  test.each(Object.entries(paths))('is measured for %s with 10 integrations', async (_, path) => {
    const address = typeof path === 'string' ? path : path();
    costs.few.set(address, await read(address, other));
  });

  test('does not grow with 1,000 integrations', async () => {
    await insertIntegrations('many', 990);
    for (const [address, few] of costs.few) {
      const many = await read(address, other);
      expect([address, many.trips]).toEqual([address, few.trips]);
      expect([address, many.read - few.read]).toEqual([address, expect.toSatisfy((more) => more <= 4)]);
    }
  });

  test('is the same for any page of the list', async () => {
    expectSameCost(await measurePages(server, '/v1/integrations', other.token));
  });

  test('a list takes one round trip for the caller and one for the list', async () => {
    expect((await read('/v1/integrations', other)).trips).toBe(2);
    expect((await read('/v1/integrations/few-public3', other)).trips).toBe(1);
  });

  test('paging returns each integration once', async () => {
    const names: string[] = [];
    let page = '';
    do {
      const { body } = await readWithCost<{ items: ShownIntegration[]; next?: { page: string } }>(
        server,
        `/v1/integrations?limit=300${page}`,
        other.token,
      );
      names.push(...body.items.map(({ name }) => name));
      page = body.next === undefined ? '' : `&page=${body.next.page}`;
    } while (page !== '');
    expect(names).toHaveLength(1002);
    expect(new Set(names).size).toBe(1002);
  });
});

const costs = { few: new Map<string, Awaited<ReturnType<typeof read>>>() };
