import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { LinkRow, PlacedLink, ResolvedLink } from '../../engine/links/document-links.ts';
import { linkRow, lookupsOf, placedLinks, resolveLink } from '../../engine/links/document-links.ts';
import type { Targets } from '../../engine/links/targets.ts';
import { lookupKey, readTargets, targetReads } from '../../engine/links/targets.ts';

/** What is looked up for one part of a book at most; further addresses lead nowhere. */
const maxLookups = 5_000;

export interface LinkReading {
  db: Database;
  lineage: SQL;
  space: SpaceId;
  urls: Urls;
}

/** What the addresses of a text lead to, as they are written. */
export interface BookLinks {
  links: Record<string, string>;
  files: Record<string, string>;
}

/** The links of documents, by the documents' hashes. */
export const readDocumentLinks = (hashes: SQL) =>
  linkRow.query(sql`SELECT ${linkRow} FROM document_links d WHERE d.hash IN (${hashes}) ORDER BY d.hash, d.ordinal`);

export type LinkRows = ReadonlyMap<string, LinkRow[]>;

export const byDocument = (rows: LinkRow[]): LinkRows => Map.groupBy(rows, ({ hash }) => hash);

/** The addresses that a node's text includes. */
export const includedBy = (node: Node, rows: LinkRows): string[] =>
  (rows.get(node.document ?? '') ?? []).filter(({ relation }) => relation === 'dependsOn').map(({ target }) => target);

/** What the links of nodes lead to, by node; one round trip, and none where nothing leads into the space. */
export async function resolveBookLinks(
  nodes: Node[],
  rows: LinkRows,
  { db, lineage, space, urls }: LinkReading,
): Promise<Map<Node, BookLinks>> {
  const placed = nodes.map((node) => ({
    node,
    links: placedLinks({ space, urls, node }, rows.get(node.document ?? '') ?? []),
  }));
  const lookups = placed.flatMap(({ node, links }) => links.flatMap((link) => lookupsOf(link, node)));
  const reads = targetReads(lineage, lookups.slice(0, maxLookups));
  const targets = readTargets(await runBatch(db, reads));
  return new Map(placed.map(({ node, links }) => [node, sort(node, links, { targets, urls })]));
}

function sort(node: Node, links: PlacedLink[], { targets, urls }: { targets: Targets; urls: Urls }): BookLinks {
  const found = links.map((link) => ({
    link,
    resolved: resolveLink(link, node, (lookup) => targets.get(lookupKey(lookup))),
  }));
  const files = found.flatMap(({ link, resolved }) =>
    resolved.node?.kind === 'file' ? [[link.target, resolved.node.id] as const] : [],
  );
  const leads = found.flatMap(({ link, resolved }) => {
    const to = leadOf(link, resolved, urls);
    return to === undefined ? [] : [[link.target, to] as const];
  });
  return { links: Object.fromEntries(leads), files: Object.fromEntries(files) };
}

/** An address that a reader of the book may follow, or a page of the space. */
function leadOf(link: PlacedLink, { url, space, node, anchor }: ResolvedLink, urls: Urls): string | undefined {
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (node?.kind === 'page') return `${node.id}${hash}`;
  if (node !== undefined) return undefined;
  const address = url ?? (/^https?:/i.test(link.target) ? link.target : undefined);
  if (address !== undefined) return /^(?:https?|mailto|tel):/i.test(address) ? address : undefined;
  return space === undefined ? undefined : urls.app(`/spaces/${space}`);
}
