import { createHmac, createSign } from 'node:crypto';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { getSharedIdentity } from '../support/sign-in.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hour = 3600;
const now = Math.floor(Date.now() / 1000);
const { certificate, privateKey } = getSharedIdentity();

type Sign = (text: string) => string;
const signWithNothing: Sign = () => '';
const signWithHmac =
  (key: string): Sign =>
  (text) =>
    createHmac('sha256', key).update(text).digest('base64url');
const signWithRsa: Sign = (text) => createSign('sha256').update(text).sign(privateKey, 'base64url');

const attacks: [string, object, object, Sign][] = [
  ['with the algorithm none', { alg: 'none' }, {}, signWithNothing],
  ['with the algorithm none in another case', { alg: 'nOnE' }, {}, signWithNothing],
  ['signed with HS256 and a public certificate', { alg: 'HS256' }, {}, signWithHmac(certificate)],
  ['signed with HS256 and an empty key', { alg: 'HS256' }, {}, signWithHmac('')],
  ['signed with RS256 and an unknown key', { alg: 'RS256' }, {}, signWithRsa],
  ['with a key in its header', { alg: 'RS256', x5c: [certificate] }, {}, signWithRsa],
  ['with a kid that is a path', { alg: 'HS256', kid: '../../../../dev/null' }, {}, signWithHmac('')],
  [
    'with a kid that is a URL',
    { alg: 'RS256', kid: 'http://127.0.0.1:9/key', jku: 'http://127.0.0.1:9/' },
    {},
    signWithRsa,
  ],
  ['that has expired', { alg: 'RS256' }, { exp: now - hour }, signWithRsa],
  ['for another audience', { alg: 'RS256' }, { aud: 'https://other.test' }, signWithRsa],
];

test.each(attacks)('a JWT %s is not a token', async (_, header, more, sign) => {
  const { request, makeUser, makeOrganization } = platform();
  const { user } = await makeUser();
  const { id } = await makeOrganization();
  const claims = { sub: user, iss: platform().url, aud: platform().url, iat: now, exp: now + hour, ...more };
  const text = `${encode({ typ: 'JWT', ...header })}.${encode(claims)}`;
  const token = `${text}.${sign(text)}`;

  for (const path of ['/v1/user', `/v1/orgs/${id}`, `/v1/orgs/${id}/saml`]) {
    expect((await request(path, { token })).status).toBe(401);
  }
  const { url } = platform();
  expect((await fetch(new URL(`/v1/user?access_token=${token}`, url))).status).toBe(401);
  expect((await fetch(new URL('/v1/user', url), { headers: { cookie: `token=${token}` } })).status).toBe(401);
});

test('the API accepts no cookie, not even that of a sign-in', async () => {
  const { request, makeUser } = platform();
  const { token } = await makeUser();

  const response = await request('/v1/user', { headers: { cookie: `octavo_sso=${token}; token=${token}` } });

  expect(response.status).toBe(401);
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
});
