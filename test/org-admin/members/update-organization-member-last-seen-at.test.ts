import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import { guest, makeMember } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';

// A separate platform, in which the key that signs the visitor claims has not been created yet.
let server: OwnPlatform;
let organization: TestOrganization;
beforeAll(async () => {
  server = await startOwnPlatform();
  organization = await server.makeOrganization();
});
afterAll(() => server?.remove());

const ping = async (token: string) => {
  const path = `/v1/orgs/${organization.id}/ping`;
  return (await json<{ serviceVisitorClaims: string }>(path, { token, method: 'POST' }, server)).serviceVisitorClaims;
};

const readKeys = () =>
  queryDatabase<{ name: string; secret: string }>(server.dataDir, 'SELECT * FROM installation_keys');

function getClaims(jwt: string): Record<string, unknown> {
  const [header = '', payload = '', signature] = jwt.split('.');
  const [key] = readKeys();
  const expected = createHmac('sha256', key?.secret ?? '')
    .update(`${header}.${payload}`)
    .digest('base64url');
  expect(signature).toBe(expected);
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
}

test('concurrent first requests get claims signed by a single key, which no response contains', async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => ping(organization.token)));

  expect(readKeys()).toEqual([{ name: 'visitor-claims', secret: expect.stringMatching(/^\w{64}$/) }]);
  for (const jwt of claims) {
    expect(getClaims(jwt)).toMatchObject({ sub: organization.user });
    expect(jwt).not.toContain(readKeys()[0]?.secret);
  }
});

test.each(['edit', null])("returns a token for one hour with the visitor's role: %s", async (role) => {
  const { token, user } = await makeMember(organization, role ?? guest, server);
  const before = Math.floor(Date.now() / 1000);

  const claims = getClaims(await ping(token));

  expect(claims).toEqual({
    iss: server.url,
    aud: organization.id,
    sub: user,
    role,
    iat: expect.any(Number),
    exp: Number(claims.iat) + 3600,
  });
  expect(claims.iat).toBeGreaterThanOrEqual(before);
  expect(claims.iat).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
});

test('updates only the timestamp of the caller', async () => {
  const [member, other] = [
    await makeMember(organization, 'read', server),
    await makeMember(organization, 'read', server),
  ];
  const readLastSeen = async (user: string) => {
    const path = `/v1/orgs/${organization.id}/members/${user}`;
    return (await json<{ lastSeenAt?: string }>(path, organization, server)).lastSeenAt;
  };
  expect(await readLastSeen(member.user)).toBeUndefined();
  const before = Date.now();

  await ping(member.token);

  const first = Date.parse((await readLastSeen(member.user)) ?? '');
  expect(first).toBeGreaterThanOrEqual(before);
  await ping(member.token);
  expect(Date.parse((await readLastSeen(member.user)) ?? '')).toBeGreaterThan(first);
  expect(await readLastSeen(other.user)).toBeUndefined();
});
