import type { Check, RowsOf, Statement, Statements } from '@octavo/db';
import { commitChecked, runBatch } from '@octavo/db';
import { isCondition } from '@octavo/expression';
import type { Context } from '@octavo/runtime';
import type { NewEvent, publishing } from '@octavo/schema';
import { invalid, namesNothing, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import type { StructureView } from '../site-spaces/present-site-space.ts';
import { siteThere } from '../sites/write-site.ts';

export type StructureContext = Pick<
  Context<typeof publishing.deleteSiteSpaceById, PublishingEnvironment>,
  'db' | 'site' | 'actor' | 'organization' | 'commit' | 'urls'
>;

type Told = Pick<Extract<NewEvent, { type: `site_${string}` | `share_link.${string}` }>, 'type' | 'data'>;

interface Change {
  event: Told;
  checks?: Check[];
  statements: Statement[];
}

/** No statement of its own: drizzle's are thenable, and one that is awaited runs at once. */
type Batch = readonly Statement[] | { readonly [name: string]: Statements };

/** Commits a change of a site's structure, and gives what is read of it then; nothing is written where nothing changes. */
export async function writeStructure<Given extends Batch>(
  { db, site, commit }: Pick<StructureContext, 'db' | 'site' | 'commit'>,
  { event, checks = [], statements }: Change,
  read: Given,
): Promise<RowsOf<Given>> {
  if (statements.length === 0) return runBatch(db, read);
  return commitChecked(db, [siteThere(site), ...checks], async (guards) => {
    const told = { ...event, organization: site.organization } as NewEvent;
    const rows = await commit({ guards, statements, read }, [told]);
    return rows.read;
  });
}

/** How who manages a site sees it. */
export const managersView = ({ site, urls }: StructureContext): StructureView => ({ site, urls, isVisitor: false });

/** @throws ApiError invalid */
export function requireCondition(condition: string | null | undefined): void {
  if (condition == null || isCondition(condition)) return;
  throw invalid([{ path: 'body.condition', message: 'must be an expression over the claims of the visitor' }]);
}

/** The fields that were given. */
export const givenOf = <Fields extends object>(fields: Fields): Fields | undefined =>
  Object.values(fields).some((value) => value !== undefined) ? fields : undefined;

type Table = 'site_sections' | 'site_section_groups' | 'site_external_links' | 'site_share_links';

const names: Record<Table, string> = {
  site_sections: 'section',
  site_section_groups: 'section group',
  site_external_links: 'external link',
  site_share_links: 'share link',
};

const isOf = ({ site }: Pick<StructureContext, 'site'>, table: Table, id: string) =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE id = ${id} AND site = ${site.id})`;

/** What the path names is of the site. */
export const isThere = (context: Pick<StructureContext, 'site'>, table: Table, id: string): Check => ({
  holds: isOf(context, table, id),
  otherwise: () => notFound(names[table]),
});

/** What a field of the body names is of the site, if it names anything. */
export function isNamed(
  context: Pick<StructureContext, 'site'>,
  table: Table,
  { field, id }: { field: string; id: string | null | undefined },
): Check[] {
  if (id == null) return [];
  return [{ holds: isOf(context, table, id), otherwise: () => namesNothing(field, names[table]) }];
}
