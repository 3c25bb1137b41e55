import { readFile } from 'node:fs/promises';
import path from 'node:path';
import MiniSearch from 'minisearch';
import { maxResults, type Search } from './scores.ts';

interface MarkdownPage {
  /** The path of its file. */
  id: string;
  title: string;
  headings: string;
  text: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** Splits markdown into its title, which is the first heading, its other headings, and its text without link targets. */
export function splitPage(id: string, markdown: string): MarkdownPage {
  const headings: string[] = [];
  const lines: string[] = [];
  let openFence: string | undefined;
  for (const line of markdown.replace(/<!--[\s\S]*?-->/g, '').split('\n')) {
    const [, mark] = fence.exec(line) ?? [];
    if (openFence === undefined) openFence = mark;
    else if (mark?.startsWith(openFence)) openFence = undefined;
    const [, heading] = /^#{1,6} +(.+?)[ #]*$/.exec(line) ?? [];
    if (heading !== undefined && openFence === undefined) headings.push(heading);
    else lines.push(line);
  }
  const text = lines.join('\n').replace(/\]\([^()\s]*\)|^\[[^\]]+\]:.*$/gm, ' ');
  const [title = '', ...others] = headings;
  return { id, title, headings: others.join('\n'), text };
}

/** Indexes files of a folder with MiniSearch, one document for each page. */
export async function indexFiles(folder: string, files: string[]): Promise<Search> {
  const index = new MiniSearch<MarkdownPage>({
    fields: ['title', 'headings', 'text'],
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 4, headings: 2 } },
  });
  for (const file of files) index.add(splitPage(file, await readFile(path.join(folder, file), 'utf8')));
  return async (query) =>
    index
      .search(query)
      .slice(0, maxResults)
      .map(({ id }) => String(id));
}
