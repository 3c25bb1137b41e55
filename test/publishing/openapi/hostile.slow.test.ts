import { beforeAll, expect, test } from 'vitest';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, type SpecClient } from './spec-client.ts';

// Rejected texts are tested next to the parser. This file tests that the platform survives them.

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = getSpecs(platform(), organization);
});

const mebibyte = 1024 * 1024;
const createYaml = (lines: string) => `openapi: 3.1.0\ninfo: {}\npaths: {}\n${lines}`;
const bomb = Array.from({ length: 30 }, (_, level) => {
  const item = level === 0 ? 'x' : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
}).join('\n');
const merged = Array.from({ length: 30 }, (_, level) => {
  const parts = Array.from({ length: 9 }, (_each, index) => (level === 0 ? `{k${index}: 1}` : `*m${level - 1}`));
  return `m${level}: &m${level} {<<: [${parts.join(', ')}]}`;
}).join('\n');
const createDocument = (rest: string) => `{"openapi": "3.1.0", "info": {}, "paths": {}, "x": ${rest}}`;

const refused: [what: string, text: string, message: string][] = [
  ['aliases of aliases', createYaml(bomb), 'too many values'],
  ['an alias of the value that contains it', createYaml('a: &a {b: *a}'), 'nested more than'],
  ['nested lists', createDocument('['.repeat(2 * mebibyte)), 'nested more than'],
  ['nested lists in YAML', createYaml(`a: ${'['.repeat(300_000)}`), 'maxDepth'],
  ['ten million numbers', createDocument(`[${'1,'.repeat(7_900_000)}1]`), 'too many values'],
  ['a million empty objects', createDocument(`[${'{},'.repeat(999_990)}{}]`), 'too many values'],
  ['an unclosed list in YAML', createYaml(`a:\n${'- b\n'.repeat(1_200_000)}`), 'too many values'],
  ['YAML of 6 MiB', createYaml(`a: ${'x'.repeat(6 * mebibyte)}`), '5 MiB'],
  ['a page', `<!doctype html><html>${'<p>'.repeat(mebibyte)}`, 'an HTML or XML page'],
  ['a NUL', `${createDocument('1')}\0`, 'JSON'],
  [
    'an external entity of a file',
    createDocument('{"$ref": "file:///etc/passwd"}').replace('"x"', '"components"'),
    'file:///etc/passwd',
  ],
  ['a reference into a private network', createPetstore('http://169.254.169.254/latest/meta-data/'), '169.254.169.254'],
  [
    'a name that resolves to a private address',
    createPetstore('http://localhost:1/x.json'),
    'http://localhost:1/x.json',
  ],
];

function createPetstore($ref: string): string {
  return JSON.stringify(createPetstoreSpec({ components: { schemas: { Pet: { $ref } } } }));
}

test.each(refused)('%s: rejects it with a reason, while other requests are served', async (what, text, message) => {
  const slug = what.toLowerCase().replace(/[^a-z0-9]+/g, '-');

  const [spec, response] = await Promise.all([
    specs.publish(slug, { text }),
    platform().request('/v1/user', { token: organization.token }),
  ]);

  expect(spec).toMatchObject({
    processingState: 'complete',
    lastProcessErrorCode: 'PARSE_ERROR',
    lastProcessErrorMessage: expect.stringContaining(message),
  });
  expect(spec).not.toHaveProperty('lastVersion');
  expect(response.status).toBe(200);
});

test('accepts YAML aliases that are merged repeatedly', async () => {
  const spec = await specs.publish('merged', { text: createYaml(merged) });

  expect(spec).toMatchObject({ processingState: 'complete' });
});

test('returns circular references unchanged', async () => {
  const circle = {
    components: { schemas: { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } } },
  };

  await specs.publish('circle', { text: JSON.stringify(createPetstoreSpec(circle)) });

  expect((await specs.content('circle')).filesystem[0]?.specification).toEqual(createPetstoreSpec(circle));
});

test('preserves names of inherited object properties, and NUL characters in a text', async () => {
  const text =
    '{"openapi":"3.1.0","info":{"title":"a\\u0000b"},"paths":{},"__proto__":{"polluted":true},"constructor":1}';
  await specs.publish('inherited', { text });

  const content = await platform().request(`${specs.base}/inherited/versions/latest/content`, organization);
  expect(await content.text()).toContain(`"specification":${text}`);
  const fromYaml = `${text.replace('{', '{ # YAML\n')}\n`;
  await specs.publish('inherited-yaml', { text: fromYaml });
  const response = await platform().request(`${specs.base}/inherited-yaml/versions/latest/content`, organization);
  expect(await response.text()).toContain(`"specification":${text}`);
});
