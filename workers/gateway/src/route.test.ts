import { expect, test } from 'vitest';
import { findResponder, matchRoute, toLoggedPath } from './route.ts';

const settings = { OCTAVO_PUBLIC_URL: 'https://octavo.example.com' };
const key = 'Ab3_-'.padEnd(22, 'x');

test.each([
  ['/sign-in/secret', '/sign-in/…'],
  ['/SIGN-IN//secret/more', '/SIGN-IN//…'],
  ['/%73ign-in/secret', '/sign-in/…'],
  ['/sign%2Din%2fsecret', '/sign-in/…'],
  ['/sign-in%5Csecret', '/sign-in\\…'],
  ['/%2573ign-in%25252Fsecret', '/sign-in/…'],
  ['/x%/sign-in%2F%0Asecret', '/x%/sign-in/…'],
  ['/v1/orgs/org_1/invites/secret', '/v1/orgs/org_1/invites/…'],
  ['/v1/orgs/org_1/link-invites/secret/', '/v1/orgs/org_1/link-invites/…'],
  ['/v1/orgs/org_1/link-invites', '/v1/orgs/org_1/link-invites'],
  ['/v1/orgs/%6Frg_1/link%2Dinvite%73/secret', '/v1/orgs/org_1/link-invites/…'],
  ['/v1/spaces/a%20b/content', '/v1/spaces/a%20b/content'],
])('%s is logged as %s', (path, logged) => {
  expect(toLoggedPath({ hostname: '127.0.0.1', pathname: path }, settings)).toBe(logged);
});

test('limits a logged path to 512 characters', () => {
  expect(toLoggedPath({ hostname: '127.0.0.1', pathname: `/${'x'.repeat(1000)}` }, settings)).toHaveLength(512);
});

test.each([
  ['octavo.example.com', `/-/acme/docs/${key}/start`, '/-/acme/docs/…/start'],
  ['octavo.example.com', `/-/acme/docs/${key.replace('_', '%255F')}`, '/-/acme/docs/…'],
  ['docs.acme.example', `/${key}`, '/…'],
  ['docs.acme.example', '/sign-in/how', '/sign-in/how'],
])('the logged path of a site at %s contains no key: %s', (hostname, pathname, logged) => {
  expect(toLoggedPath({ hostname, pathname }, settings)).toBe(logged);
});

test.each([
  ['/-/acme/docs/~/search', 'searches'],
  ['/-/acme/docs/~/search.json', 'searches'],
  ['/-/acme/docs/en/~/mcp', 'searches'],
  ['/-/acme/docs/~/pdf', 'jobs'],
  ['/-/acme/docs/~/pdf/', 'jobs'],
  ['/-/acme//docs//~/%70df', 'jobs'],
  ['/-/acme/docs/%7e/search.json/', 'searches'],
  ['/-/acme/docs/en/~/pdf?page=page_1', 'jobs'],
  ['/-/acme/docs/en/~/feedback', 'ratings'],
  ['/-/acme/docs/mcp', 'requests'],
  ['/-/acme/docs/~/mcp/more', 'requests'],
])('a request for %s of a site counts as %s', (path, kind) => {
  const routeMatch = matchRoute('GET', new URL(path, settings.OCTAVO_PUBLIC_URL), settings);

  expect(routeMatch?.target).toMatchObject({ endpoint: { rate: kind } });
});

test.each([
  ['GET', 'https://octavo.example.com/v1', 'gateway'],
  ['GET', 'https://octavo.example.com/v1/', 'gateway'],
  ['HEAD', 'https://octavo.example.com/v1/?x=1', 'gateway'],
  ['GET', 'https://octavo.example.com/', 'gateway'],
  ['POST', 'https://octavo.example.com/health', 'gateway'],
  ['GET', 'https://octavo.example.com/openapi.json?v=1#end', 'gateway'],
  ['OPTIONS', 'https://octavo.example.com/v1/user', 'gateway'],
  ['GET', 'https://octavo.example.com/v1/user', 'api'],
  ['GET', 'https://octavo.example.com/v1/user?next=/health', 'api'],
  ['GET', 'https://octavo.example.com/health/more', 'worker'],
  ['GET', 'https://octavo.example.com/-/acme/docs/health', 'worker'],
  ['GET', 'https://docs.acme.example/health', 'worker'],
  ['GET', 'https://docs.acme.example/v1', 'worker'],
])('%s %s is a request for: %s', (method, url, responder) => {
  expect(findResponder(new Request(url, { method }), settings)).toBe(responder);
});
