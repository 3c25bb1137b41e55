import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

/** The root of the workspace. */
export const root = path.resolve(import.meta.dirname, '../..');

export const documentAt = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** What is fenced in a text, in its order. @throws Error where its languages are others, for then a test leaves one out. */
export function blocksOf(text: string, ...languages: string[]): string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const found = blocks.map(([, language]) => language);
  if (found.join() !== languages.join())
    throw new Error(`There are blocks in ${found.join(', ')}, and not in ${languages.join(', ')}.`);
  return blocks.map(([, , block = '']) => block);
}

/** A section of a document, by its title. */
export const sectionOf = (text: string, title: string): string =>
  text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';

/** What an example of JSON stands for: a text that is cut short for any that begins like it, and a time for any. */
export const patternOf = (example: string): unknown =>
  JSON.parse(example, (_, value) => {
    if (typeof value !== 'string') return value;
    const [, beginning] = /^(.*?)(?:…|\.\.\.)$/.exec(value) ?? [];
    if (beginning !== undefined) return expect.stringMatching(new RegExp(`^${beginning}.+$`, 's'));
    return times.test(value) ? expect.stringMatching(times) : value;
  });

const times = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
