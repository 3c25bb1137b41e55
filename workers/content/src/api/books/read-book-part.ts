import type { RecordOf } from '@octavo/db';
import { documents, maybe, runBatch, selection } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { ServiceContext } from '@octavo/runtime';
import type { BookPageText, BookPart, BookReading, BookText, Variables } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IncludedContent } from '../../engine/reading/included-contents.ts';
import { includedContents, includeTarget } from '../../engine/reading/included-contents.ts';
import { findAllNodes, lineageCte, lineageOfRevision, nodeRow, seen, stateAt } from '../../engine/store/lineage.ts';
import { nodesOf, pageFields, toNode } from '../../engine/store/nodes.ts';
import type { BookLinks, LinkReading, LinkRows } from './book-links.ts';
import { byDocument, includedBy, readDocumentLinks, resolveBookLinks } from './book-links.ts';

const maxPages = 20;
const maxBytes = 2 * 1024 * 1024;

/** A page with its text. */
const textRow = selection({ ...nodeRow.fields, markdown: maybe(documents.markdown) });

interface Texts {
  nodes: Node[];
  markdown: Map<string, string>;
}

/** Some pages of a book: four round trips at most, rows as many as the pages have links, and the space variables. */
export async function readBookPart(
  reading: BookReading & { pages: string[] },
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<BookPart> {
  const lineage = lineageOfRevision(reading);
  const wanted = JSON.stringify(reading.pages.slice(0, maxPages));
  const { pageRows, variableRows, linkRows } = await runBatch(db, {
    pageRows: textRow.query(sql`${pagesWithTexts(lineage, wanted)} SELECT * FROM texts ORDER BY ordinal`),
    variableRows: findAllNodes(lineage, 'variable'),
    linkRows: readDocumentLinks(sql`${pagesWithTexts(lineage, wanted)} SELECT document FROM texts`),
  });
  const pages = textsOf(pageRows);
  const links = byDocument(linkRows);
  const contents = await readContents(pages.nodes, links, { db, lineage });
  const nodes = [...pages.nodes, ...contents.found.values().map(({ node }) => node)];
  const known = new Map([...links, ...contents.links]);
  const resolved = await resolveBookLinks(nodes, known, { db, lineage, space: reading.space, urls });
  const textOf = (node: Node, markdown: string): BookText => ({
    id: node.id,
    markdown,
    ...(resolved.get(node) ?? ({ links: {}, files: {} } satisfies BookLinks)),
    includes: includesOf(node, known),
  });
  return {
    pages: pages.nodes.map((node) => pageOf(node, textOf(node, pages.markdown.get(node.id) ?? ''))),
    contents: [...contents.found.values()].map(({ node, markdown }) => textOf(node, markdown)),
    variables: Object.fromEntries(
      nodesOf(variableRows).map(({ id, fields }) => [id, fields.value as Variables[string]]),
    ),
  };
}

/** The first of the pages with their texts, as many as fit. */
const pagesWithTexts = (lineage: SQL, wanted: string): SQL => sql`
  WITH ${lineageCte(lineage)}, wanted(ordinal, id) AS MATERIALIZED (SELECT key, value FROM json_each(${wanted})),
  pages AS MATERIALIZED (
    SELECT v.*, w.ordinal FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
    WHERE v.deleted = 0 AND ${seen}),
  texts AS MATERIALIZED (
    SELECT p.*, d.markdown FROM (
      SELECT p.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY p.ordinal) AS total
      FROM pages p LEFT JOIN documents sized ON sized.hash = p.document) p
    LEFT JOIN documents d ON d.hash = p.document
    WHERE p.total <= ${maxBytes} OR p.ordinal = (SELECT MIN(ordinal) FROM pages))`;

function textsOf(rows: RecordOf<typeof textRow>[]): Texts {
  const known = rows.flatMap((row) => {
    const node = toNode(row);
    return node === undefined ? [] : [{ node, markdown: row.markdown ?? '' }];
  });
  return {
    nodes: known.map(({ node }) => node),
    markdown: new Map(known.map(({ node, markdown }) => [node.id, markdown])),
  };
}

/** What pages include, at every level, with the links of it. */
async function readContents(
  pages: Node[],
  rows: LinkRows,
  { db, lineage }: Pick<LinkReading, 'db' | 'lineage'>,
): Promise<{ found: Map<string, IncludedContent>; links: LinkRows }> {
  const ids = pages.flatMap((page) => Object.values(includesOf(page, rows)));
  const found = await includedContents(db, lineage, ids);
  const hashes = [...found.values()].flatMap(({ node }) => node.document ?? []);
  if (hashes.length === 0) return { found, links: new Map() };
  const values = sql`SELECT value FROM json_each(${JSON.stringify(hashes)})`;
  const links = await runBatch(db, readDocumentLinks(values));
  return { found, links: byDocument(links) };
}

const includesOf = (node: Node, rows: LinkRows): Record<string, string> =>
  Object.fromEntries(
    includedBy(node, rows).flatMap((address) => {
      const id = includeTarget(node, address);
      return id === undefined ? [] : [[address, id] as const];
    }),
  );

function pageOf(node: Node, text: BookText): BookPageText {
  const { description, emoji, type, variables } = pageFields(node);
  // A page of type link has no text: the one address that it has is its target.
  const href = type === 'link' ? Object.values(text.links)[0] : undefined;
  return {
    ...text,
    ...(description === undefined ? {} : { description }),
    ...(emoji === undefined ? {} : { emoji }),
    ...(href === undefined ? {} : { href }),
    variables: variables ?? {},
  };
}
