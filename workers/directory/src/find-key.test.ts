import { hashText } from '@octavo/runtime';
import { expect, test } from 'vitest';
import type { DirectoryEnvironment } from './environment.ts';
import { findKey } from './find-key.ts';

const env = {
  OCTAVO_PUBLIC_URL: 'https://octavo.test',
  OCTAVO_SITES_URL: 'https://{organization}.docs.test',
} as DirectoryEnvironment;

const find = async (address: string, init: RequestInit = {}) => {
  const url = new URL(address, env.OCTAVO_PUBLIC_URL);
  const key = await findKey(new Request(url, init), url, env);
  return key && `${key.kind}/${key.value}`;
};

test.each([
  ['/v1/orgs/org_a/members', 'organization/org_a'],
  ['/v1/orgs/org_AbC', 'organization/org_abc'],
  ['/integrations/A.Tool/hook', 'integration/a.tool'],
  ['/v1/spaces/spc_AbC', 'space/spc_AbC'],
  ['/v1/collections/col_a/permissions', 'collection/col_a'],
  ['/v1/integrations/a.tool', 'integration/a.tool'],
  ['/integrations/tool/installations/ins_a/script.js', 'installation/ins_a'],
  ['/integrations/tool/hook', 'integration/tool'],
  ['/integration-images/tool', 'integration/tool'],
  ['/files/org_a/0123/a.png', 'organization/org_a'],
  ['/uploads/org_a/upl_a', 'organization/org_a'],
  ['/openapi/oas_a/openapi.json', 'openapi-spec/oas_a'],
  ['/pdf/pdf_a/book.pdf', 'pdf/pdf_a'],
  ['/sso/saml/saml_a/acs', 'saml-provider/saml_a'],
  ['/app/spaces/spc_a/content', 'space/spc_a'],
  ['/v1/urls/published?url=https%3A%2F%2Facme.docs.test%2Fguide%2F', 'organization/acme'],
  ['https://acme.docs.test/guide/page', 'organization/acme'],
  ['https://Docs.Acme.example', 'site/docs.acme.example'],
  ['https://docs.acme.example/Guide/%61/a.png/b', 'site/docs.acme.example/Guide/a'],
  ['https://docs.acme.example/1/2/3/4/5/6/7/8/9', 'site/docs.acme.example/1/2/3/4/5/6/7/8'],
  [`https://docs.acme.example/a/${'b'.repeat(500)}`, 'site/docs.acme.example/a'],
])('finds the object of %s: %s', async (address, key) => {
  expect(await find(address)).toBe(key);
});

test.each([
  '/',
  '/health',
  '/v1',
  '/v1/orgs',
  '/v1/user',
  '/v1/orgs/a%2Fb',
  '/v1/urls/published',
  '/v1/spaces/%00',
  '/-/org_a/handbook',
  'https://acme.docs.test/',
])('%s names nothing', async (address) => {
  expect(await find(address)).toBeUndefined();
});

test('a session determines the key in the app, but not on the pages for signing in', async () => {
  const secret = `octavo_${'a'.repeat(40)}`;
  const headers = { cookie: `__Host-octavo_session=${secret}.1700000000` };
  const key = `token/${await hashText(secret)}`;

  for (const path of ['/v1/user', '/app', '/app/spaces/spc_a', '/logout'])
    expect(await find(path, { headers })).toBe(key);
  expect(await find('/sso/saml/saml_a/start', { headers })).toBe('saml-provider/saml_a');
  expect(await find('/login', { headers })).toBeUndefined();
});

test('a user token takes precedence over the path, and is passed as its hash', async () => {
  const authorization = 'Bearer octavo_secret';

  expect(await find('/v1/spaces/spc_a', { headers: { authorization } })).toBe(
    `token/${await hashText('octavo_secret')}`,
  );
});

const session = `octavo_${'a'.repeat(40)}`;
const cookie = `theme=dark; __Host-octavo_session=${session}.1900000000`;

test.each(['/v1/user', '/app', '/app/spaces/spc_a', '/logout', '/~/assets/app.js'])(
  '%s is found by the session of the browser, unless another token is sent',
  async (path) => {
    expect(await find(path, { headers: { cookie } })).toBe(`token/${await hashText(session)}`);
    const authorization = 'Bearer octavo_secret';
    expect(await find(path, { headers: { cookie, authorization } })).toBe(`token/${await hashText('octavo_secret')}`);
  },
);

test.each([
  ['/sso/saml/saml_a/start', 'saml-provider/saml_a'],
  ['/sign-in/a-secret', `sign-in-link/${await hashText('a-secret')}`],
  ['/files/org_a/0123/a.png', 'organization/org_a'],
  ['https://acme.docs.test/guide/', 'organization/acme'],
])('%s is found by %s, whatever session the browser has', async (path, key) => {
  expect(await find(path, { headers: { cookie } })).toBe(key);
});

test('the form for signing in with a token uses this token', async () => {
  const body = 'to=%2Fapp&token=+octavo_secret+';
  const headers = { 'content-length': String(body.length) };

  expect(await find('/login/token', { method: 'POST', body, headers })).toBe(
    `token/${await hashText('octavo_secret')}`,
  );
  expect(await find('/login/token', { method: 'POST', body: 'token=', headers })).toBeUndefined();
});

test('ignores a visitor token and uses the path', async () => {
  expect(await find('/v1/spaces/spc_a', { headers: { authorization: 'Bearer a.b.c' } })).toBe('space/spc_a');
});

test('a page of a site is found by its address, whatever token is sent', async () => {
  const headers = { authorization: 'Bearer octavo_secret' };

  expect(await find('https://acme.docs.test/guide/', { headers })).toBe('organization/acme');
});

test('a server without a configured host finds sites at every name of the machine', async () => {
  const url = new URL('http://localhost:8787/-/org_a/handbook');
  const local = { OCTAVO_PUBLIC_URL: 'http://127.0.0.1:8787' } as DirectoryEnvironment;

  expect(await findKey(new Request(url), url, local)).toEqual({ kind: 'organization', value: 'org_a' });
});

test('the secret of a sign-in link is passed as its hash', async () => {
  expect(await find('/sign-in/a-secret')).toBe(`sign-in-link/${await hashText('a-secret')}`);
});

test('the URL of a published page is read from a small body, which is still forwarded', async () => {
  const url = new URL('/v1/urls/published', env.OCTAVO_PUBLIC_URL);
  const body = JSON.stringify({ url: 'https://docs.acme.example/page' });
  const createRequest = (length: number) =>
    new Request(url, { method: 'POST', body, headers: { 'content-length': String(length) } });
  const request = createRequest(body.length);

  expect(await findKey(request, url, env)).toEqual({ kind: 'site', value: 'docs.acme.example/page' });
  expect(await request.text()).toBe(body);
  expect(await findKey(createRequest(65_537), url, env)).toBeUndefined();
});
