import { hashToken } from '@octavo/db';
import { createId, createRandomString } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, install, makeIntegration, publishVersion } from '../../support/integrations.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
const described = { target: 'organization', scopes: ['space:content:read', 'space:content:write'] };
let [owner, taker] = [] as unknown as [TestOrganization, TestOrganization];
let [space, former] = [] as unknown as [TestSpace, TestInstallation];
let [integration, next] = [] as unknown as [TestIntegration, TestIntegration];
let installation: TestInstallation;
let account: string;
let ofFormer: string;

const getAccount = (name: string): string =>
  String(query<{ account: string }>('SELECT account FROM integrations WHERE name = ?', name)[0]?.account);

/**
 * Creates a token of an integration's account, like one that a long script run stores after the integration has ended.
 */
async function createLateToken(name: string, user: string): Promise<string> {
  const token = `octavo_${createRandomString(40)}`;
  await writeDatabase(
    server,
    `INSERT INTO tokens (id, user, label, hash, scopes, created_at, expires_at, integration)
      VALUES (?, ?, 'late', ?, '[]', 1, ?, ?)`,
    ...[createId('token'), user, await hashToken(token), Date.now() + 3_600_000, name],
  );
  return token;
}

beforeAll(async () => {
  owner = await server.makeOrganization();
  taker = await server.makeOrganization();
  space = await server.makeSpace({ organization: taker });
  integration = await makeIntegration(owner, described);
  former = await install(integration, taker);
  ofFormer = await actAs(integration, former);
  account = getAccount(integration.name);
  await server.request(`/v1/integrations/${integration.name}`, { token: owner.token, method: 'DELETE' });
  next = await makeIntegration(taker, { name: integration.name, visibility: 'private', ...described });
  installation = await install(next, taker);
});

const guarded = operations.filter(({ endpoint }) => endpoint.access !== 'public');

test('no endpoint accepts tokens of the former integration, whether created before or after its end', async () => {
  const late = await createLateToken(integration.name, account);
  for (const token of [integration.token, ofFormer, late]) {
    for (const { id, endpoint } of guarded) {
      for (const installationId of [installation.id, former.id]) {
        const ids = { integrationName: next.name, installationId, organizationId: taker.id, spaceId: space.id };
        const { status } = await server.request(getAddress(endpoint, ids), { method: endpoint.method, token });
        expect([id, status]).toEqual([id, 401]);
      }
    }
  }
  expect(await json(`/v1/integrations/${next.name}/installations`, { token: next.token })).toMatchObject({ count: 1 });
});

test('unpublishing revokes the tokens of the integration', async () => {
  const own = await makeIntegration(owner, described);
  const of = getAccount(own.name);
  const countTokens = () => query('SELECT 1 FROM tokens WHERE user = ?', of).length;
  expect(countTokens()).toBe(1);
  await server.request(`/v1/integrations/${own.name}`, { token: owner.token, method: 'DELETE' });
  expect(countTokens()).toBe(0);
});

test('tokens of the former integration stay invalid if the same owner publishes it again', async () => {
  const own = await makeIntegration(owner, described);
  const before = getAccount(own.name);
  await server.request(`/v1/integrations/${own.name}`, { token: owner.token, method: 'DELETE' });
  await publishVersion(own, described);
  const path = `/v1/integrations/${own.name}/installations`;
  for (const token of [own.token, await createLateToken(own.name, before)]) {
    expect((await server.request(path, { token })).status).toBe(401);
  }
});
