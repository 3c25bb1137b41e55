import type { Database, Row } from '@octavo/db';
import { text } from '@octavo/db';
import type { DocumentTree, Node } from '@octavo/document';
import { evaluateTree, includesOf, parseTree, renderTree } from '@octavo/document';
import type { PageContentQuery, Variables } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { lineageCte, stateAt } from '../nodes/lineage-sql.ts';

type Format = PageContentQuery['format'];

/** A text in the format that is asked for. */
export const bodyOf = (markdown: string, format: Format): { markdown: string } | { document: DocumentTree } =>
  format === 'document' ? { document: parseTree(markdown) } : { markdown };

interface Reading {
  db: Database;
  lineage: string;
  values: { space: Node[]; page: Variables };
  format: Format;
}

/** At most this many contents are included; others stay as they are written. */
const MAX_INCLUDES = 100;
const INCLUDED = /^\/?reusable-contents\/([a-zA-Z0-9_-]{1,64})$/;

/** A text with its expressions, conditions and includes evaluated; one round trip more where it includes something. */
export async function readEvaluated(markdown: string, { db, lineage, values, format }: Reading) {
  const tree = parseTree(markdown);
  const addresses = includesOf(tree).flatMap((url) => {
    const id = INCLUDED.exec(url)?.[1];
    return id === undefined ? [] : [{ url, id }];
  });
  const texts = await includedTexts(db, lineage, addresses.slice(0, MAX_INCLUDES));
  const vars = Object.fromEntries(values.space.map((node) => [node.id, node.fields.value ?? null]));
  const scope = { space: { vars }, page: { vars: values.page }, visitor: { claims: {} } };
  const evaluated = evaluateTree(tree, { scope, includes: texts });
  return format === 'document' ? { document: evaluated } : { markdown: renderTree(evaluated) };
}

/** The texts of reusable contents by the address that names them. */
async function includedTexts(
  db: Database,
  lineage: string,
  addresses: { url: string; id: string }[],
): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map();
  const ids = JSON.stringify([...new Set(addresses.map(({ id }) => id))]);
  const rows = await db.all<Row>(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT value FROM json_each(${ids}))
    SELECT p.id, d.markdown FROM (
      SELECT w.id, MIN(l.depth), v.document FROM wanted w CROSS JOIN lineage l
      CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`w.id`)} GROUP BY w.id) p
    CROSS JOIN documents d ON d.hash = p.document`);
  const byId = new Map(rows.map((row) => [text(row, 'id'), text(row, 'markdown')]));
  return new Map(addresses.flatMap(({ url, id }) => (byId.has(id) ? [[url, byId.get(id) ?? ''] as const] : [])));
}
