import { documents, selection, statement } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { madeToldById, madeToldByPath } from '../computed/sources.ts';
import { findAncestors, findLevels, lineageCte, pageIdAtPath, stateAt } from '../store/lineage.ts';
import { includedBy, linksIn, metLinks, readIncluded, stateOf } from './included-contents.ts';

/** Tells a page by a value and a number; gives its id. */
type IdOf = (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL;

const pageKind = sql`'page'`;

/** The statements that read a page which is told in one way. */
const statementsBy = (idOf: IdOf) => ({
  text: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    readDocument(lineage, idOf(lineage, key, length)),
  ),
  chain: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    findAncestors(lineage, sql`SELECT ${idOf(lineage, key, length)}`),
  ),
  descendants: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    findLevels(lineage, { start: sql`SELECT ${idOf(lineage, key, length)}` }),
  ),
  levels: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>, depth: SQL<number>) =>
    findLevels(lineage, { start: sql`SELECT ${idOf(lineage, key, length)}`, depth }),
  ),
  /** What the page includes, at every level. */
  contents: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    readIncluded(lineage, includedBy(pageKind, sql`(${idOf(lineage, key, length)})`)),
  ),
  /** The pages that the page or what it includes links to, with all above them, where pages have conditions. */
  linked: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    findAncestors(lineage, linkedFrom(idOf(lineage, key, length))),
  ),
});

export const toldById = { ...statementsBy((_, id) => id), made: madeToldById };
export const toldByPath = { ...statementsBy(pageIdAtPath), made: madeToldByPath };

/** A page by one of its keys. */
export interface PageKey {
  by: typeof toldById;
  key: string;
  length: number;
}

const linkedFrom = (id: SQL): SQL =>
  linksIn(sql`SELECT data FROM (${stateOf(pageKind, sql`(${id})`)})
    UNION ALL ${metLinks(includedBy(pageKind, sql`(${id})`))}`);

const d = aliasedTable(documents, 'd');
const textRow = selection({ markdown: d.markdown });

const readDocument = (lineage: SQL<string>, id: SQL) =>
  textRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT ${id})
    SELECT ${textRow} FROM (
      SELECT v.document FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1) p
    CROSS JOIN documents d ON d.hash = p.document`);
