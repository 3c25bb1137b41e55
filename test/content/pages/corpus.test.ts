import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTree, publishedTree, renderTree, treeOfJson } from '@octavo/markdown';
import { expect, test } from 'vitest';
import { book } from '../../cli/real-book.ts';
import { faultsOf } from '../../support/official-documents.ts';
import { countsIn, countsOfSource } from './corpus-counts.ts';

const packages = join(import.meta.dirname, '../../node_modules');

const corpora: [name: string, folder: string, files: number][] = [
  ['our own documentation', join(import.meta.dirname, '../../../docs'), 35],
  ['the manual of npm', join(packages, 'npm/docs/content'), 80],
  ['fastify', join(packages, 'fastify/docs'), 40],
  ['undici', join(packages, 'undici/docs/docs'), 40],
  ['pino', join(packages, 'pino/docs'), 14],
  ['GitBook', join(packages, 'gitbook/docs'), 25],
  ['what Docusaurus makes', join(packages, 'create-docusaurus/templates'), 15],
  ['a large book', book, 35],
];

test.each(corpora)(
  'each text of %s comes back byte for byte, and its document is as described and holds what the text does',
  (_name, folder, least) => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.mdx?$/.test(name));
    expect(files.length).toBeGreaterThanOrEqual(least);
    for (const name of files) {
      const markdown = readFileSync(join(folder, name), 'utf8');
      const published = publishedTree(parseTree(markdown, { keepsSources: true }), {
        includes: () => 'rc_a',
        isKept: true,
      });
      const given = JSON.parse(JSON.stringify(published)) as typeof published;

      expect(renderTree(parseTree(markdown)) === markdown, name).toBe(true);
      expect(faultsOf(given), name).toEqual([]);
      expect(renderTree(treeOfJson(given)) === markdown, name).toBe(true);
      const held = countsIn(given);
      const lost = Object.entries(countsOfSource(markdown)).filter(([kind, count]) => (held[kind] ?? 0) < count);
      expect(lost, name).toEqual([]);
    }
  },
);

test('the count of what a text holds knows each kind of block', () => {
  const markdown =
    '# A\n\n```js\n![x](y)\n```\n\n| a | b |\n| - | - |\n\n![a](b.png) `![c](d)`\n\n<details>\n\n:::tip\nx\n:::\n\n{% embed url="x" %}\n';
  const each = { heading: 1, code: 1, table: 1, image: 1, expandable: 1, hint: 1, embed: 1 };
  expect(countsOfSource(markdown)).toEqual(each);
  expect(countsIn({ object: 'document', data: {}, nodes: [{ type: 'hint', nodes: [{ type: 'image' }] }] })).toEqual({
    hint: 1,
    image: 1,
  });
});
