import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTree, publishTree, readJsonTree, renderTree } from '@octavo/markdown';
import { expect } from 'vitest';
import { getFaults } from '../../support/official-documents.ts';
import { countDocumentBlocks, countSourceBlocks } from './corpus-counts.ts';

/**
 * Checks that each text of a folder round-trips, and that its document matches the schema and has the blocks of the
 * source.
 */
export function checkTexts(folder: string, least: number): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.mdx?$/.test(name));
  expect(files.length).toBeGreaterThanOrEqual(least);
  for (const name of files) {
    const markdown = readFileSync(join(folder, name), 'utf8');
    const published = publishTree(parseTree(markdown, { sources: 'all' }), {
      includes: () => 'rc_a',
      isKept: true,
    });
    const document = JSON.parse(JSON.stringify(published)) as typeof published;

    expect(renderTree(parseTree(markdown)) === markdown, name).toBe(true);
    expect(getFaults(document), name).toEqual([]);
    expect(renderTree(readJsonTree(document)) === markdown, name).toBe(true);
    const held = countDocumentBlocks(document);
    const lost = Object.entries(countSourceBlocks(markdown)).filter(([kind, count]) => (held[kind] ?? 0) < count);
    expect(lost, name).toEqual([]);
  }
}
