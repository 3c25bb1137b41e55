import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkTexts } from './corpus.ts';
import { countDocumentBlocks, countSourceBlocks } from './corpus-counts.ts';

const packages = join(import.meta.dirname, '../../node_modules');

test.each<[name: string, folder: string, files: number]>([
  ['our own documentation', join(import.meta.dirname, '../../../docs'), 35],
  ['undici', join(packages, 'undici/docs/docs'), 40],
  ['pino', join(packages, 'pino/docs'), 14],
  ['GitBook', join(packages, 'gitbook/docs'), 25],
  ['the template of Docusaurus', join(packages, 'create-docusaurus/templates'), 15],
])(
  'returns each text of %s unchanged, and its document matches the schema and loses no block',
  (_name, folder, least) => {
    checkTexts(folder, least);
  },
);

test('the reference implementation counts each kind of block', () => {
  const markdown =
    '# A\n\n```js\n![x](y)\n```\n\n| a | b |\n| - | - |\n\n![a](b.png) `![c](d)`\n\n<details>\n\n:::tip\nx\n:::\n\n{% embed url="x" %}\n';
  const each = { heading: 1, code: 1, table: 1, image: 1, expandable: 1, hint: 1, embed: 1 };
  expect(countSourceBlocks(markdown)).toEqual(each);
  expect(
    countDocumentBlocks({ object: 'document', data: {}, nodes: [{ type: 'hint', nodes: [{ type: 'image' }] }] }),
  ).toEqual({
    hint: 1,
    image: 1,
  });
});
