import type { OpenAPIEntryRecord, RecordOf, Row } from '@octavo/db';
import { fromJson, fromQuery, nullable, prepareStatement, selection } from '@octavo/db';
import type { ComputedVersionId, LinkTarget, OpenAPISpecId, OpenAPIVersionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import {
  ancestorRow,
  isNearest,
  lineageCte,
  nodeRow,
  selectAncestors,
  selectNodes,
  selectPageColumn,
  selectPageIdAtPath,
  selectSlugs,
  slugRow,
} from '../store/lineage.ts';

const maxShortDescription = 200;

const marked = /[*_`[\]<>#|{}~\\\n\r]|\b\w+:\/\//;

/** Whether a description is one line of plain text, which becomes the page's description; another one begins the text. */
export const isShort = (description: string): boolean =>
  description !== '' && description.length <= maxShortDescription && !marked.test(description);

/** How many computed pages of a space are made into pages, and into how many pages each. */
const maxSources = sql.raw('50');
const maxPages = sql.raw('500');
const maxDescription = sql.raw(String(maxShortDescription + 1));
/** Of a specification, or of what an integration made. */
export type MadeVersionId = OpenAPIVersionId | ComputedVersionId;

/** What a page is made of, `page` where an integration makes it; `filled` tells whether operations stand on that of a tag. */
export type PageEntry = [
  ordinal: number,
  kind: OpenAPIEntryRecord['kind'] | 'page',
  parent: number | null,
  slug: string,
  title: string,
  description: string,
  icon: string | null,
  filled: 0 | 1,
  emoji?: string | null,
  /** Of a link. */
  target?: LinkTarget | null,
];

/** A computed page with the newest version of what its pages are made of, which goes by `slug`, and with that. */
const sourceRow = selection({
  page: fromQuery(String),
  version: nullable({
    id: fromQuery((id: string): MadeVersionId => id),
    createdAt: fromQuery(Number),
    /** Null where it is an integration's. */
    spec: nullable(fromQuery((id: string): OpenAPISpecId => id)),
    slug: fromQuery(String),
  }),
  entries: fromQuery(fromJson<PageEntry[]>()),
});
export type ComputedSourceRow = RecordOf<typeof sourceRow>;

const specOf = sql.raw(`v.data->>'$.fields.computed.dependencies.spec.ref.spec'`);

const isIntegrated = (column: string): SQL => sql.raw(`${column} GLOB 'integration:*'`);

/**
 * The CTE `computed(id, parent, spec, models)`, beside `lineage`: the live computed pages; without any no row is read.
 * `spec` is the slug of a specification, or the type of an integration's source, which no slug can be.
 */
export const computedCte = sql`computed(id, parent, spec, models) AS MATERIALIZED (
  SELECT v.id, v.parent, ${specOf}, v.data->>'$.fields.computed.props.models'
  FROM lineage l CROSS JOIN versions v INDEXED BY versions_specs
    ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.data->>'$.fields.computed.type' = 'builtin:openapi' AND v.kind = 'page' AND v.deleted = 0 AND ${isNearest}
  UNION ALL SELECT v.id, v.parent, v.data->>'$.fields.computed.type', 0
  FROM lineage l CROSS JOIN versions v INDEXED BY versions_integrated
    ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE ${isIntegrated("v.data->>'$.fields.computed.type'")} AND v.kind = 'page' AND v.deleted = 0 AND ${isNearest}
  ORDER BY 1 LIMIT ${maxSources})`;

const columns = sql`e.ordinal, e.kind, e.parent, e.slug, e.title, substr(e.description, 1, ${maxDescription}), e.icon,
  EXISTS (SELECT 1 FROM openapi_entries o WHERE o.version = e.version AND o.kind = 'operation' AND o.parent = e.ordinal)`;

const entriesOf = (kind: SQL, more: SQL): SQL =>
  sql`SELECT * FROM (SELECT ${columns} FROM openapi_entries e INDEXED BY openapi_entries_of_kind
    WHERE e.version = made.id AND e.kind = ${kind} ${more})`;

/** A page of each tag and of each operation without one; of the webhooks and of the models the first stands for all. */
const pageEntries = sql`COALESCE((
  SELECT json_group_array(json_array(ordinal, kind, parent, slug, title, description, icon, filled)) FROM (
    WITH pages(ordinal, kind, parent, slug, title, description, icon, filled) AS (
      ${entriesOf(sql`'tag'`, sql``)}
      UNION ALL ${entriesOf(sql`'operation'`, sql`AND e.parent IS NULL`)}
      UNION ALL ${entriesOf(sql`'webhook'`, sql`LIMIT 1`)}
      UNION ALL ${entriesOf(sql`'model'`, sql`AND c.models LIMIT 1`)})
    SELECT * FROM pages ORDER BY ordinal LIMIT ${maxPages})), '[]')`;

/** The pages that an integration made. */
const contentEntries = sql`(SELECT json_group_array(
    json_array(ordinal, 'page', parent, slug, title, description, icon, 0, emoji, json(target)))
  FROM (SELECT * FROM computed_entries e WHERE e.version = k.version ORDER BY e.ordinal LIMIT ${maxPages}))`;

const topSlugs = (kind: SQL): SQL => sql`SELECT * FROM (
  SELECT e.ordinal, e.slug FROM openapi_entries e INDEXED BY openapi_entries_of_kind
  WHERE e.version = u.version AND e.kind = ${kind} AND e.parent IS NULL ORDER BY e.ordinal LIMIT ${maxPages})`;

/** An expression: the slugs of the topmost of what pages are made of, in JSON; of what comes after as many none are made. */
const slugsOfEntries = sql`(SELECT json_group_array(slug) FROM (
  SELECT slug FROM (${topSlugs(sql`'tag'`)} UNION ALL ${topSlugs(sql`'operation'`)}) ORDER BY ordinal LIMIT ${maxPages}))`;

/** A SELECT of (parent, slug): the slugs that pages are to have which are made of the computed pages of `under`. */
const wantedSlugs = (space: SQL<SpaceId>, mayBe: (slug: SQL) => SQL): SQL => sql`
  WITH named(parent, version) AS MATERIALIZED (
    SELECT c.parent, s.version FROM under c CROSS JOIN spaces o ON o.id = ${space}
    CROSS JOIN openapi_specs s ON s.organization = o.organization AND s.slug = c.spec)
  SELECT u.parent, e.value FROM named u CROSS JOIN json_each(${slugsOfEntries}) e WHERE ${mayBe(sql`e.value`)}
  UNION SELECT u.parent, f.value FROM named u CROSS JOIN json_each('["webhooks","models"]') f
  UNION SELECT c.parent, e.slug FROM under c CROSS JOIN computed_contents k ON k.space = ${space} AND k.page = c.id
    CROSS JOIN computed_entries e ON e.version = k.version AND e.parent IS NULL AND e.target IS NULL WHERE ${mayBe(sql`e.slug`)}`;

const sourceColumns = sourceRow.with({
  page: sql`c.id`,
  version: {
    id: sql`COALESCE(made.id, k.version)`,
    createdAt: sql`COALESCE(made.created_at, k.computed_at)`,
    spec: sql`s.id`,
    slug: sql`c.spec`,
  },
  entries: sql`iif(k.version IS NULL, ${pageEntries}, ${contentEntries})`,
});

/** A SELECT of the rows of a CTE like `computed`. */
const sourcesAmong = (computed: SQL, space: SQL<SpaceId>): SQL => sql`
    SELECT ${sourceColumns}
    FROM ${computed} c CROSS JOIN spaces o ON o.id = ${space}
    LEFT JOIN openapi_specs s ON s.organization = o.organization AND s.slug = c.spec
    LEFT JOIN openapi_versions made ON made.id = s.version
    LEFT JOIN computed_contents k ON ${isIntegrated('c.spec')} AND k.space = o.id AND k.page = c.id`;

/** Pages nest no deeper. */
const maxLevels = sql.raw('64');

const sources = (lineage: SQL, space: SQL<SpaceId>, where: SQL) =>
  sourceRow.query(sql`
    WITH ${lineageCte(lineage)}, ${computedCte}
    ${sourcesAmong(sql`computed`, space)} WHERE ${where}`);

/** All computed pages of a lineage. */
export const sourcesIn = prepareStatement((lineage: SQL<string>, space: SQL<SpaceId>) =>
  sources(lineage, space, sql`1`),
);

/** Those under a page of the live content; '' is the root. */
export const sourcesUnder = (lineage: SQL, space: SQL<SpaceId>, place: SQL<string>) =>
  sources(lineage, space, sql`c.parent = ${place}`);

/** An expression: whether the computed page `c` stands below a page, at any level. */
const isBelow = (lineage: SQL<string>, id: SQL): SQL => sql`EXISTS (
  WITH RECURSIVE up(id, level) AS (
    SELECT c.parent, 1
    UNION ALL SELECT ${selectPageColumn(lineage, 'parent', sql`up.id`)}, level + 1 FROM up WHERE up.id <> '' AND level < ${maxLevels}
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
    WHERE v.deleted = 0 AND ${isNearest} AND walk.level < ${length}
  ), place(id) AS MATERIALIZED (
    SELECT w.id FROM (SELECT id, level FROM walk ORDER BY level DESC LIMIT 1) w
    WHERE w.level < ${length} AND EXISTS (SELECT 1 FROM computed c WHERE c.parent = w.id))`;

/** A row of one of the parts of which the pages are made among which one is sought, in JSON. */
const partRow = selection({ part: fromQuery(String), fields: fromQuery(fromJson<Row>()) });
export type MadePartRow = RecordOf<typeof partRow>;

/** Reads the parts apart. */
export const readMadeRows = (rows: readonly MadePartRow[]) => ({
  beside: ofPart(rows, 'beside', sourceRow),
  /** The computed pages. */
  siblings: ofPart(rows, 'siblings', nodeRow),
  /** What other pages beside these have of the slugs that theirs are to have. */
  taken: ofPart(rows, 'taken', slugRow),
  above: ofPart(rows, 'above', ancestorRow),
});

const ofPart = <Record>(rows: readonly MadePartRow[], name: string, reader: { read: (row: Row) => Record }): Record[] =>
  rows.flatMap(({ part, fields }) => (part === name ? [reader.read(fields)] : []));

/** The names of the columns of `sourcesAmong`. */
const sourceColumnNames = ['page', 'version_id', 'version_created_at', 'version_spec', 'version_slug', 'entries'];

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
    SELECT 'beside' AS part, ${fieldsOf(sourceColumnNames)} AS fields FROM (${sourcesAmong(sql`under`, space)})
    UNION ALL ${part('siblings', nodeColumns, sql`WITH ${selectNodes(sql`SELECT 'page', id FROM under`)}`)}
    UNION ALL ${part('taken', Object.keys(slugRow.fields), sql`WITH RECURSIVE ${selectSlugs(wantedSlugs(space, (slug) => mayBe(slug, key)))}`)}
    UNION ALL ${part('above', [...nodeColumns, 'level'], sql`WITH RECURSIVE ${selectAncestors(sql`SELECT id FROM place`)}`)}`);

const nodeColumns = Object.keys(nodeRow.fields);

/** The statements that read what is made of computed pages: those below a page, and those among which a page may be one. */
function statementsBy(way: Way) {
  const among = amongMade(way);
  return {
    among,
    below: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>, space: SQL<SpaceId>) =>
      sources(lineage, space, isBelow(lineage, way.idOf(lineage, key, length))),
    ),
    made: prepareStatement(among),
  };
}

/** So many characters of a slug are its own, whatever makes it another one. */
const ownLength = sql.raw('40');

export const madeToldById = statementsBy({
  idOf: (_, id) => id,
  placeCte: placeOfSource,
  mayBe: () => sql`1`,
});
export const madeToldByPath = statementsBy({
  idOf: selectPageIdAtPath,
  placeCte: placeOnPath,
  mayBe: (slug, slugs) => sql`EXISTS (SELECT 1 FROM json_each(${slugs}) w
    WHERE substr(w.value, 1, min(length(${slug}), ${ownLength})) = substr(${slug}, 1, ${ownLength}))`,
});

/** Whether an id is that of a generated page. */
export const isMadeId = (id: string): boolean => id.includes('-');

/** The id of the computed page that a page is generated from. */
export const sourceOf = (id: string): string => id.slice(0, id.indexOf('-'));

/** Names a page by its id, or by its path: then `value` is a JSON array of `length` slugs. */
export interface PageKey {
  value: string;
  length: number;
}

interface MadeReading {
  lineage: string;
  space: SpaceId;
}

/**
 * The queries for the generated pages around a page: those below it, and those that it may be one of. In a space without
 * computed pages they read no row.
 */
export function readMade({ value: key, length }: PageKey, { lineage, space }: MadeReading, isWanted: boolean) {
  const by = length === 0 ? madeToldById : madeToldByPath;
  const isPath = length > 0;
  const mayBeMade = isWanted && (isPath || isMadeId(key));
  const mayBeWritten = isWanted && (isPath || !isMadeId(key));
  return {
    below: mayBeWritten ? by.below(lineage, key, length, space) : [],
    made: mayBeMade ? by.made(lineage, key, length, space) : [],
  };
}
