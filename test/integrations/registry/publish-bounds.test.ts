import { beforeAll, expect, test } from 'vitest';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createUniqueName, getIntegration, sendPublish } from './registry-client.ts';

let owner: TestOrganization;
beforeAll(async () => {
  owner = await platform().makeOrganization();
});

const createProperty = (each: object) => ({ configurations: { account: { properties: { a: each } } } });
const repeatItem = (length: number, item: (index: number) => unknown) =>
  Array.from({ length }, (_, index) => item(index));

test.each<[string, object, string]>([
  ['a title of one character', { title: 'A' }, 'body.title'],
  ['a title of 31 characters', { title: 'A'.repeat(31) }, 'body.title'],
  ['a title of two lines', { title: 'A\nB' }, 'body.title'],
  ['a description of 101 characters', { description: 'A'.repeat(101) }, 'body.description'],
  ['no description', { description: undefined }, 'body.description'],
  ['a summary of 2049 characters', { summary: 'A'.repeat(2049) }, 'body.summary'],
  ['no script', { script: undefined }, 'body.script'],
  ['an empty script', { script: '' }, 'body.script'],
  ['no organization', { organization: undefined }, 'body.organization'],
  ['another runtime', { runtime: 'v3' }, 'body.runtime'],
  ['another visibility', { visibility: 'hidden' }, 'body.visibility'],
  ['another target', { target: 'page' }, 'body.target'],
  ['an unknown scope', { scopes: ['space:everything'] }, 'body.scopes.0'],
  ['an unknown category', { categories: ['games'] }, 'body.categories.0'],
  ['four preview images', { previewImages: repeatItem(4, () => 'QUJD') }, 'body.previewImages'],
  ['an icon in invalid base64', { icon: 'not base64!' }, 'body.icon'],
  ['two blocks with the same id', { blocks: repeatItem(2, () => ({ id: 'a', title: 'AA' })) }, 'body.blocks'],
  ['a block with a short title', { blocks: [{ id: 'a', title: 'A' }] }, 'body.blocks.0.title'],
  [
    'a block with a long description',
    { blocks: [{ id: 'a', title: 'AA', description: 'A'.repeat(151) }] },
    'body.blocks.0.description',
  ],
  ['six links', { externalLinks: repeatItem(6, () => ({ url: 'https://a.test', label: 'A' })) }, 'body.externalLinks'],
  [
    'a link that runs code',
    { externalLinks: [{ url: 'javascript:alert(1)', label: 'A' }] },
    'body.externalLinks.0.url',
  ],
  [
    'twenty-one secrets',
    { secrets: Object.fromEntries(repeatItem(21, (index) => [`s${index}`, 'x']) as [string, string][]) },
    'body.secrets',
  ],
  ['a secret that is not a string', { secrets: { a: 1 } }, 'body.secrets.a'],
  ['a property with a short title', createProperty({ type: 'string', title: 'A' }), 'body.configurations'],
  [
    'a property with a title of 51 characters',
    createProperty({ type: 'string', title: 'A'.repeat(51) }),
    'body.configurations',
  ],
  ['a property of another type', createProperty({ type: 'date' }), 'body.configurations'],
  ['a button without an address', createProperty({ type: 'button', button_text: 'A' }), 'body.configurations'],
  [
    'a default that is not one of the choices',
    createProperty({ type: 'string', enum: ['a'], default: 'b' }),
    'body.configurations',
  ],
  ['a default that is not a number', createProperty({ type: 'number', default: 'one' }), 'body.configurations'],
  [
    'a policy with a control character',
    { contentSecurityPolicy: "default-src 'self'\u0000" },
    'body.contentSecurityPolicy',
  ],
  ['an unknown event', { events: ['space.exploded'] }, 'body.events.0'],
  ['a webhook that is not a URL', { webhook: 'tool.test' }, 'body.webhook'],
  ['a webhook of another scheme', { webhook: 'ftp://tool.test/' }, 'body.webhook'],
  [
    'more data than the limit for one integration',
    { blocks: repeatItem(100, (id) => ({ id: `${id}`, title: 'AA', icon: 'i'.repeat(2000) })) },
    'body.blocks',
  ],
])('rejects %s, and writes nothing', async (_, more, place) => {
  const name = createUniqueName();

  const response = await sendPublish(owner, name, more);

  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { issues: { path: string }[] } };
  expect(error.issues.map(({ path }) => path).some((path) => path.startsWith(place))).toBe(true);
  expect((await getIntegration(name, owner.token)).status).toBe(404);
});

const addMisspeltField = (each: object): [object, string] => [
  createProperty({ ...each, secrte: true }),
  'body.configurations.account.properties.a.secrte',
];

test.each([
  addMisspeltField({ type: 'string' }),
  addMisspeltField({ type: 'number' }),
  addMisspeltField({ type: 'boolean' }),
  addMisspeltField({ type: 'button', callback_url: '/a', button_text: 'A' }),
  [createProperty({ type: 'number', secret: true }), 'body.configurations.account.properties.a.secret'],
])('rejects the unknown field in %o with its path', async (more, place) => {
  const response = await sendPublish(owner, createUniqueName(), more);

  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { issues: object[] } };
  expect(error.issues).toEqual([{ path: place, message: expect.any(String) }]);
});

test('rejects unknown fields at any depth', async () => {
  const blocks = [{ id: 'a', title: 'AA', beyond: 1 }];
  const configurations = { account: { ...createProperty({ type: 'string' }).configurations.account, beyond: 1 } };
  const response = await sendPublish(owner, createUniqueName(), { blocks, configurations, beyond: 1 });

  expect([response.status, await response.json()]).toMatchObject([
    400,
    {
      error: {
        issues: ['body.blocks.0', 'body.configurations.account', 'body'].map((at) => ({ path: `${at}.beyond` })),
      },
    },
  ]);
});

test('accepts titles of 50 and property titles of 2 characters', async () => {
  const properties = { a: { type: 'string', title: 'A'.repeat(50) }, b: { type: 'string', title: 'AA' } };

  expect((await sendPublish(owner, createUniqueName(), { configurations: { account: { properties } } })).status).toBe(
    200,
  );
});

test('rejects an invalid name', async () => {
  for (const name of ['a%20b', 'a%2Fb', 'ä', 'a'.repeat(101)]) {
    expect((await sendPublish(owner, name)).status).toBe(404);
  }
});

test('limits the listed data of one integration to 64 KB of UTF-8', async () => {
  const createPolicy = (bytes: number) => ({ 'img-src': 'x'.repeat(bytes) });
  const links = {
    blocks: repeatItem(20, (id) => ({
      id: `b${id}`,
      title: 'AA',
      description: 'é'.repeat(150),
      icon: '€'.repeat(900),
    })),
  };
  const name = createUniqueName();
  const { status, text } = await sendPublish(owner, name, {
    ...links,
    summary: '€'.repeat(2048),
    contentSecurityPolicy: createPolicy(2000),
  }).then(async (response) => ({ status: response.status, text: await response.text() }));
  expect([status, text.includes('64 KiB')]).toEqual([400, true]);
  expect((await getIntegration(name, owner.token)).status).toBe(404);
  expect((await sendPublish(owner, name, { ...links, contentSecurityPolicy: createPolicy(1500) })).status).toBe(200);
});
