import { documents, readRow, selection } from '@octavo/db';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { LinkingText, readLateLinks } from '../../engine/links/late-links.ts';
import { findContent, findPage, pageById } from '../../engine/reading/find-content.ts';
import { pointReading, publishedText, readReferences } from '../../engine/reading/page-text.ts';
import { scopeOfSpace } from '../../engine/reading/visibility.ts';
import { alternatesOf, readAlternates } from '../../engine/sites/places.ts';
import { lineageCte, nodeRow, seen, stateAt } from '../../engine/store/lineage.ts';
import { toNode } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';

const d = aliasedTable(documents, 'd');
const userRow = selection({ ...nodeRow.fields, markdown: d.markdown });

/** So many nodes that ever had a text are looked at; a text that only others have is not found. */
const maxUsers = 10_000;

/**
 * A document that the live content uses, as it is at one that does; the same text in another space of the organization
 * says nothing here.
 */
export const getDocumentById = handler('getDocumentById', async ({ params }, { db, space, urls }) => {
  const hash = sql`${params.documentId}`;
  const found = userRow.query(sql`
    WITH RECURSIVE ${lineageCte(JSON.stringify(space.head.lineage))}, kinds(kind) AS MATERIALIZED (VALUES ('page'), ('reusable-content')),
    users(depth, kind, id) AS (
      SELECT l.depth, k.kind, ${nextUser(hash, sql`k.kind`, sql`''`)} FROM lineage l CROSS JOIN kinds k
      UNION ALL
      SELECT u.depth, u.kind, ${nextUser(hash, sql`u.kind`, sql`u.id`)}
      FROM users u CROSS JOIN lineage l ON l.depth = u.depth WHERE u.id IS NOT NULL LIMIT ${maxUsers}
    )
    SELECT ${userRow} FROM documents d CROSS JOIN users u CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`u.kind`, sql`u.id`)}
    WHERE d.hash = ${hash} AND v.document = d.hash AND v.deleted = 0 AND ${seen} LIMIT 1`);
  const row = await readRow(db, found);
  const node = row && toNode(row);
  if (row === undefined || node === undefined) throw notFound('document');
  const text = { node, markdown: row.markdown, scope: scopeOfSpace([]), contents: new Map() };
  const form = { evaluated: false, dereferenced: false };
  const at = { db, point: space.head, space: space.id, urls, shown: undefined };
  const { late } = await readLateLinks([new LinkingText(text)], at);
  return publishedText(text, form, { reading: { space: space.id, urls, late }, isKept: true });
});

/** The next node, by id, that ever had a text on the branch of `l`: one seek, however many versions had it. */
const nextUser = (
  hash: SQL,
  kind: SQL,
  after: SQL,
): SQL => sql`(SELECT MIN(x.id) FROM versions x INDEXED BY versions_documents
  WHERE x.document = ${hash} AND x.branch = l.branch AND x.kind = ${kind} AND x.id > ${after})`;

/**
 * The document of a page as renderers take it, in one round trip, and one more where a visitor's refers to other
 * spaces, or where a target came after its text; a page without one has an empty one.
 */
export const getPageDocument = handler(
  'getPageDocument',
  async ({ params, query: { evaluated, dereferenced } }, context) => {
    const reading = pointReading(context);
    const found = await findPage(pageById(params.pageId), { depth: 0, isEvaluated: true, computed: true }, reading);
    return publishedText(
      found.text,
      { evaluated, dereferenced },
      {
        reading: await readReferences(found, reading),
        isKept: false,
      },
    );
  },
);

/** The document of a reusable content as renderers take it, in one round trip, as that of a page. */
export const getReusableContentDocument = handler(
  'getReusableContentDocument',
  async ({ params, query: { evaluated, dereferenced } }, context) => {
    const found = await findContent(params.reusableContentId, context);
    return publishedText(
      found.text,
      { evaluated, dereferenced },
      {
        reading: await readReferences(found, pointReading(context)),
        isKept: false,
      },
    );
  },
);

/** Where else a visitor finds a page in the site; who reads a space without a site is told of no other place. */
export const listPageMetaLinks = handler('listPageMetaLinks', async ({ params: { pageId } }, context) => {
  const { visitor } = context;
  const read = visitor && readAlternates(pageId, { ...context, visitor });
  const parts = { depth: 0, isEvaluated: false, computed: true, beside: read };
  const { beside } = await findPage(pageById(pageId), parts, pointReading(context));
  return { alternates: visitor === undefined ? [] : await alternatesOf(pageId, beside, { ...context, visitor }) };
});
