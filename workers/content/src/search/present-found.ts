import type { Row } from '@octavo/db';
import { text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { SearchPage } from '@octavo/schema';
import { joinCharacters } from './words.ts';

const maxSectionsPerPage = 5;

/** Rows that belong together: those of one page, or of one space. */
export type Found = [Row, ...Row[]];

/** Groups rows by a column, in the order in which its values come first. */
export function groupBy(column: 'page' | 'space', rows: Row[]): Found[] {
  const groups = new Map<string, Found>();
  for (const row of rows) {
    const group = groups.get(text(row, column));
    if (group === undefined) groups.set(text(row, column), [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** A page with the best of the sections in which the words were found. */
export function presentFound(found: Found, urls: Urls): SearchPage {
  const [first] = found;
  const [id, path] = [text(first, 'page'), text(first, 'path')];
  const app = urls.app(`/spaces/${text(first, 'space')}/content/page/${id}`);
  return {
    id,
    title: text(first, 'title'),
    path,
    urls: { app },
    sections: found.slice(0, maxSectionsPerPage).map((row) => {
      const anchor = text(row, 'anchor');
      const hash = anchor === '' ? '' : `#${anchor}`;
      return {
        id: anchor === '' ? id : anchor,
        title: joinCharacters(text(row, 'heading')),
        path: `${path}${hash}`,
        body: joinCharacters(text(row, 'snippet')),
        urls: { app: `${app}${hash}` },
      };
    }),
  };
}
