import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { edit, json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getStatus, publishedSite, readStatus, resolve, spaceWith } from './site-world.ts';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

function getJwt(key: string, claims: object, header: { alg: string; kid?: string } = { alg: 'HS256' }): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const hash = header.alg === 'HS512' ? 'sha512' : 'sha256';
  const signature = header.alg === 'none' ? '' : createHmac(hash, key).update(text).digest('base64url');
  return `${text}.${signature}`;
}

async function vouchedSite() {
  const organization = await platform().makeOrganization();
  const space = await spaceWith(organization, 'Guide', ['Start']);
  const world = await publishedSite({ organization, visibility: 'visitor-auth', spaces: [space.id] });
  const auth = `${world.path}/publishing/auth`;
  const regenerate = async () => {
    const options = { token: organization.token, method: 'POST' };
    return (await json<{ privateKey: string }>(`${auth}/regenerate`, options)).privateKey;
  };
  return { ...world, space, auth, regenerate, key: await regenerate() };
}

const by = (jwtToken: string) => ({ visitor: { jwtToken } });

test("admits only visitors with a token signed with the site's key", async () => {
  const { base, key, space } = await vouchedSite();
  const { apiToken } = await resolve(`${base}/start`, by(getJwt(key, { exp: now() + 60 })));

  expect(await readStatus(`/v1/spaces/${space.id}`, apiToken)).toBe(200);
  expect(await getStatus(base)).toBe(404);
  expect(await resolve(`${base}/start`, by(getJwt(key, { exp: now() + 60 })))).toMatchObject({
    apiToken,
    complete: true,
  });
});

test('rejects unsigned tokens, and tokens with another algorithm, key or site, or an invalid time', async () => {
  const [{ base, key }, other] = [await vouchedSite(), await vouchedSite()];
  const claims = { exp: now() + 60 };
  const { apiToken } = await resolve(base, by(getJwt(key, claims)));
  const refused = {
    'not signed': getJwt(key, claims, { alg: 'none' }),
    'named as not signed, and signed': getJwt(key, claims, { alg: 'None' }),
    'another algorithm': getJwt(key, claims, { alg: 'HS512' }),
    'said to be of a public key': getJwt(key, claims, { alg: 'RS256' }),
    'a key by its path': getJwt('', claims, { alg: 'HS256', kid: '/dev/null' }),
    'an empty key': getJwt('', claims),
    "another site's": getJwt(other.key, claims),
    expired: getJwt(key, { exp: now() - 60 }),
    'not yet': getJwt(key, { ...claims, nbf: now() + 60 }),
    'made in the future': getJwt(key, { ...claims, iat: now() + 600 }),
    'our own token': apiToken,
    garbage: 'a.b.c',
  };

  const answered = await Promise.all(
    Object.entries(refused).map(async ([name, jwt]) => [name, await getStatus(base, by(jwt))]),
  );
  expect(answered).toEqual(Object.keys(refused).map((name) => [name, 404]));
});

test.each(['public', 'visitor-auth'])(
  'does not admit a visitor with too many claims to a %s site',
  async (visibility) => {
    const { organization, path, base, key, space } = await vouchedSite();
    const condition = 'visitor.claims.banned != true';
    await json(path, { token: organization.token, method: 'PATCH', body: { visibility } });
    await edit(space, [{ operation: 'update_page', page: space.pages[0] ?? '', condition }]);
    const getComplete = async (claims: object) => {
      const visitor = by(getJwt(key, { exp: now() + 60, ...claims }));
      const status = await getStatus(`${base}/start`, visitor);
      return status === 200 ? (await resolve(`${base}/start`, visitor)).complete : status;
    };

    expect(await getComplete({})).toBe(true);
    expect(await getComplete({ banned: true })).toBe(false);
    expect(await getComplete({ banned: true, name: 'x'.repeat(4200) })).toBe(404);
  },
);

test('regenerating the key revokes all tokens', async () => {
  const { base, key, space, regenerate } = await vouchedSite();
  const { apiToken } = await resolve(base, by(getJwt(key, { exp: now() + 60 })));

  const next = await regenerate();

  expect(await readStatus(`/v1/spaces/${space.id}`, apiToken)).toBe(404);
  expect(await getStatus(base, by(getJwt(key, { exp: now() + 60 })))).toBe(404);
  expect(await getStatus(base, by(getJwt(next, { exp: now() + 60 })))).toBe(200);
});

test('redirects visitors without a token to the sign-in page', async () => {
  const { base, key, auth, organization } = await vouchedSite();
  const fallbackURL = 'https://login.example/in?a=1';
  await json(auth, { token: organization.token, method: 'PATCH', body: { backend: 'custom', fallbackURL } });
  const redirect = 'https://login.example/in?a=1&location=%2Fstart';
  const late = by(getJwt(key, { exp: now() - 60 }));

  expect(await resolve(`${base}/start`)).toEqual({ target: 'external', redirect });
  expect(await getStatus(`${base}/start`, late)).toBe(404);
  expect(await resolve(`${base}/start`, { ...late, redirectOnError: true })).toEqual({ target: 'external', redirect });
});
