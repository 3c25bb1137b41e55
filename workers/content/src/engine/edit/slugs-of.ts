import { slugify } from '@octavo/markdown';
import type { PreparedChange } from './documents.ts';
import { insertedTitle } from './newly-said.ts';

/** The slugs that a change may give its page: what its text and its field say, or its title makes. */
export function slugsOf({ change, document }: PreparedChange): string[] {
  switch (change.operation) {
    case 'insert_page':
      return [document?.slug ?? change.slug ?? slugify(insertedTitle(change.title, document))];
    case 'insert_group':
      return [change.slug ?? slugify(change.title)];
    case 'update_page':
      return [document?.slug, change.slug].filter((slug) => slug !== undefined);
    default:
      return [];
  }
}
