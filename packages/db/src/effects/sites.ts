import type { BranchId, Caller, NewEvent, OrganizationId, SiteId, SpaceId } from '@octavo/schema';
import { invalidatedSites } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import type { Statement } from '../query.ts';
import { organizations } from '../tables/org-admin.ts';
import type { CausedEvent } from './events.ts';
import type { Effect } from './installations.ts';
import { createSiteUninstallEvents } from './installations.ts';

/**
 * The versions of a site, each with the pages whose texts changed in it. The first version is the one before these
 * edits.
 */
type TextEdits = [shown: number, pages: string[]][];

/** The number of edits that a site stores. */
const maxTextEdits = 32;
/** If an edit changes the texts of more pages, it counts as a change of everything. */
const maxEditedPages = 4;

/** The next version of a site, and the version that precedes it. */
interface Versions {
  next: SQL;
  shown: SQL;
}

/**
 * Returns the SQL that adds an edit of the texts of `pages` to the stored edits of a site. If the newest stored version
 * is not the current version of the site, something other than texts has changed after it. In this case, the previous
 * edits are deleted. Links to files in a customization depend on the texts that use the files, so edits of a site with
 * such links are not stored.
 */
function selectTextEdits(pages: readonly string[], { next, shown }: Versions): SQL {
  const start = sql`json_array(json_array(${shown}, json_array()))`;
  const kept = sql`CASE WHEN text_edits ->> '$[#-1][0]' IS NOT ${shown} THEN ${start}
    WHEN json_array_length(text_edits) > ${sql.raw(String(maxTextEdits))} THEN json_remove(text_edits, '$[0]')
    ELSE text_edits END`;
  return sql`CASE WHEN EXISTS (SELECT 1 FROM site_customizations c
      WHERE c.site = sites.id AND instr(c.settings, '"file"') > 0) THEN '[]'
    ELSE json_insert(${kept}, '$[#]', json_array(${next}, json(${JSON.stringify(pages)}))) END`;
}

/** Stores an edit of texts for the sites that show the space, and increases their versions. */
const addTextEdit = (
  db: Database,
  { space, pages, versions }: { space: SpaceId; pages: readonly string[]; versions: Versions },
): Statement =>
  db.run(sql`UPDATE sites SET shown = ${versions.next}, text_edits = ${selectTextEdits(pages, versions)}
    WHERE id IN (SELECT site FROM site_spaces WHERE space = ${space})`);

/**
 * Returns the pages whose texts changed since a version of a site; undefined if anything else may have changed.
 * `textEdits` is the stored JSON.
 */
export function findEditedPages(
  textEdits: string,
  { since, shown }: { since: number; shown: number },
): string[] | undefined {
  if (since === shown) return [];
  const edits = JSON.parse(textEdits) as TextEdits;
  const index = edits.findIndex(([version]) => version === since);
  if (index < 0 || edits.at(-1)?.[0] !== shown) return undefined;
  return edits.slice(index + 1).flatMap(([, pages]) => pages);
}

const siteTables = [
  'site_sections',
  'site_section_groups',
  'site_spaces',
  'site_external_links',
  'site_share_links',
  'site_redirects',
  'site_customizations',
  'site_adaptive_schemas',
  'site_places',
  'site_former_addresses',
  'site_installations',
  'page_feedback_counts',
];

/** The number of ratings that are deleted with a site. The others are deleted later, in chunks. */
const maxDeletedRatings = 1000;

/**
 * Deletes a site with its content. If it is the default site of its organization, the organization is left without one.
 */
export const deleteSite = (
  db: Database,
  { id, organization }: { id: SiteId; organization: OrganizationId },
): Effect => ({
  statements: [
    db.run(sql`DELETE FROM sites WHERE id = ${id} AND organization = ${organization}`),
    ...siteTables.map((table) => db.run(sql`DELETE FROM ${sql.raw(table)} WHERE site = ${id}`)),
    db.run(sql`DELETE FROM page_feedback
      WHERE id IN (SELECT id FROM page_feedback WHERE site = ${id} LIMIT ${maxDeletedRatings})`),
    db
      .update(organizations)
      .set({ defaultContent: null })
      .where(and(eq(organizations.id, organization), sql`default_content->>'site' = ${id}`)),
  ],
  events: [createSiteUninstallEvents(organization, id)],
});

/** A condition on `site_spaces` as a function of the table alias. */
type SiteSpaceCondition = (alias: SQL) => SQL;

/**
 * Reassigns the default of each level whose default site space is selected. The new default is the first other site
 * space whose space is not in the trash. If all other spaces are in the trash, it is the first other site space. If the
 * level has no other site space, it is a selected one.
 */
export function reassignDefaults(db: Database, condition: SiteSpaceCondition): Statement[] {
  const [x, y] = [sql.raw('x'), sql.raw('y')];
  const levels = sql`SELECT DISTINCT x.site, x.section FROM site_spaces x WHERE ${condition(x)}`;
  return [
    db.run(sql`UPDATE site_spaces SET is_default = 0
      WHERE is_default = 1 AND id IN (SELECT x.id FROM site_spaces x WHERE ${condition(x)})`),
    db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id IN (
      SELECT (SELECT y.id FROM site_spaces y LEFT JOIN spaces s ON s.id = y.space
        WHERE y.site = level.site AND y.section = level.section
        ORDER BY ${condition(y)}, s.id IS NULL OR s.deleted_at IS NOT NULL, y.position, y.id LIMIT 1)
      FROM (${levels}) level WHERE NOT EXISTS (
        SELECT 1 FROM site_spaces z WHERE z.site = level.site AND z.section = level.section AND z.is_default = 1))`),
  ];
}

/** Removes site spaces from their sites and reassigns the defaults of their levels. */
export const deleteSiteSpaces = (db: Database, condition: SiteSpaceCondition): Statement[] => [
  ...reassignDefaults(db, condition),
  db.run(sql`DELETE FROM site_spaces WHERE id IN (SELECT x.id FROM site_spaces x WHERE ${condition(sql.raw('x'))})`),
];

/** Returns a condition for site spaces that show a space. */
export const showsSpace =
  (space: SpaceId): SiteSpaceCondition =>
  (alias) =>
    sql`${alias}.space = ${space}`;

/** Returns a condition for site spaces that show one of the spaces of a SELECT. */
export const showsAnySpace =
  (spaces: SQL): SiteSpaceCondition =>
  (alias) =>
    sql`${alias}.space IN (${spaces})`;

/**
 * Returns a condition for site spaces whose space is in the trash, if they are siblings of a site space that shows the
 * given space.
 */
export const isTrashedSibling =
  (space: SpaceId): SiteSpaceCondition =>
  (alias) =>
    sql`${alias}.id IN (SELECT b.id FROM site_spaces o CROSS JOIN site_spaces b ON b.site = o.site AND b.section = o.section
      CROSS JOIN spaces t ON t.id = b.space AND t.deleted_at IS NOT NULL WHERE o.space = ${space})`;

interface AffectedIds {
  site: Set<SiteId>;
  space: Set<SpaceId>;
  /** The pages of each space whose texts changed. */
  texts: Map<SpaceId, readonly string[]>;
  organization: Set<OrganizationId>;
  user: Set<string>;
}

function addAffectedIds(affected: AffectedIds, { actor }: Caller, event: CausedEvent): void {
  const kind = invalidatedSites[event.type];
  const { organization, space, data = {}, texts } = event as Partial<NewEvent>;
  const { site, branch } = data as { site?: SiteId; branch?: BranchId };
  if (kind === 'site' && site !== undefined) affected.site.add(site);
  // Events about rows name only the organization.
  else if (kind === 'organization' || (kind === 'space' && 'rows' in event) || (kind === 'site' && 'rows' in event)) {
    if (organization !== undefined) affected.organization.add(organization);
  } else if (space !== undefined && (kind === 'space' || (kind === 'head' && branch === space))) {
    if (texts === undefined || texts.length > maxEditedPages) affected.space.add(space);
    else affected.texts.set(space, texts);
  } else if (kind === 'user') affected.user.add(actor);
}

const selectIds = (ids: ReadonlySet<string>): SQL => sql`(SELECT value FROM json_each(${JSON.stringify([...ids])}))`;

/**
 * The next value of `shown`, greater than the current one. After a backup is restored, the value is also greater than
 * all values that were used after the backup, because caches can still contain pages with those values.
 */
const nextShown = sql.raw("MAX(shown + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))");

/**
 * Increases `shown` for the sites, or for all sites of an organization, whose visitors see a change.
 * `invalidatedSites` lists the affected sites for each event.
 */
export function increaseShownVersions(db: Database, caller: Caller, events: readonly CausedEvent[]): Statement[] {
  const [site, space, texts] = [new Set<SiteId>(), new Set<SpaceId>(), new Map<SpaceId, readonly string[]>()];
  const [organization, user] = [new Set<OrganizationId>(), new Set<string>()];
  for (const event of events) addAffectedIds({ site, space, texts, organization, user }, caller, event);
  const versions = { next: nextShown, shown: sql.raw('shown') };
  const countSites = (condition: SQL) => db.run(sql`UPDATE sites SET shown = ${nextShown} WHERE ${condition}`);
  const countOrganizations = (condition: SQL) =>
    db.run(sql`UPDATE organizations SET shown = ${nextShown} WHERE ${condition}`);
  return [
    ...[...texts].map(([id, pages]) => addTextEdit(db, { space: id, pages, versions })),
    ...(site.size === 0 ? [] : [countSites(sql`id IN ${selectIds(site)}`)]),
    ...(space.size === 0
      ? []
      : [countSites(sql`id IN (SELECT site FROM site_spaces WHERE space IN ${selectIds(space)})`)]),
    ...(organization.size === 0 ? [] : [countOrganizations(sql`id IN ${selectIds(organization)}`)]),
    ...(user.size === 0
      ? []
      : [countOrganizations(sql`id IN (SELECT organization FROM members WHERE user IN ${selectIds(user)})`)]),
  ];
}
