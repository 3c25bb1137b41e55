import { beforeAll, expect, test } from 'vitest';
import type { OpenSite } from '../publishing/audiences/open-site.ts';
import { getAuthKey, openSite, signVisitorJwt } from '../publishing/audiences/open-site.ts';
import { createPetstoreSpec, getSpecs, getText } from '../publishing/openapi/spec-client.ts';
import { edit } from '../support/content.ts';
import { platform } from '../support/platform.ts';

const mebibyte = 1024 * 1024;
/** Each request takes less than a second on its own. An algorithm that is not near-linear takes minutes. */
const longestMilliseconds = 20_000;

let site: OpenSite;
beforeAll(async () => {
  site = await openSite('visitor-auth');
});

async function measureVisit(name: string, work: () => Promise<Response>): Promise<number> {
  const started = performance.now();
  const { status } = await work();
  expect([name, performance.now() - started]).toEqual([name, expect.toSatisfy((time) => time < longestMilliseconds)]);
  return status;
}

const resolve = (url: string, visitor: object = site.visitor) =>
  platform().request('/v1/urls/published', { body: { url, visitor } });
const manage = (path: string, method: string, body: object) =>
  platform().request(`${site.path}${path}`, { token: site.organization.token, method, body });

const createNestedObject = (depth: number): object => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

const paths: Record<string, string> = {
  'many segments': '/a'.repeat(4000),
  'many slashes': '/'.repeat(8000),
  'many escapes': '/%2F'.repeat(2000),
  'an incomplete escape at the end': `/${'%41'.repeat(2600)}%`,
  'many dots': '/..'.repeat(2600),
  'segments that could be keys': `/${'x'.repeat(22)}`.repeat(340),
  'many old addresses': '/begin'.repeat(1300),
  'one long segment': `/${'start'.repeat(1600)}`,
};

test.each(Object.entries(paths))('resolves a URL of %s within the time limit', async (name, path) => {
  const url = `${site.base}${path}`.slice(0, 8192);
  const source = `?source=${encodeURIComponent(path.slice(0, 2000))}`;

  expect([200, 400, 404]).toContain(await measureVisit(name, () => resolve(url)));
  const lookUpRedirect = () => platform().request(`${site.path}/redirect${source}`, { token: site.token });
  expect([400, 404]).toContain(await measureVisit(name, lookUpRedirect));
});

const conditions: Record<string, string> = {
  'too long': `visitor.claims.a${' '.repeat(mebibyte - 200)}`,
  'many brackets': '('.repeat(1000),
  'closed brackets': `${'('.repeat(500)}1${')'.repeat(500)}`,
  'many operators': `${'!'.repeat(1000)}1`,
  'many lists': `${'['.repeat(500)}${']'.repeat(500)}`,
  'many conditional operators': `${'1?'.repeat(300)}1${':1'.repeat(300)}`,
  'many sums': `${'"x"+'.repeat(250)}"x"`,
  'many members': `visitor${'.a'.repeat(500)}`,
  'an unclosed string': `"${'\\'.repeat(1000)}`,
};

test.each(Object.entries(conditions))(
  'rejects or evaluates a condition of %s within the time limit',
  async (name, condition) => {
    const request = { method: 'PATCH', body: { condition } };
    const part = `/site-spaces/${site.ids.siteSpaceId}`;
    const status = await measureVisit(name, () => manage(part, request.method, request.body));

    expect([200, 400]).toContain(status);
    expect([200, 404]).toContain(await measureVisit(name, () => resolve(`${site.base}/start`)));
    expect((await manage(part, 'PATCH', { condition: null })).status).toBe(200);
  },
);

test('reads or rejects deep and numerous claims within the time limit', async () => {
  const key = getAuthKey(site.site);
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`claim${index}`, index]));
  const claims = {
    deep: createNestedObject(600),
    deeper: createNestedObject(1500),
    many,
    long: { a: 'x'.repeat(8000) },
  };

  for (const [name, each] of Object.entries(claims)) {
    const jwtToken = signVisitorJwt(key, each);
    expect([name, [200, 400, 404].includes(await measureVisit(name, () => resolve(site.base, { jwtToken })))]).toEqual([
      name,
      true,
    ]);
    const visitor = { ...site.visitor, unsignedClaims: each };
    expect([name, [200, 400].includes(await measureVisit(name, () => resolve(site.base, visitor)))]).toEqual([
      name,
      true,
    ]);
  }
  const more = { ...site.visitor, unsignedClaims: { a: 'x'.repeat(65_536) } };
  expect(await measureVisit('too large', () => resolve(site.base, more))).toBe(413);
});

test('rejects a schema with patterns, so visitor claims are matched against none', async () => {
  const slow = '^(a+)+$';
  const createSchema = (more: object) => ({
    jsonSchema: { type: 'object', additionalProperties: false, properties: { plan: { type: 'string', ...more } } },
  });

  for (const more of [{ pattern: slow }, { format: 'regex' }, { allOf: [{ pattern: slow }] }, { $ref: '#' }])
    expect([more, await measureVisit('schema', () => manage('/adaptive-schema', 'PUT', createSchema(more)))]).toEqual([
      more,
      400,
    ]);
  expect(await measureVisit('schema', () => manage('/adaptive-schema', 'PUT', createSchema({})))).toBe(200);
  const jwtToken = signVisitorJwt(getAuthKey(site.site), { plan: `${'a'.repeat(3000)}!` });
  expect(await measureVisit('claims', () => resolve(`${site.base}/start`, { jwtToken }))).toBe(200);
});

test('patterns of a specification are not executed', async () => {
  const pattern = '^(a+)+$';
  const schema = { type: 'string', pattern, example: `${'a'.repeat(5000)}!`, default: `${'a'.repeat(5000)}!` };
  const parameters = [{ name: 'q', in: 'query', schema }];
  const get = { tags: ['Pets'], parameters, responses: { 200: { description: 'ok' } } };
  const document = createPetstoreSpec({ paths: { '/pets': { get } }, components: { schemas: { Pet: schema } } });
  const started = performance.now();
  const spec = await getSpecs(platform(), site.organization).publish('patterns', getText(document));

  expect(spec.lastProcessErrorCode).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(longestMilliseconds);
});

const hosts = ['a.'.repeat(250), `${'a-'.repeat(250)}.test`, `${'a'.repeat(63)}.`.repeat(8), `${'-'.repeat(500)}a.b.c`];
const sources = [
  '/a'.repeat(250),
  `${'/%41'.repeat(120)}%`,
  `/${'.'.repeat(500)}`,
  '/*'.repeat(250),
  `/${'a*'.repeat(200)}`,
];

test('rejects slow hostnames, paths and sources within the time limit', async () => {
  for (const hostname of hosts) {
    expect([200, 400]).toContain(await measureVisit(hostname, () => manage('', 'PATCH', { hostname })));
    const proxy = `${hostname}/${'a/'.repeat(100)}`;
    expect([200, 400]).toContain(await measureVisit(proxy, () => manage('', 'PATCH', { proxy })));
  }
  const destination = { kind: 'external', url: 'https://a.test/' };
  for (const source of sources)
    expect([201, 400]).toContain(
      await measureVisit(source, () => manage('/redirects', 'POST', { source, destination })),
    );
  const bulk = {
    redirects: Array.from({ length: 500 }, (_, index) => ({ source: `/b${index}${'/a'.repeat(240)}`, destination })),
  };
  expect(await measureVisit('bulk', () => manage('/redirects', 'PUT', bulk))).toBe(200);
});

test('responds to hostile visitor searches within the time limit', async () => {
  const space = { id: site.ids.spaceId ?? '', token: site.organization.token };
  await edit(space, [{ operation: 'insert_page', title: 'Long', document: { markdown: 'a '.repeat(10_000) } }]);
  for (const query of [
    '"'.repeat(512),
    'a '.repeat(256),
    '(a OR '.repeat(85),
    '*'.repeat(512),
    `${'a'.repeat(511)}*`,
  ]) {
    const search = () => platform().request(`${site.path}/search`, { token: site.token, body: { query, mode: 'all' } });
    expect(await measureVisit(query, search)).toBe(200);
  }
});
