import type { Check, RowsOf, Statement, Statements } from '@octavo/db';
import { commitChecked, runBatch } from '@octavo/db';
import { isCondition } from '@octavo/expression';
import { slugify } from '@octavo/markdown';
import type { Context } from '@octavo/runtime';
import type { NewEvent, publishing, SiteId } from '@octavo/schema';
import { conflict, invalid, notFound, targetNotFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { createSiteExistenceCheck } from '../sites/write-site.ts';
import type { StructureView } from './queries.ts';

export type StructureContext = Pick<
  Context<typeof publishing.deleteSiteSpaceById, PublishingEnvironment>,
  'db' | 'site' | 'actor' | 'organization' | 'commit' | 'urls'
>;

type StructureEvent = Pick<Extract<NewEvent, { type: `site_${string}` | `share_link.${string}` }>, 'type' | 'data'>;

interface Change {
  event: StructureEvent;
  checks?: Check[];
  statements: Statement[];
}

/** A single statement is not allowed: drizzle statements are thenable, so awaiting one would run it. */
type Batch = readonly Statement[] | { readonly [name: string]: Statements };

/** Commits a change of a site's structure and returns the rows of `input`. Without statements, it only reads. */
export async function writeStructure<Given extends Batch>(
  { db, site, commit }: Pick<StructureContext, 'db' | 'site' | 'commit'>,
  { event, checks = [], statements }: Change,
  input: Given,
): Promise<RowsOf<Given>> {
  if (statements.length === 0) return runBatch(db, input);
  return commitChecked(db, [createSiteExistenceCheck(site), ...checks], async (guards) => {
    const events = { ...event, organization: site.organization } as NewEvent;
    const rows = await commit({ guards, statements, read: input }, [events]);
    return rows.read;
  });
}

/** Returns the view of a caller who manages the site. */
export const createManagerView = ({ site, urls }: StructureContext): StructureView => ({
  site,
  urls,
  isVisitor: false,
});

/** @throws ApiError invalid */
export function requireCondition(condition: string | null | undefined): void {
  if (condition == null || isCondition(condition)) return;
  throw invalid([{ path: 'body.condition', message: 'must be an expression that uses visitor.claims' }]);
}

/** Returns the fields, or undefined if all are undefined. */
export const omitIfEmpty = <Fields extends object>(fields: Fields): Fields | undefined =>
  Object.values(fields).some((value) => value !== undefined) ? fields : undefined;

type Table = 'site_sections' | 'site_section_groups' | 'site_external_links' | 'site_share_links';

const names: Record<Table, string> = {
  site_sections: 'section',
  site_section_groups: 'section group',
  site_external_links: 'external link',
  site_share_links: 'share link',
};

const selectExists = ({ site }: Pick<StructureContext, 'site'>, table: Table, id: string) =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE id = ${id} AND site = ${site.id})`;

/** Checks that the object in the path belongs to the site. */
export const createItemInPathCheck = (context: Pick<StructureContext, 'site'>, table: Table, id: string): Check => ({
  condition: selectExists(context, table, id),
  createError: () => notFound(names[table]),
});

/** Checks that the object in a field of the body belongs to the site. */
export function createItemInBodyChecks(
  context: Pick<StructureContext, 'site'>,
  table: Table,
  { field, id }: { field: string; id: string | null | undefined },
): Check[] {
  if (id == null) return [];
  return [{ condition: selectExists(context, table, id), createError: () => targetNotFound(field, names[table]) }];
}

const maxOfSite = { site_sections: 100, site_section_groups: 50, site_external_links: 100, site_share_links: 100 };
const pluralNames: Record<keyof typeof maxOfSite, string> = {
  site_sections: 'sections',
  site_section_groups: 'section groups',
  site_external_links: 'external links',
  site_share_links: 'share links',
};

export const createItemLimitCheck = (site: SiteId, table: keyof typeof maxOfSite, added = 1): Check => ({
  condition: sql`(SELECT COUNT(*) FROM ${sql.raw(table)} WHERE site = ${site}) <= ${sql.raw(String(maxOfSite[table] - added))}`,
  createError: () => conflict(`A site can have at most ${maxOfSite[table]} ${pluralNames[table]}.`),
});

/** Checks that the site has sections, which groups and external links require. */
export const createSectionsCheck = (site: SiteId): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM site_sections WHERE site = ${site})`,
  createError: () => conflict('The site has no sections yet. Add one first.'),
});

/** Maximum number that is tried as a suffix. It is greater than the maximum number of siblings. */
const maxNumber = 2000;
const longestWithNumber = 95;

/** SQL for a free path derived from a title: the slug, or the first free one of slug-2, slug-3 and so on. */
export function selectFreePath(title: string, isTaken: (path: SQL) => SQL): SQL {
  const slug = slugify(title);
  const stem =
    slug
      .slice(0, longestWithNumber)
      .toWellFormed()
      .replace(/[\ufffd-]+$/u, '') || 'page';
  return sql`(WITH RECURSIVE numbered(n, path) AS (
      SELECT 1, ${slug} UNION ALL SELECT n + 1, ${stem} || '-' || (n + 1) FROM numbered WHERE n < ${sql.raw(String(maxNumber))})
    SELECT path FROM numbered WHERE NOT ${isTaken(sql`numbered.path`)} LIMIT 1)`;
}
