import { slugify } from '@octavo/document';
import type { PreparedChange } from './documents.ts';
import { insertedTitle } from './page-changes.ts';

/** The slug that a change asks for, or that its title makes; `undefined` where it changes none. */
export function slugOf({ change, document }: PreparedChange): string | undefined {
  switch (change.operation) {
    case 'insert_page':
      return document?.slug ?? change.slug ?? slugify(insertedTitle(change.title, document));
    case 'insert_group':
      return change.slug ?? slugify(change.title);
    case 'update_page':
      return document?.slug ?? change.slug;
    default:
      return undefined;
  }
}
