import type { Lookup, OpenAPIEntryRecord, RecordOf, Row } from '@octavo/db';
import { fromJson, fromQuery, nullable, prepareStatement, selection } from '@octavo/db';
import type { ComputedVersionId, LinkTarget, OpenAPISpecId, OpenAPIVersionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import {
  ancestorRow,
  createLineageCte,
  isNearest,
  nodeRow,
  selectAncestors,
  selectNodes,
  selectPageColumn,
  selectPageIdAtPath,
  selectSlugs,
  slugRow,
} from '../store/lineage.ts';

const maxShortDescription = 200;

const markup = /[*_`[\]<>#|{}~\\\n\r]|\b\w+:\/\//;

/**
 * Whether a description is one line of plain text and can be a page's description. Any other description becomes the
 * start of the page's text.
 */
export const isShortDescription = (description: string): boolean =>
  description !== '' && description.length <= maxShortDescription && !markup.test(description);

/** Whether the page of an entry is a link. */
export const isLinkEntry = ({ 9: target }: PageEntry): boolean => Boolean(target);

const sharedTitles = { webhook: 'Webhooks', model: 'Models' };

/** Returns the slug of an entry's page, before conflicts with siblings are resolved. */
export function getEntrySlug(entry: PageEntry): string {
  const [, kind, , slug] = entry;
  if (isLinkEntry(entry)) return '';
  return kind === 'webhook' || kind === 'model' ? sharedTitles[kind].toLowerCase() : slug;
}

/** Returns the fields of the page of an entry. */
export function getEntryFields([, kind, , , title, description, icon]: PageEntry) {
  if (kind === 'webhook' || kind === 'model') return { title: sharedTitles[kind] };
  const hasDescription = isShortDescription(description) || (kind === 'page' && description !== '');
  return { title, description: hasDescription ? description : undefined, icon: icon ?? undefined };
}

/** Maximum number of computed pages per space, and of pages generated from each. */
const maxSources = sql.raw('50');
const maxPages = sql.raw('500');
const maxDescription = sql.raw(String(maxShortDescription + 1));
/** A version of a specification, or of an integration's generated content. */
export type GeneratedVersionId = OpenAPIVersionId | ComputedVersionId;

/**
 * The entry from which a page is generated; its kind is `page` if it comes from an integration. `filled` says whether
 * the page of a tag has operations.
 */
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
  /** The target of a link; absent for other entries. */
  target?: LinkTarget | null,
];

/** A computed page, the newest version of its source (`slug` is the source's name), and the entries of that version. */
const sourceRow = selection({
  page: fromQuery(String),
  version: nullable({
    id: fromQuery((id: string): GeneratedVersionId => id),
    createdAt: fromQuery(Number),
    /** The specification; null if an integration generates the pages. */
    spec: nullable(fromQuery((id: string): OpenAPISpecId => id)),
    slug: fromQuery(String),
  }),
  entries: fromQuery(fromJson<PageEntry[]>()),
});
export type ComputedSourceRow = RecordOf<typeof sourceRow>;

const specColumn = sql.raw(`v.data->>'$.fields.computed.dependencies.spec.ref.spec'`);

const isIntegrationSource = (column: string): SQL => sql.raw(`${column} GLOB 'integration:*'`);

/**
 * The CTE `computed(id, parent, spec, models)`: the live computed pages. Without any, it reads no row. `spec` is the
 * slug of a specification or the type of an integration's source, which is never a valid slug. Needs the CTE `lineage`.
 */
export const computedCte = sql`computed(id, parent, spec, models) AS MATERIALIZED (
  SELECT v.id, v.parent, ${specColumn}, v.data->>'$.fields.computed.props.models'
  FROM lineage l CROSS JOIN versions v INDEXED BY versions_specs
    ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.data->>'$.fields.computed.type' = 'builtin:openapi' AND v.kind = 'page' AND v.deleted = 0 AND ${isNearest}
  UNION ALL SELECT v.id, v.parent, v.data->>'$.fields.computed.type', 0
  FROM lineage l CROSS JOIN versions v INDEXED BY versions_integrated
    ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE ${isIntegrationSource("v.data->>'$.fields.computed.type'")} AND v.kind = 'page' AND v.deleted = 0 AND ${isNearest}
  ORDER BY 1 LIMIT ${maxSources})`;

const entryColumns = sql`e.ordinal, e.kind, e.parent, e.slug, e.title, substr(e.description, 1, ${maxDescription}), e.icon,
  EXISTS (SELECT 1 FROM openapi_entries o WHERE o.version = e.version AND o.kind = 'operation' AND o.parent = e.ordinal)`;

const selectEntries = (kind: SQL, condition: SQL): SQL =>
  sql`SELECT * FROM (SELECT ${entryColumns} FROM openapi_entries e INDEXED BY openapi_entries_of_kind
    WHERE e.version = made.id AND e.kind = ${kind} ${condition})`;

/**
 * The entries that become pages: each tag and each operation without a tag. All webhooks share one page, which the
 * first webhook represents, and so do all models.
 */
const pageEntries = sql`COALESCE((
  SELECT json_group_array(json_array(ordinal, kind, parent, slug, title, description, icon, filled)) FROM (
    WITH pages(ordinal, kind, parent, slug, title, description, icon, filled) AS (
      ${selectEntries(sql`'tag'`, sql``)}
      UNION ALL ${selectEntries(sql`'operation'`, sql`AND e.parent IS NULL`)}
      UNION ALL ${selectEntries(sql`'webhook'`, sql`LIMIT 1`)}
      UNION ALL ${selectEntries(sql`'model'`, sql`AND c.models LIMIT 1`)})
    SELECT * FROM pages ORDER BY ordinal LIMIT ${maxPages})), '[]')`;

/** The entries of pages that an integration generated. */
const contentEntries = sql`(SELECT json_group_array(
    json_array(ordinal, 'page', parent, slug, title, description, icon, 0, emoji, json(target)))
  FROM (SELECT * FROM computed_entries e WHERE e.version = k.version ORDER BY e.ordinal LIMIT ${maxPages}))`;

const selectTopSlugs = (kind: SQL): SQL => sql`SELECT * FROM (
  SELECT e.ordinal, e.slug FROM openapi_entries e INDEXED BY openapi_entries_of_kind
  WHERE e.version = u.version AND e.kind = ${kind} AND e.parent IS NULL ORDER BY e.ordinal LIMIT ${maxPages})`;

/**
 * An SQL expression for the slugs of the top-level entries as a JSON array. It has the same limit as the generated
 * pages.
 */
const topEntrySlugs = sql`(SELECT json_group_array(slug) FROM (
  SELECT slug FROM (${selectTopSlugs(sql`'tag'`)} UNION ALL ${selectTopSlugs(sql`'operation'`)}) ORDER BY ordinal LIMIT ${maxPages}))`;

/**
 * A SELECT of (parent, slug): the slugs of the pages generated from the computed pages in the CTE `under`, before
 * conflicts with siblings are resolved.
 */
const selectRequiredSlugs = (space: SQL<SpaceId>, mayBe: (slug: SQL) => SQL): SQL => sql`
  WITH named(parent, version) AS MATERIALIZED (
    SELECT c.parent, s.version FROM under c CROSS JOIN spaces o ON o.id = ${space}
    CROSS JOIN openapi_specs s ON s.organization = o.organization AND s.slug = c.spec)
  SELECT u.parent, e.value FROM named u CROSS JOIN json_each(${topEntrySlugs}) e WHERE ${mayBe(sql`e.value`)}
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

/** A SELECT of the source rows for a CTE that has the columns of `computed`. */
const selectSources = (computed: SQL, space: SQL<SpaceId>): SQL => sql`
    SELECT ${sourceColumns}
    FROM ${computed} c CROSS JOIN spaces o ON o.id = ${space}
    LEFT JOIN openapi_specs s ON s.organization = o.organization AND s.slug = c.spec
    LEFT JOIN openapi_versions made ON made.id = s.version
    LEFT JOIN computed_contents k ON ${isIntegrationSource('c.spec')} AND k.space = o.id AND k.page = c.id`;

/** Pages are nested at most this deep. */
const maxLevels = sql.raw('64');

const querySources = (lineage: SQL, space: SQL<SpaceId>, condition: SQL) =>
  sourceRow.query(sql`
    WITH ${createLineageCte(lineage)}, ${computedCte}
    ${selectSources(sql`computed`, space)} WHERE ${condition}`);

/** All computed pages of a lineage. */
export const readSources = prepareStatement((lineage: SQL<string>, space: SQL<SpaceId>) =>
  querySources(lineage, space, sql`1`),
);

/** Returns the query for the computed pages under a page of the live content; '' is the root. */
export const querySourcesUnder = (lineage: SQL, space: SQL<SpaceId>, parent: SQL<string>) =>
  querySources(lineage, space, sql`c.parent = ${parent}`);

/** Returns the SQL condition that the computed page `c` is a descendant of a page. */
const isBelow = (lineage: SQL<string>, id: SQL): SQL => sql`EXISTS (
  WITH RECURSIVE up(id, level) AS (
    SELECT c.parent, 1
    UNION ALL SELECT ${selectPageColumn(lineage, 'parent', sql`up.id`)}, level + 1 FROM up WHERE up.id <> '' AND level < ${maxLevels}
  ) SELECT 1 FROM up WHERE id = ${id})`;

/** The SQL of a `PageKey`. */
interface PageKeySql {
  key: SQL<string>;
  length: SQL<number>;
}

interface PageLookup {
  /** Returns an SQL expression for the id of the page itself, if it is a stored page. */
  selectId: (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL;
  /**
   * The CTE `place(id)`: the parent under which the page may be generated, which is the parent of its computed page.
   * Requires the CTEs `lineage` and `computed`.
   */
  parentCte: (keySql: PageKeySql) => SQL;
  /** Returns the SQL condition that an entry may belong to the page or have its slug. `slug` is an expression. */
  mayMatch: (slug: SQL, key: SQL<string>) => SQL;
}

/** The CTE `place(id)` for a page id: the parent of the computed page whose id is the prefix of the key. */
const createParentOfSourceCte = ({ key }: PageKeySql): SQL => sql`place(id) AS MATERIALIZED (
  SELECT parent FROM computed WHERE id = substr(${key}, 1, instr(${key}, '-') - 1))`;

/**
 * The CTE `place(id)` for a path: the deepest stored page on the path, if it has computed children. It is empty if all
 * pages of the path are stored.
 */
const createParentOnPathCte = ({ key, length }: PageKeySql): SQL => sql`walk(level, id) AS (
    SELECT 0, '' WHERE EXISTS (SELECT 1 FROM computed)
    UNION ALL
    SELECT level + 1, v.id FROM walk CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = walk.id
      AND v.slug = json_extract(${key}, '$[' || walk.level || ']') AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest} AND walk.level < ${length}
  ), place(id) AS MATERIALIZED (
    SELECT w.id FROM (SELECT id, level FROM walk ORDER BY level DESC LIMIT 1) w
    WHERE w.level < ${length} AND EXISTS (SELECT 1 FROM computed c WHERE c.parent = w.id))`;

/** A row, as JSON, of one of the queries that find a generated page and its siblings. */
const partRow = selection({ part: fromQuery(String), fields: fromQuery(fromJson<Row>()) });
export type GeneratedPageRow = RecordOf<typeof partRow>;

/** Separates the rows by query. */
export const splitGeneratedRows = (rows: readonly GeneratedPageRow[]) => ({
  beside: readPart(rows, 'beside', sourceRow),
  /** The computed pages. */
  siblings: readPart(rows, 'siblings', nodeRow),
  /** Slugs of written sibling pages that equal the slugs of generated pages. */
  taken: readPart(rows, 'taken', slugRow),
  above: readPart(rows, 'above', ancestorRow),
});

const readPart = <Record>(
  rows: readonly GeneratedPageRow[],
  name: string,
  reader: { read: (row: Row) => Record },
): Record[] => rows.flatMap(({ part, fields }) => (part === name ? [reader.read(fields)] : []));

/** The column names of `selectSources`. */
const sourceColumnNames = ['page', 'version_id', 'version_created_at', 'version_spec', 'version_slug', 'entries'];

const toJsonObject = (columns: string[]): SQL =>
  sql.raw(`json_object(${columns.map((each) => `'${each}', ${each}`).join(', ')})`);

/** Returns the rows of a subquery, each as one JSON value. If there is no parent page, the subquery does not run. */
const selectPart = (name: string, columns: string[], rows: SQL): SQL =>
  sql`SELECT ${sql.raw(`'${name}'`)}, each.value FROM place
    CROSS JOIN json_each((SELECT json_group_array(${toJsonObject(columns)}) FROM (${rows}))) each`;

/** Creates the query for a generated page with its siblings; their parent is found only once. */
const createGeneratedPageQuery =
  ({ parentCte, mayMatch }: PageLookup) =>
  (lineage: SQL<string>, key: SQL<string>, length: SQL<number>, space: SQL<SpaceId>) =>
    partRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, ${computedCte}, ${parentCte({ key, length })},
    under(id, parent, spec, models) AS MATERIALIZED (
      SELECT c.id, c.parent, c.spec, c.models FROM place p CROSS JOIN computed c ON c.parent = p.id)
    SELECT 'beside' AS part, ${toJsonObject(sourceColumnNames)} AS fields FROM (${selectSources(sql`under`, space)})
    UNION ALL ${selectPart('siblings', nodeColumns, sql`WITH ${selectNodes(sql`SELECT 'page', id FROM under`)}`)}
    UNION ALL ${selectPart('taken', Object.keys(slugRow.fields), sql`WITH RECURSIVE ${selectSlugs(selectRequiredSlugs(space, (slug) => mayMatch(slug, key)))}`)}
    UNION ALL ${selectPart('above', [...nodeColumns, 'level'], sql`WITH RECURSIVE ${selectAncestors(sql`SELECT id FROM place`)}`)}`);

const nodeColumns = Object.keys(nodeRow.fields);

/**
 * Prepares the statements for generated pages. `pagesBelow` reads the generated pages below a page, and
 * `generatedPage` those that may be the page itself. `queryGeneratedPage` is the same, not prepared.
 */
function createStatements(lookup: PageLookup) {
  const queryGenerated = createGeneratedPageQuery(lookup);
  return {
    queryGeneratedPage: queryGenerated,
    pagesBelow: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>, space: SQL<SpaceId>) =>
      querySources(lineage, space, isBelow(lineage, lookup.selectId(lineage, key, length))),
    ),
    generatedPage: prepareStatement(queryGenerated),
  };
}

/** Number of characters of a slug that are kept when a suffix is added to make it unique. */
const ownSlugLength = sql.raw('40');

export const generatedById = createStatements({
  selectId: (_, id) => id,
  parentCte: createParentOfSourceCte,
  mayMatch: () => sql`1`,
});
export const generatedByPath = createStatements({
  selectId: selectPageIdAtPath,
  parentCte: createParentOnPathCte,
  mayMatch: (slug, slugs) => sql`EXISTS (SELECT 1 FROM json_each(${slugs}) w
    WHERE substr(w.value, 1, min(length(${slug}), ${ownSlugLength})) = substr(${slug}, 1, ${ownSlugLength}))`,
});

/** Whether an id belongs to a generated page. */
export const isGeneratedId = (id: string): boolean => id.includes('-');

/** Returns the id of the computed page that a page is generated from. */
export const getSourceId = (id: string): string => id.slice(0, id.indexOf('-'));

/**
 * Identifies a page by its id (`length` is 0), or by its path: then `value` is a JSON array of `length` slugs. An empty
 * `value` is the first page of the space (see `selectFirstPageId`).
 */
export interface PageKey {
  value: string;
  length: number;
}

interface GeneratedReading {
  lineage: string | Lookup<string>;
  space: SpaceId;
}

/**
 * Returns two queries for a page: one for the generated pages below it, and one for the page itself, in case it is
 * generated. In a space without computed pages they read no rows.
 */
export function readGeneratedPage(
  { value: key, length }: PageKey,
  { lineage, space }: GeneratedReading,
  isWanted: boolean,
) {
  const statements = length === 0 ? generatedById : generatedByPath;
  const isPath = length > 0;
  const isKnown = isWanted && key !== '';
  const mayBeGenerated = isKnown && (isPath || isGeneratedId(key));
  const mayBeWritten = isKnown && (isPath || !isGeneratedId(key));
  return {
    below: mayBeWritten ? statements.pagesBelow(lineage, key, length, space) : [],
    made: mayBeGenerated ? statements.generatedPage(lineage, key, length, space) : [],
  };
}
