import { referencesIn, type ShownDocument } from '@octavo/reader';
import type { OrganizationId } from '@octavo/schema';
import { excerptOf, type IndexedDocument, type JsonObject, type WantedParts } from '@octavo/specification';
import { readSpecificationOf } from './kept-specifications.ts';
import { withAbsoluteServers } from './server-addresses.ts';
import type { SiteApi } from './site-api.ts';

/** More on one page are not read: each is megabytes at most. */
const maxSpecifications = 5;

/** The parts that a page shows of a specification, with addresses of servers that stand for themselves. */
export const partsOf = (document: IndexedDocument, wanted: WantedParts): JsonObject =>
  withAbsoluteServers(excerptOf(document, wanted), document.source);

/** What the blocks of a document show of specifications, by their slugs, as far as the visitor may read these. */
export async function loadSpecifications(
  document: ShownDocument,
  organization: OrganizationId,
  api: SiteApi,
): Promise<Record<string, JsonObject>> {
  const bySlug = Map.groupBy(referencesIn(document.nodes), ({ spec }) => spec);
  const found: [string, JsonObject][] = [];
  for (const [slug, references] of [...bySlug].slice(0, maxSpecifications)) {
    const read = await readSpecificationOf(organization, slug, api);
    if (read === undefined) continue;
    const wanted: WantedParts = { operations: [], webhooks: [], schemas: [] };
    for (const { part } of references) {
      if (part.kind === 'operation') wanted.operations.push(part);
      else if (part.kind === 'webhook') wanted.webhooks.push(part);
      else wanted.schemas.push(...part.schemas);
    }
    found.push([slug, partsOf(read, wanted)]);
  }
  return Object.fromEntries(found);
}
