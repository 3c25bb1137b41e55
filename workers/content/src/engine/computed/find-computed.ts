import type { RecordOf, Row } from '@octavo/db';
import { given, parsed, selection, statement } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import {
  ancestorsAbove,
  chainRow,
  lineageCte,
  nodeRow,
  nodesAmong,
  pageColumnAt,
  pageIdAtPath,
  placeRow,
  seen,
  slugsAt,
} from '../nodes/find-nodes.ts';
import { computedCte, sourceRow, sourcesAmong, wantedSlugs } from './computed-sources.ts';

/** Pages nest no deeper. */
const maxLevels = sql.raw('64');

const sources = (lineage: SQL, space: SQL<SpaceId>, where: SQL) =>
  sourceRow.query(sql`
    WITH ${lineageCte(lineage)}, ${computedCte}
    ${sourcesAmong(sql`computed`, space)} WHERE ${where}`);

/** All computed pages of a lineage. */
export const sourcesIn = statement((lineage: SQL<string>, space: SQL<SpaceId>) => sources(lineage, space, sql`1`));

/** Those under a page of the live content; '' is the root. */
export const sourcesUnder = (lineage: SQL, space: SQL<SpaceId>, place: SQL<string>) =>
  sources(lineage, space, sql`c.parent = ${place}`);

/** An expression: whether the computed page `c` stands below a page, at any level. */
const isBelow = (lineage: SQL<string>, id: SQL): SQL => sql`EXISTS (
  WITH RECURSIVE up(id, level) AS (
    SELECT c.parent, 1
    UNION ALL SELECT ${pageColumnAt(lineage, 'parent', sql`up.id`)}, level + 1 FROM up WHERE up.id <> '' AND level < ${maxLevels}
  ) SELECT 1 FROM up WHERE id = ${id})`;

/** A page is told by an id, or by a path as a JSON array of so many slugs; of an id there are none. */
interface Told {
  key: SQL<string>;
  length: SQL<number>;
}

interface Way {
  /** The page's own id, where somebody wrote it. */
  idOf: (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL;
  /** The CTE `place(id)`, beside `lineage` and `computed`: the page under which it stands if it is made of a computed one. */
  placeCte: (told: Told) => SQL;
  /** Whether an entry may be the page, or may have its slug; `slug` is an expression. */
  mayBe: (slug: SQL, key: SQL<string>) => SQL;
}

/** Of an id: the page under which the computed page stands that the id begins with. */
const placeOfSource = ({ key }: Told): SQL => sql`place(id) AS MATERIALIZED (
  SELECT parent FROM computed WHERE id = substr(${key}, 1, instr(${key}, '-') - 1))`;

/** Of a path: the last page on it, where computed pages stand under it; none where the whole path is written. */
const placeOnPath = ({ key, length }: Told): SQL => sql`walk(level, id) AS (
    SELECT 0, '' WHERE EXISTS (SELECT 1 FROM computed)
    UNION ALL
    SELECT level + 1, v.id FROM walk CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = walk.id
      AND v.slug = json_extract(${key}, '$[' || walk.level || ']') AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${seen} AND walk.level < ${length}
  ), place(id) AS MATERIALIZED (
    SELECT w.id FROM (SELECT id, level FROM walk ORDER BY level DESC LIMIT 1) w
    WHERE w.level < ${length} AND EXISTS (SELECT 1 FROM computed c WHERE c.parent = w.id))`;

/** A row of one of the parts of which the pages are made among which one is sought, in JSON. */
const partRow = selection({ part: given(String), fields: given(parsed<Row>()) });
export type MadePartRow = RecordOf<typeof partRow>;

/** Reads the parts apart. */
export const partsOf = (rows: readonly MadePartRow[]) => ({
  beside: ofPart(rows, 'beside', sourceRow),
  /** The computed pages. */
  siblings: ofPart(rows, 'siblings', nodeRow),
  /** What other pages beside these have of the slugs that theirs are to have. */
  taken: ofPart(rows, 'taken', placeRow),
  above: ofPart(rows, 'above', chainRow),
});

const ofPart = <Record>(rows: readonly MadePartRow[], name: string, reader: { read: (row: Row) => Record }): Record[] =>
  rows.flatMap(({ part, fields }) => (part === name ? [reader.read(fields)] : []));

/** The names of the columns of `sourcesAmong`. */
const sourceColumns = ['page', 'version_id', 'version_created_at', 'version_spec', 'version_slug', 'entries'];

const fieldsOf = (columns: string[]): SQL =>
  sql.raw(`json_object(${columns.map((each) => `'${each}', ${each}`).join(', ')})`);

/** As one value, of a subquery that is not run where there is no place. */
const part = (name: string, columns: string[], rows: SQL): SQL =>
  sql`SELECT ${sql.raw(`'${name}'`)}, each.value FROM place
    CROSS JOIN json_each((SELECT json_group_array(${fieldsOf(columns)}) FROM (${rows}))) each`;

/** What reads the pages that are made of computed ones and that a page is among: their place is found once. */
const amongMade =
  ({ placeCte, mayBe }: Way) =>
  (lineage: SQL<string>, key: SQL<string>, length: SQL<number>, space: SQL<SpaceId>) =>
    partRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, ${computedCte}, ${placeCte({ key, length })},
    under(id, parent, spec, models) AS MATERIALIZED (
      SELECT c.id, c.parent, c.spec, c.models FROM place p CROSS JOIN computed c ON c.parent = p.id)
    SELECT 'beside' AS part, ${fieldsOf(sourceColumns)} AS fields FROM (${sourcesAmong(sql`under`, space)})
    UNION ALL ${part('siblings', nodeColumns, sql`WITH ${nodesAmong(sql`SELECT 'page', id FROM under`)}`)}
    UNION ALL ${part('taken', Object.keys(placeRow.fields), sql`WITH RECURSIVE ${slugsAt(wantedSlugs(space, (slug) => mayBe(slug, key)))}`)}
    UNION ALL ${part('above', [...nodeColumns, 'level'], sql`WITH RECURSIVE ${ancestorsAbove(sql`SELECT id FROM place`)}`)}`);

const nodeColumns = Object.keys(nodeRow.fields);

/** The statements that read what is made of computed pages: those below a page, and those among which a page may be one. */
function statementsBy(way: Way) {
  const among = amongMade(way);
  return {
    among,
    below: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>, space: SQL<SpaceId>) =>
      sources(lineage, space, isBelow(lineage, way.idOf(lineage, key, length))),
    ),
    made: statement(among),
  };
}

/** What reads the pages that are made of computed ones, by how a page is told. */
export type MadeStatements = ReturnType<typeof statementsBy>;

/** So many characters of a slug are its own, whatever makes it another one. */
const ownLength = sql.raw('40');

export const madeToldById = statementsBy({
  idOf: (_, id) => id,
  placeCte: placeOfSource,
  mayBe: () => sql`1`,
});
export const madeToldByPath = statementsBy({
  idOf: pageIdAtPath,
  placeCte: placeOnPath,
  mayBe: (slug, slugs) => sql`EXISTS (SELECT 1 FROM json_each(${slugs}) w
    WHERE substr(w.value, 1, min(length(${slug}), ${ownLength})) = substr(${slug}, 1, ${ownLength}))`,
});
