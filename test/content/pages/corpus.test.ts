import { readdirSync, readFileSync } from 'node:fs';
import { parseTree, renderTree } from '@octavo/markdown';
import { expect, test } from 'vitest';

const folder = new URL('../../../docs/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.md'));

test.each(files)('docs/%s comes back from its tree byte for byte', (name) => {
  const markdown = readFileSync(new URL(name, folder), 'utf8');
  expect(renderTree(parseTree(markdown))).toBe(markdown);
});
