import { beforeAll, expect, test } from 'vitest';
import { getElements, parse } from '../html-tree.ts';
import { createReferenceSite, getWithClass } from './reference-site.ts';
import { createShopSpecification } from './shop.ts';

// The page where readers try an operation.

type Site = Awaited<ReturnType<typeof createReferenceSite>>;

let site: Site;
beforeAll(async () => {
  site = await createReferenceSite(createShopSpecification());
});

const getPanelPath = (more: Record<string, string> = {}) =>
  `~/test?${new URLSearchParams({ spec: 'api', method: 'put', path: '/orders/{id}', ...more })}`;
const getPolicy = (headers: Headers) => headers.get('content-security-policy')?.split('; ') ?? [];

test('the test panel is sandboxed, loads only our files, and calls only the servers of the specification', async () => {
  const { status, html, headers } = await site.read(getPanelPath());

  expect(status).toBe(200);
  expect(getPolicy(headers)).toEqual(
    expect.arrayContaining([
      'sandbox allow-scripts allow-forms allow-popups allow-downloads',
      "script-src 'self'",
      'connect-src https://eu.shop.test http://localhost:4010',
      "frame-ancestors 'none'",
    ]),
  );
  const scripts = getElements(parse(html)).filter(({ tagName }) => tagName === 'script');
  expect(scripts).toHaveLength(2);
  for (const { properties, children } of scripts) {
    expect(children).toEqual([]);
    expect((await site.read(String(properties.src))).status).toBe(200);
  }
});

test('the page of an operation links to the test panel, and keeps its stricter policy', async () => {
  const { html, headers } = await site.read('replaceorder');
  const [button] = getWithClass(html, 'test');

  expect((await site.read(String(button?.properties.dataHref))).status).toBe(200);
  expect(headers.get('content-security-policy')).not.toContain('unsafe-inline');
  expect(getPolicy(headers)).toContain("connect-src 'self'");
});

test.each([
  ['an unknown operation', { path: '/none' }],
  ['an unknown specification', { spec: 'other' }],
  ['an unknown method', { method: 'get' }],
  ['a key that objects inherit', { path: '__proto__', method: 'constructor' }],
])('there is no test panel for %s', async (_what, more) => {
  expect((await site.read(getPanelPath(more))).status).toBe(404);
});

test.each([
  ['the specification hides it', { 'x-hideTryItPanel': true }],
  [
    'no server has an HTTPS URL',
    { servers: [{ url: 'javascript:alert(1)' }, { url: 'http://shop.test' }, { url: '/v1' }] },
  ],
  ['the URL of a server contains a policy directive', { servers: [{ url: 'https://a.test;script-src *' }] }],
])('there is no test panel and no button for it if %s', async (_what, more) => {
  const other = await createReferenceSite(createShopSpecification(more));

  expect((await other.read(getPanelPath())).status).toBe(404);
  expect(getWithClass((await other.read('replaceorder')).html, 'test')).toEqual([]);
});

test('visitors who cannot see the pages of a specification cannot use the test panel', async () => {
  const other = await createReferenceSite({ openapi: '3.1.0', info: {}, paths: {} });
  await other.publish('inner', createShopSpecification());
  const block = '{% openapi-operation spec="inner" path="/orders/{id}" method="put" %}\n{% endopenapi-operation %}';
  await other.write('Staff', `Words.\n\n{% if visitor.claims.unsigned.staff %}\n${block}\n{% endif %}\n`);

  const [hidden, visiblePage] = [await other.read('staff'), await other.read('staff?visitor.staff=true')];
  expect([hidden.status, hidden.html.includes('shop.test')]).toEqual([200, false]);
  expect((await other.read(getPanelPath({ spec: 'inner' }))).status).toBe(404);
  expect(visiblePage.status).toBeLessThan(400);
});
