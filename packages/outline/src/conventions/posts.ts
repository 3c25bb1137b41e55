import { toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { getTextAt } from '../data/read-data.ts';
import { readPageFields } from '../fields.ts';
import { nameToTitle } from '../frontmatter-fields.ts';
import { createPageItem, type Item } from '../items.ts';
import { normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';

interface Posts {
  pages: string[];
  folder: string;
  /** The address prefix of the posts. */
  route: string;
  /** The map in which the addresses of the posts are recorded. */
  addresses: Map<string, string>;
}

const dated = /^(?:.*\/)?(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/](.*)$/;

/** Returns posts by date, the newest first. */
export async function postItems(reader: SourceReader, { pages, folder, route, addresses }: Posts): Promise<Item[]> {
  const posts: { date: string; item: Item }[] = [];
  for (const path of pages) {
    const name = removeMarkdownEnding(path.slice(folder.length)).replace(/\/index$/i, '');
    const [, year = '', month = '', day = '', rest = name] = dated.exec(name) ?? [];
    const fields = await reader.readFields(path);
    const slug = getTextAt(fields, 'slug');
    const parts = [year, month.padStart(2, '0'), day.padStart(2, '0')];
    const pathParts = year === '' ? [rest] : [[...parts, rest].join('/'), name];
    for (const each of slug === undefined ? pathParts : [slug])
      addresses.set(toAddressKey(normalizePath(`${route}/${each}`)), path);
    const { isHidden, isDraft } = readPageFields(fields);
    if (isDraft) reader.warn(path, 'The page is a draft and was imported as hidden.');
    const visibility = isHidden ? { hidden: true } : {};
    const date = getTextAt(fields, 'date') ?? (year === '' ? '' : parts.join('-'));
    posts.push({ date, item: createPageItem(path, { fallbackTitle: nameToTitle(rest), ...visibility }) });
  }
  return posts
    .sort((one, other) => (one.date < other.date ? 1 : one.date > other.date ? -1 : 0))
    .map(({ item }) => item);
}
