import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A page of a book, as described by its files. */
export interface WrittenPage {
  title: string;
  depth: number;
  file: string;
  markdown: string;
  headings: string[];
}

/** Removes the markup of a line of Markdown. */
export const removeMarks = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<\/?a\b[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/(?<![\w`])_([^_`]+)_(?![\w`])/g, '$1')
    .replace(/[`*\\]/g, '');

export const getWords = (markdown: string): string => removeMarks(markdown).replace(/\s/g, '');

/** Finds the headings of a text without a parser. Includes headings in quotes, but not in code fences. */
export function findHeadings(markdown: string): string[] {
  const text = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^([ >]*)(```+|~~~+).*\n(?:.*\n)*?[ >]*\2.*$/gm, '');
  return [...text.matchAll(/^(?:> ?)*#{1,6} +(.*?)(?: +#+)?$/gm)].map(([, words = '']) => words);
}

/**
 * Returns the pages of a table of contents with their order and nesting. Headings in the table of contents become
 * groups.
 */
export async function getPages(folder: string): Promise<WrittenPage[]> {
  const summary = await readFile(path.join(folder, 'SUMMARY.md'), 'utf8');
  const pages: WrittenPage[] = [];
  let grouped = 0;
  for (const line of summary.split('\n')) {
    const [, group] = /^## +(.*)$/.exec(line) ?? [];
    if (group !== undefined) {
      grouped = 1;
      pages.push({ title: group, depth: 0, file: '', markdown: '', headings: [] });
    }
    const [, indent = '', title, file] = /^( *)(?:[-*] )?\[(.+)\]\((.+)\)$/.exec(line) ?? [];
    if (title === undefined || file === undefined) continue;
    const markdown = await readFile(path.join(folder, file), 'utf8');
    pages.push({ title, depth: grouped + indent.length / 2, file, markdown, headings: findHeadings(markdown) });
  }
  return pages;
}
