import { expect, test } from 'vitest';
import { createGitBookIds } from './gitbook-ids.ts';
import { getAnchors } from './sections.ts';

const getNames = (...headings: string[]) =>
  getAnchors(`${headings.map((each) => `## ${each}`).join('\n\n')}\n`).map(({ id, aliases }) => [id, ...aliases]);

test.each<[generator: string, heading: string, anchor: string]>([
  ['GitBook', 'Math & TeX', 'math-and-tex'],
  ['GitBook', '1. Create an app', 'id-1.-create-an-app'],
  ['GitBook', '2.1 KS-F-01: ECDSA', 'id-2.1-ks-f-01-ecdsa'],
  ['GitBook', 'pg_codes (array, required)', 'pg_codes-array-required'],
  ['GitBook', 'Package (PDF + QR code)', 'package-pdf-qr-code'],
  ['GitBook with split camel case', 'GitBook and OpenAPI', 'git-book-and-open-api'],
  ['GitBook with split camel case', 'The fooBar option', 'the-foo-bar-option'],
  ['GitBook in Latin letters', 'Größe ändern', 'grosse-andern'],
  ['GitBook in Latin letters', 'Установка и запуск', 'ustanovka-i-zapusk'],
  ['GitHub', "What's the -> operator", 'whats-the---operator'],
  ['Docusaurus', 'Node.js & npm', 'nodejs--npm'],
  ['Hugo', 'A_b C', 'a_b-c'],
  ['VitePress', '1. Create an app', '_1-create-an-app'],
  ['VitePress', 'A_b: C', 'a-b-c'],
  ['MkDocs', 'Größe -- A & B', 'groe-a-b'],
  ['MkDocs', 'Node.js', 'nodejs'],
])('links of %s to the heading %j work', (_, heading, anchor) => {
  expect(getNames(heading)[0]).toContain(anchor);
});

test('repeated headings get the numbered IDs of each generator', () => {
  const [first = [], second = [], third = []] = getNames('1. Set up', '1. Set up', '1. Set up');

  expect(first).toEqual(['1-set-up', 'id-1.-set-up', '_1-set-up']);
  expect(second).toEqual(
    expect.arrayContaining(['1-set-up-2', '1-set-up-1', 'id-1.-set-up-1', '_1-set-up-1', '1-set-up_1']),
  );
  expect(third).toEqual(expect.arrayContaining(['1-set-up-3', '1-set-up-2', 'id-1.-set-up-2', '1-set-up_2']));
});

test('a plain heading has no further ids', () => {
  expect(getNames('Set up')).toEqual([['set-up']]);
});

test('limits the number and length of IDs, and computes them in linear time', () => {
  const start = process.threadCpuUsage();
  const ids = createGitBookIds(Array.from({ length: 50_000 }, (_, index) => `${index}. A & ${'bC '.repeat(1_000)}`));
  const { user, system } = process.threadCpuUsage(start);

  expect((user + system) / 1000).toBeLessThan(1_500);
  expect(ids.flat().length).toBeLessThanOrEqual(5_000);
  expect(Math.max(...ids.flat().map(({ length }) => length))).toBeLessThan(1_000);
});
