import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { edit, json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { publishedSite, readStatus, resolve, spaceWith, statusOf } from './site-world.ts';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

function jwtOf(key: string, claims: object, header: { alg: string; kid?: string } = { alg: 'HS256' }): string {
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

test("admits only visitors with a token that the site's key signed", async () => {
  const { base, key, space } = await vouchedSite();
  const { apiToken } = await resolve(`${base}/start`, by(jwtOf(key, { exp: now() + 60 })));

  expect(await readStatus(`/v1/spaces/${space.id}`, apiToken)).toBe(200);
  expect(await statusOf(base)).toBe(404);
  expect(await resolve(`${base}/start`, by(jwtOf(key, { exp: now() + 60 })))).toMatchObject({
    apiToken,
    complete: true,
  });
});

test('rejects unsigned tokens, and those with another algorithm, key, site or time', async () => {
  const [{ base, key }, other] = [await vouchedSite(), await vouchedSite()];
  const claims = { exp: now() + 60 };
  const { apiToken } = await resolve(base, by(jwtOf(key, claims)));
  const refused = {
    'not signed': jwtOf(key, claims, { alg: 'none' }),
    'named as not signed, and signed': jwtOf(key, claims, { alg: 'None' }),
    'another algorithm': jwtOf(key, claims, { alg: 'HS512' }),
    'said to be of a public key': jwtOf(key, claims, { alg: 'RS256' }),
    'a key by its path': jwtOf('', claims, { alg: 'HS256', kid: '/dev/null' }),
    'an empty key': jwtOf('', claims),
    "another site's": jwtOf(other.key, claims),
    expired: jwtOf(key, { exp: now() - 60 }),
    'not yet': jwtOf(key, { ...claims, nbf: now() + 60 }),
    'made in the future': jwtOf(key, { ...claims, iat: now() + 600 }),
    'our own token': apiToken,
    garbage: 'a.b.c',
  };

  const answered = await Promise.all(
    Object.entries(refused).map(async ([name, jwt]) => [name, await statusOf(base, by(jwt))]),
  );
  expect(answered).toEqual(Object.keys(refused).map((name) => [name, 404]));
});

test.each(['public', 'visitor-auth'])('admits no visitor with too many claims to a %s site', async (visibility) => {
  const { organization, path, base, key, space } = await vouchedSite();
  const condition = 'visitor.claims.banned != true';
  await json(path, { token: organization.token, method: 'PATCH', body: { visibility } });
  await edit(space, [{ operation: 'update_page', page: space.pages[0] ?? '', condition }]);
  const completeOf = async (claims: object) => {
    const visitor = by(jwtOf(key, { exp: now() + 60, ...claims }));
    const status = await statusOf(`${base}/start`, visitor);
    return status === 200 ? (await resolve(`${base}/start`, visitor)).complete : status;
  };

  expect(await completeOf({})).toBe(true);
  expect(await completeOf({ banned: true })).toBe(false);
  expect(await completeOf({ banned: true, name: 'x'.repeat(4200) })).toBe(404);
});

test('revokes all tokens with the key', async () => {
  const { base, key, space, regenerate } = await vouchedSite();
  const { apiToken } = await resolve(base, by(jwtOf(key, { exp: now() + 60 })));

  const next = await regenerate();

  expect(await readStatus(`/v1/spaces/${space.id}`, apiToken)).toBe(404);
  expect(await statusOf(base, by(jwtOf(key, { exp: now() + 60 })))).toBe(404);
  expect(await statusOf(base, by(jwtOf(next, { exp: now() + 60 })))).toBe(200);
});

test('redirects visitors without a token to the sign-in page', async () => {
  const { base, key, auth, organization } = await vouchedSite();
  const fallbackURL = 'https://login.example/in?a=1';
  await json(auth, { token: organization.token, method: 'PATCH', body: { backend: 'custom', fallbackURL } });
  const redirect = 'https://login.example/in?a=1&location=%2Fstart';
  const late = by(jwtOf(key, { exp: now() - 60 }));

  expect(await resolve(`${base}/start`)).toEqual({ target: 'external', redirect });
  expect(await statusOf(`${base}/start`, late)).toBe(404);
  expect(await resolve(`${base}/start`, { ...late, redirectOnError: true })).toEqual({ target: 'external', redirect });
});
