import { type PageView, referencesIn, type ShownDocument, type SpecificationReference } from '@octavo/reader';
import { excerptOf, type IndexedDocument, type JsonObject, type WantedParts } from '@octavo/specification';
import type { ReadSpecification } from './kept-specifications.ts';
import { withAbsoluteServers } from './server-addresses.ts';

/** More on one page are not read: each is megabytes at most. */
const maxSpecifications = 5;

/** What blocks show of a specification. */
export function wantedBy(references: SpecificationReference[]): WantedParts {
  const wanted: WantedParts = { operations: [], webhooks: [], schemas: [] };
  for (const { part } of references) {
    if (part.kind === 'operation') wanted.operations.push(part);
    else if (part.kind === 'webhook') wanted.webhooks.push(part);
    else wanted.schemas.push(...part.schemas);
  }
  return wanted;
}

/** The parts that a page shows of a specification, with addresses of servers that stand for themselves. */
export const partsOf = (document: IndexedDocument, wanted: WantedParts): JsonObject =>
  withAbsoluteServers(excerptOf(document, wanted), document.source);

/** What the blocks of a document show of specifications, by their slugs, as far as the visitor may read these. */
export async function loadSpecifications(
  document: ShownDocument,
  read: ReadSpecification,
): Promise<PageView['specifications']> {
  const bySlug = Map.groupBy(referencesIn(document.nodes), ({ spec }) => spec);
  const found: [string, JsonObject][] = [];
  for (const [slug, references] of [...bySlug].slice(0, maxSpecifications)) {
    const document = await read(slug);
    if (document !== undefined) found.push([slug, partsOf(document, wantedBy(references))]);
  }
  return Object.fromEntries(found);
}
