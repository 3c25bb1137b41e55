import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTree, publishedTree, renderTree, treeOfJson } from '@octavo/markdown';
import { expect, test } from 'vitest';
import { faultsOf } from '../../support/official-documents.ts';

const own = fileURLToPath(new URL('../../../docs/', import.meta.url));
const manual = join(dirname(createRequire(import.meta.url).resolve('npm/package.json')), 'docs/content');

const files = [own, manual].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, join(folder, name)] as const),
);

test.each(files)(
  '%s comes back byte for byte from its tree, and from a document that is as described',
  (_name, path) => {
    const markdown = readFileSync(path, 'utf8');
    const published = publishedTree(parseTree(markdown, { keepsSources: true }), {
      includes: () => 'rc_a',
      isKept: true,
    });
    const given = JSON.parse(JSON.stringify(published)) as typeof published;

    expect(renderTree(parseTree(markdown))).toBe(markdown);
    expect(faultsOf(given)).toEqual([]);
    expect(renderTree(treeOfJson(given))).toBe(markdown);
  },
);

test('the files are those of two manuals', () => {
  expect(files.length).toBeGreaterThan(100);
});
