import type { Urls } from '@octavo/runtime';
import type { List, SearchPage } from '@octavo/schema';
import type { Word } from '../../engine/search/sections.ts';
import { joinCharacters } from '../../engine/search/sections.ts';
import { haveWords, snippetOf } from './find-in-text.ts';
import type { ShownRow } from './pages-sql.ts';

/** Rows that belong together: those of one page, or of one space. */
export type FoundSections = [ShownRow, ...ShownRow[]];

/** What was searched for, and what addresses of the answer begin with. */
export interface Sought {
  words: Word[];
  urls: Urls;
  /** The rows may lack the words. */
  isLoose: boolean;
}

/** Groups rows by a column, in the order in which its values come first. */
export function groupBy(column: 'page' | 'space', rows: ShownRow[]): FoundSections[] {
  const groups = new Map<string, FoundSections>();
  for (const row of rows) {
    const group = groups.get(row[column]);
    if (group === undefined) groups.set(row[column], [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** A list without the items in which, after all, nothing was found: the cursor still goes on after them. */
export function withoutEmpty<Item>(list: List<Item>, foundIn: (item: Item) => unknown[] | undefined): List<Item> {
  const items = list.items.filter((item) => foundIn(item)?.length !== 0);
  return { ...list, count: items.length, items };
}

const hasWords = ({ indexed, heading, body }: ShownRow, words: Word[]): boolean =>
  haveWords([indexed, heading, body], words);

/** A page with those of its sections in which the words stand. */
export function presentFound(found: FoundSections, { words, isLoose, urls }: Sought): SearchPage {
  const [{ page: id, path, space, title }] = found;
  const app = urls.app(`/spaces/${space}/content/page/${id}`);
  const sections = isLoose ? found.filter((row) => hasWords(row, words)) : found;
  return {
    id,
    title,
    path,
    urls: { app },
    sections: sections.map(({ anchor, heading, body }) => {
      const hash = anchor === '' ? '' : `#${anchor}`;
      return {
        id: anchor === '' ? id : anchor,
        title: joinCharacters(heading),
        path: `${path}${hash}`,
        body: snippetOf(body, words),
        urls: { app: `${app}${hash}` },
      };
    }),
  };
}
