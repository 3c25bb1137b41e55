import type { JsonObject } from '@octavo/specification';
import type { ShownNode } from '../document.ts';
import type { PageView } from '../view.ts';
import { type ReferenceOfPage, readParts } from './read-parts.ts';
import { SchemaReader } from './schema.ts';

/** What the blocks of a page show of specifications, and what reads the schemas of each. */
export interface PageReferences {
  blocks: ReadonlyMap<ShownNode, ReferenceOfPage>;
  schemas: (document: JsonObject) => SchemaReader;
}

/** Reads what the blocks of a page show. */
export function pageReferencesOf(view: Pick<PageView, 'page' | 'specifications'>): PageReferences {
  const readers = new Map<JsonObject, SchemaReader>();
  return {
    blocks: readParts(view.page.document, view.specifications),
    schemas: (document) => {
      const known = readers.get(document) ?? new SchemaReader(document);
      readers.set(document, known);
      return known;
    },
  };
}
