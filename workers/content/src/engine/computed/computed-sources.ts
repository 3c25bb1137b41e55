import type { OpenAPIEntryRecord, RecordOf } from '@octavo/db';
import { given, maybe, parsed, selection } from '@octavo/db';
import type { ComputedVersionId, LinkTarget, OpenAPISpecId, OpenAPIVersionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { seen } from '../nodes/find-nodes.ts';
import { maxShortDescription } from './short-description.ts';

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
export const sourceRow = selection({
  page: given(String),
  version: maybe({
    id: given((id: string): MadeVersionId => id),
    createdAt: given(Number),
    /** Null where it is an integration's. */
    spec: maybe(given((id: string): OpenAPISpecId => id)),
    slug: given(String),
  }),
  entries: given(parsed<PageEntry[]>()),
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
  WHERE v.data->>'$.fields.computed.type' = 'builtin:openapi' AND v.kind = 'page' AND v.deleted = 0 AND ${seen}
  UNION ALL SELECT v.id, v.parent, v.data->>'$.fields.computed.type', 0
  FROM lineage l CROSS JOIN versions v INDEXED BY versions_integrated
    ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE ${isIntegrated("v.data->>'$.fields.computed.type'")} AND v.kind = 'page' AND v.deleted = 0 AND ${seen}
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
export const wantedSlugs = (space: SQL<SpaceId>, mayBe: (slug: SQL) => SQL): SQL => sql`
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
export const sourcesAmong = (computed: SQL, space: SQL<SpaceId>): SQL => sql`
    SELECT ${sourceColumns}
    FROM ${computed} c CROSS JOIN spaces o ON o.id = ${space}
    LEFT JOIN openapi_specs s ON s.organization = o.organization AND s.slug = c.spec
    LEFT JOIN openapi_versions made ON made.id = s.version
    LEFT JOIN computed_contents k ON ${isIntegrated('c.spec')} AND k.space = o.id AND k.page = c.id`;
