import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { edit, json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite, getStatus, makeSpaceWithPages, readStatus, resolve } from './site-world.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const getSeconds = () => Math.floor(Date.now() / 1000);

function getJwt(key: string, claims: object, header: { alg: string; kid?: string } = { alg: 'HS256' }): string {
  const text = `${encode(header)}.${encode(claims)}`;
  const hash = header.alg === 'HS512' ? 'sha512' : 'sha256';
  const signature = header.alg === 'none' ? '' : createHmac(hash, key).update(text).digest('base64url');
  return `${text}.${signature}`;
}

async function createVisitorAuthSite() {
  const organization = await platform().makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const world = await createPublishedSite({ organization, visibility: 'visitor-auth', spaces: [space.id] });
  const auth = `${world.path}/publishing/auth`;
  const regenerateKey = async () => {
    const options = { token: organization.token, method: 'POST' };
    return (await json<{ privateKey: string }>(`${auth}/regenerate`, options)).privateKey;
  };
  return { ...world, space, auth, regenerate: regenerateKey, key: await regenerateKey() };
}

const createVisitor = (jwtToken: string) => ({ visitor: { jwtToken } });

test("admits only visitors with a token signed with the site's key", async () => {
  const { base, key, space } = await createVisitorAuthSite();
  const { apiToken } = await resolve(`${base}/start`, createVisitor(getJwt(key, { exp: getSeconds() + 60 })));

  expect(await readStatus(`/v1/spaces/${space.id}`, apiToken)).toBe(200);
  expect(await getStatus(base)).toBe(404);
  expect(await resolve(`${base}/start`, createVisitor(getJwt(key, { exp: getSeconds() + 60 })))).toMatchObject({
    apiToken,
    complete: true,
  });
});

test('rejects unsigned tokens, and tokens with another algorithm, key or site, or an invalid time', async () => {
  const [{ base, key }, other] = [await createVisitorAuthSite(), await createVisitorAuthSite()];
  const claims = { exp: getSeconds() + 60 };
  const { apiToken } = await resolve(base, createVisitor(getJwt(key, claims)));
  const refused = {
    'not signed': getJwt(key, claims, { alg: 'none' }),
    'named as not signed, and signed': getJwt(key, claims, { alg: 'None' }),
    'another algorithm': getJwt(key, claims, { alg: 'HS512' }),
    'said to be of a public key': getJwt(key, claims, { alg: 'RS256' }),
    'a key by its path': getJwt('', claims, { alg: 'HS256', kid: '/dev/null' }),
    'an empty key': getJwt('', claims),
    "another site's": getJwt(other.key, claims),
    expired: getJwt(key, { exp: getSeconds() - 60 }),
    'not yet': getJwt(key, { ...claims, nbf: getSeconds() + 60 }),
    'made in the future': getJwt(key, { ...claims, iat: getSeconds() + 600 }),
    'our own token': apiToken,
    garbage: 'a.b.c',
  };

  const answered = await Promise.all(
    Object.entries(refused).map(async ([name, jwt]) => [name, await getStatus(base, createVisitor(jwt))]),
  );
  expect(answered).toEqual(Object.keys(refused).map((name) => [name, 404]));
});

test.each(['public', 'visitor-auth'])(
  'does not admit a visitor with too many claims to a %s site',
  async (visibility) => {
    const { organization, path, base, key, space } = await createVisitorAuthSite();
    const condition = 'visitor.claims.banned != true';
    await json(path, { token: organization.token, method: 'PATCH', body: { visibility } });
    await edit(space, [{ operation: 'update_page', page: space.pages[0] ?? '', condition }]);
    const getComplete = async (claims: object) => {
      const visitor = createVisitor(getJwt(key, { exp: getSeconds() + 60, ...claims }));
      const status = await getStatus(`${base}/start`, visitor);
      return status === 200 ? (await resolve(`${base}/start`, visitor)).complete : status;
    };

    expect(await getComplete({})).toBe(true);
    expect(await getComplete({ banned: true })).toBe(false);
    expect(await getComplete({ banned: true, name: 'x'.repeat(4200) })).toBe(404);
  },
);

test('regenerating the key revokes all tokens', async () => {
  const { base, key, space, regenerate } = await createVisitorAuthSite();
  const { apiToken } = await resolve(base, createVisitor(getJwt(key, { exp: getSeconds() + 60 })));

  const next = await regenerate();

  expect(await readStatus(`/v1/spaces/${space.id}`, apiToken)).toBe(404);
  expect(await getStatus(base, createVisitor(getJwt(key, { exp: getSeconds() + 60 })))).toBe(404);
  expect(await getStatus(base, createVisitor(getJwt(next, { exp: getSeconds() + 60 })))).toBe(200);
});

test('redirects visitors without a token to the sign-in page', async () => {
  const { base, key, auth, organization } = await createVisitorAuthSite();
  const fallbackURL = 'https://login.example/in?a=1';
  await json(auth, { token: organization.token, method: 'PATCH', body: { backend: 'custom', fallbackURL } });
  const redirect = 'https://login.example/in?a=1&location=%2Fstart';
  const late = createVisitor(getJwt(key, { exp: getSeconds() - 60 }));

  expect(await resolve(`${base}/start`)).toEqual({ target: 'external', redirect });
  expect(await getStatus(`${base}/start`, late)).toBe(404);
  expect(await resolve(`${base}/start`, { ...late, redirectOnError: true })).toEqual({ target: 'external', redirect });
});
