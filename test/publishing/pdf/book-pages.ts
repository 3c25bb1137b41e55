import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A page of a book as its files tell it. */
export interface WrittenPage {
  title: string;
  depth: number;
  file: string;
  markdown: string;
  headings: string[];
}

/** A line of Markdown as it is read. */
export const withoutMarks = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<\/?a\b[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/(?<![\w`])_([^_`]+)_(?![\w`])/g, '$1')
    .replace(/[`*\\]/g, '');

export const wordsOf = (markdown: string): string => withoutMarks(markdown).replace(/\s/g, '');

/** The headings of a text, without a parser: those of fences are none, those of quotes are. */
export function headingsIn(markdown: string): string[] {
  const text = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^([ >]*)(```+|~~~+).*\n(?:.*\n)*?[ >]*\2.*$/gm, '');
  return [...text.matchAll(/^(?:> ?)*#{1,6} +(.*?)(?: +#+)?$/gm)].map(([, words = '']) => words);
}

/** The pages that a table of contents names, in its order and nesting; under its headings they stand in groups. */
export async function pagesOf(folder: string): Promise<WrittenPage[]> {
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
    pages.push({ title, depth: grouped + indent.length / 2, file, markdown, headings: headingsIn(markdown) });
  }
  return pages;
}
