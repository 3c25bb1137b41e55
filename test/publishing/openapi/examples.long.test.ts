import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getShare } from '../../support/random.ts';
import { getSpecs, type SpecClient } from './spec-client.ts';

const folder = path.dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'));
const documents = ['2.0', '3.0', '3.1'].flatMap((version) =>
  readdirSync(path.join(folder, version), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:json|yaml)$/.test(file))
    .map((file) => `${version}/${file}`),
);

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The only example without operations. */
const empty = '3.0/json/openapi-workshop/title.json';

let specs: SpecClient;
beforeAll(async () => {
  specs = getSpecs(platform(), await platform().makeOrganization());
});

test('there are 129 example documents', () => {
  expect(documents).toHaveLength(129);
});

test.each(getShare(documents, 2))('processes %s and generates pages', async (file) => {
  const slug = file.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const text = readFileSync(path.join(folder, file), 'utf8');

  const spec = await specs.publish(slug, { text });

  expect(spec).toMatchObject({ processingState: 'complete', lastVersion: expect.any(String) });
  expect(spec).not.toHaveProperty('lastProcessErrorCode');
  const specification = (await specs.content(slug)).filesystem[0]?.specification;
  expect(specification).toHaveProperty('openapi', expect.stringMatching(/^3\.[01]\./));
  const operations = query<{ path: string; method: string }>(
    "SELECT path, method FROM openapi_entries WHERE version = ? AND kind = 'operation'",
    spec.lastVersion ?? '',
  );
  const written = Object.entries((specification?.paths ?? {}) as Record<string, object>).flatMap(([at, item]) =>
    Object.keys(item)
      .filter((method) => methods.includes(method))
      .map((method) => `${method} ${at}`),
  );
  expect(operations.map(({ method, path: at }) => `${method} ${at}`)).toEqual(expect.arrayContaining(written));
  const pages = query('SELECT 1 FROM openapi_entries WHERE version = ?', spec.lastVersion ?? '');
  expect(pages.length > 0).toBe(file !== empty);
});
