import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

export const root = path.resolve(import.meta.dirname, '../..');

export const readDocument = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/**
 * Returns the fenced code blocks of a text, in order.
 * @throws Error if their languages differ from `languages`, so that no block is left untested.
 */
export function getBlocks(text: string, ...languages: string[]): string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const found = blocks.map(([, language]) => language);
  if (found.join() !== languages.join())
    throw new Error(`There are blocks in ${found.join(', ')}, and not in ${languages.join(', ')}.`);
  return blocks.map(([, , block = '']) => block);
}

/** Returns a section of a document by its title. */
export const getSection = (text: string, title: string): string =>
  text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';

/**
 * Turns a JSON example into a pattern. A string that ends in an ellipsis matches texts with this beginning. A timestamp
 * matches any timestamp.
 */
export const getPattern = (example: string): unknown =>
  JSON.parse(example, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, beginning] = /^(.*?)(?:…|\.\.\.)$/.exec(value) ?? [];
    if (beginning !== undefined) return expect.stringMatching(new RegExp(`^${beginning}.+$`, 's'));
    return times.test(value) ? expect.stringMatching(times) : value;
  });

const times = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
