import type { Database, Query, RecordOf, RevisionPoint, RowsOf, SiteRecord, SpaceLocation } from '@octavo/db';
import {
  computed,
  fromJson,
  fromQuery,
  isActive,
  locationsInSite,
  nullable,
  parseLocations,
  prepareStatement,
  runBatch,
  selection,
  siteById,
  spaceRank,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { TreeData } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { findShareKey } from '@octavo/runtime';
import type { Claims, LinkTarget, PageMetaLinks, SiteId, SpaceId, UserId, Visitor } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { isLink, soughtMadePage } from '../computed/computed-pages.ts';
import { isMadeId, readMade, sourceOf } from '../computed/sources.ts';
import type { LinkingText } from '../links/late-links.ts';
import type { ForeignTarget } from '../links/targets.ts';
import { readTarget } from '../links/targets.ts';
import { createSpaceScope, isPageShown } from '../reading/visibility.ts';
import {
  isNearest,
  lineageCte,
  pageStateIndex,
  readAllNodes,
  selectBranchLineage,
  selectPageIdAtPath,
  selectPageState,
} from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';

/** Who looks for places in the site that is visited. */
export interface SiteReading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  visitor: Visitor;
}

/** Where in the site a visitor finds a page, or a space. */
interface ShownPlace {
  ordinal: number;
  space: SpaceId;
  /** Undefined where a space was sought. */
  page: string | undefined;
  address: string;
  /** All places in the site in which the visitor is shown the space. */
  places: SpaceLocation[];
}

interface Seeking {
  /** Whether a page was sought under an ordinal, and not a space. */
  isOfPage: (ordinal: number) => boolean;
  madeIds?: ReadonlyMap<number, string>;
}

/** What was sought as far as the visitor is shown it: one round trip, and one more for pages that nobody wrote. */
export const findPlaces = async (
  reading: SiteReading,
  { sought, ...seeking }: Seeking & { sought: Query<SoughtPage> },
): Promise<ShownPlace[]> =>
  shownPlaces(reading, await runBatch(reading.db, readSought(reading.visitor, sought)), seeking);

/** The statements that find places, for a batch. */
export const readSought = ({ site }: Visitor, sought: Query<SoughtPage>) => ({ sites: siteById(site), rows: sought });

export type SoughtRows = RowsOf<ReturnType<typeof readSought>>;

/** What of their rows is shown; a round trip for pages that nobody wrote. */
async function shownPlaces(
  reading: SiteReading,
  { sites: [site], rows }: SoughtRows,
  { isOfPage, madeIds = new Map() }: Seeking,
): Promise<ShownPlace[]> {
  const { db, visitor } = reading;
  if (site === undefined) return [];
  const shown = rows.flatMap((row) => {
    const places = row.places.filter(holdsFor(visitor.claims));
    return places.length === 0 ? [] : [{ ...row, places }];
  });
  const made = await shownMadePages(db, { rows: shown, madeIds, claims: visitor.claims });
  const addressOf = await addressesIn(site, reading);
  return shown.flatMap((row) => {
    const { ordinal, space, places } = row;
    const [place] = places;
    const found = made.get(ordinal) ?? pageOf(row, visitor.claims);
    if (place === undefined || (found === undefined && isOfPage(ordinal))) return [];
    return [{ ordinal, space, page: found?.page, places, address: addressOf(place, found?.path) }];
  });
}

const holdsFor =
  (claims: Claims) =>
  ({ conditions }: SpaceLocation): boolean =>
    conditions.every((condition) => isShownTo(condition, claims));

/** The page that was found with its path, where the conditions of it and of all above it hold. */
function pageOf({ page, chain, variables }: SoughtPage, claims: Claims): { page: string; path: string } | undefined {
  const whole = chain?.filter((state) => state !== null) ?? [];
  const type = whole[0]?.[2];
  if (page === null || whole.length !== chain?.length || (type !== 'document' && type !== 'group')) return undefined;
  const scope = { ...createSpaceScope([], claims), space: { vars: variables ?? {} } };
  const isShown = whole.every(([, , , condition, vars]) => isPageShown({ condition, variables: vars }, scope));
  const path = whole.map(([, slug]) => slug).reverse();
  return isShown ? { page, path: path.join('/') } : undefined;
}

async function addressesIn(site: SiteRecord, { urls, env, visitor }: SiteReading) {
  const shareKey = await findShareKey(env, visitor);
  return ({ section, siteSpace }: SpaceLocation, page?: string): string =>
    urls.published(site, { shareKey, section: section ?? undefined, siteSpace, page });
}

/** So many places in other spaces are looked up for one answer; links to others lead nowhere. */
const maxForeign = 500;

/** What an answer holds that may refer to other spaces: texts with their nodes, and pages, which may be links. */
interface Referring {
  texts: LinkingText[];
  pages: Node[];
}

/** The places in other spaces that texts and pages refer to. */
function targetsIn({ texts, pages }: Referring, origin: { space: SpaceId; urls: Urls }): ForeignTarget[] {
  const ofTexts = texts.flatMap((text) =>
    text.markdown.includes('/spaces/')
      ? text.targets.flatMap((target) => {
          const read = readTarget(target, { ...origin, node: text.node });
          return read.kind === 'app' && read.foreign !== undefined ? [read.foreign] : [];
        })
      : [],
  );
  return [...ofTexts, ...pages.flatMap((page) => foreignTarget(getPageFields(page).target) ?? [])];
}

/** What a link page leads to outside of its space. */
export function foreignTarget(target: LinkTarget | undefined): ForeignTarget | undefined {
  if (target?.kind === 'space') return { space: target.space, anchor: '' };
  if ((target?.kind !== 'page' && target?.kind !== 'anchor') || target.space === undefined) return undefined;
  return { space: target.space, page: target.page, anchor: target.kind === 'anchor' ? target.anchor : '' };
}

const keyOf = ({ space, page, slugs }: ForeignTarget): string => JSON.stringify([space, page ?? null, slugs ?? null]);

/** Places in other spaces of the site that a visitor is shown; others are not there. */
export class ForeignPlaces {
  readonly #places: ReadonlyMap<string, ShownPlace>;

  constructor(places: ReadonlyMap<string, ShownPlace>) {
    this.#places = places;
  }

  /** The address of what is shown. */
  addressOf(target: ForeignTarget): string | undefined {
    const address = this.#places.get(keyOf(target))?.address;
    return address === undefined || target.anchor === '' ? address : `${address}#${target.anchor}`;
  }

  /** A reference to what is shown, by its ids and with its address. */
  referenceTo(target: ForeignTarget): TreeData | undefined {
    const { space, page } = this.#places.get(keyOf(target)) ?? {};
    const href = this.addressOf(target);
    if (space === undefined || href === undefined) return undefined;
    if (page === undefined) return { kind: 'space', space, href };
    return target.anchor === ''
      ? { kind: 'page', page, space, href }
      : { kind: 'anchor', anchor: target.anchor, page, space, href };
  }
}

interface ForeignReading extends SiteReading {
  space: SpaceId;
  /** As operations have it: what is told of other spaces changes without the revision. */
  addToEtag: (what: string | undefined) => void;
}

/** The places in other spaces that an answer may tell of: one round trip, and none where it refers to none. */
export async function readForeign(referring: Referring, reading: ForeignReading): Promise<ForeignPlaces | undefined> {
  const distinct = new Map(targetsIn(referring, reading).map((target) => [keyOf(target), target]));
  const keys = [...distinct.keys()].slice(0, maxForeign);
  if (keys.length === 0) return undefined;
  const { visitor } = reading;
  const sought = soughtByName(visitor.site, visitor.user ?? null, `[${keys.join()}]`);
  const wanted = keys.map((key) => distinct.get(key));
  const isOfPage = (ordinal: number) => (wanted[ordinal]?.page ?? wanted[ordinal]?.slugs) !== undefined;
  const madeIds = madeIdsOf(wanted.map((target) => target?.page));
  const found = await findPlaces(reading, { sought, isOfPage, madeIds });
  const places = new Map(found.map((place) => [keys[place.ordinal] ?? '', place]));
  reading.addToEtag(JSON.stringify([...places].map(([key, { page, address }]) => [key, page, address])));
  return new ForeignPlaces(places);
}

interface AlternatesSought {
  visitor: Visitor;
  point: RevisionPoint;
  space: { id: SpaceId };
}

/** The statements that find a page in the spaces beside its own, for a batch. */
export const readAlternates = (page: string, { visitor, point, space: { id } }: AlternatesSought) =>
  readSought(visitor, soughtBeside(visitor.site, visitor.user ?? null, id, page, JSON.stringify(point.lineage)));

interface AlternatesReading extends SiteReading {
  /** As operations have it: alternates change without the revision. */
  addToEtag: (what: string | undefined) => void;
}

/**
 * A page in the spaces that stand beside its own, as languages and versions do: by its id, which a copy of a space keeps,
 * else by its path. Only what a visitor is shown there, in a section in which the page's own space is shown too. A round
 * trip only for a page that nobody wrote.
 */
export async function alternatesOf(
  page: string,
  rows: SoughtRows,
  reading: AlternatesReading,
): Promise<PageMetaLinks['alternates']> {
  const madeIds = isMadeId(page)
    ? new Map(Array.from({ length: maxBeside }, (_, index) => [index + 1, page]))
    : undefined;
  const isOfPage = (ordinal: number) => ordinal > 0;
  const [own, ...others] = await shownPlaces(reading, rows, { isOfPage, ...(madeIds && { madeIds }) });
  const sections = new Set(own?.ordinal === 0 ? own.places.map(({ section }) => section?.id) : []);
  const beside = others.filter(({ places }) => places.some(({ section }) => sections.has(section?.id)));
  const alternates = [...new Map(beside.map((each) => [each.space, each])).values()].map(
    ({ space, page: found = '', address }) => ({ kind: 'page' as const, page: found, space, href: address }),
  );
  reading.addToEtag(JSON.stringify(alternates));
  return alternates;
}

/** Pages of so many computed pages are looked for; links to those of others lead nowhere. */
const maxSources = 10;

interface MadePagesSought {
  rows: SoughtPage[];
  /** What was asked for by an id of a page that nobody wrote, by the ordinals. */
  madeIds: ReadonlyMap<number, string>;
  claims: Claims;
}

/** Pages that are made of computed ones, with their paths, by the ordinals of what was sought; no trip without any. */
async function shownMadePages(db: Database, { rows, madeIds, claims }: MadePagesSought) {
  const wanted = rows.flatMap((row) => {
    const id = madeIds.get(row.ordinal);
    return id === undefined || row.page !== null ? [] : [{ ...row, id }];
  });
  const groups = [...Map.groupBy(wanted, ({ space, id }) => `${space} ${sourceOf(id)}`).values()].slice(0, maxSources);
  const reads = groups.map(([first]) => {
    const { lineage = '[]', id: key = '', space = '' } = first ?? {};
    const { made } = readMade({ value: key, length: 0 }, { lineage, space }, true);
    return { made, variables: readAllNodes(lineage, 'variable') };
  });
  const found = new Map<number, { page: string; path: string }>();
  if (groups.length === 0) return found;
  const answers = Object.values(await runBatch(db, Object.fromEntries(reads.entries())));
  for (const [index, answer] of answers.entries()) {
    const scope = createSpaceScope(toNodes(answer.variables), claims);
    for (const { ordinal, id } of groups[index] ?? []) {
      const made = soughtMadePage(answer.made, id, 0);
      const upwards = made === undefined ? [] : [made.page, ...made.ancestors];
      if (!upwards.every((node) => isPageShown(getPageFields(node), scope)) || made === undefined || isLink(made.page))
        continue;
      const path = upwards.map(({ slug }) => slug).reverse();
      found.set(ordinal, { page: id, path: path.join('/') });
    }
  }
  return found;
}

/** The ids of pages that nobody wrote, of those that are sought, by their places there. */
export const madeIdsOf = (ids: (string | undefined)[]): Map<number, string> =>
  new Map(ids.flatMap((id, ordinal) => (id !== undefined && isMadeId(id) ? [[ordinal, id] as const] : [])));

type Vars = Record<string, string | number | boolean>;

/** A page on the way up; null where a page is gone. */
type State = [parent: string, slug: string, type: string, condition: string | null, variables: Vars | null] | null;

/** A page that was sought in the live content of a space of a site, with what decides on who is shown it. */
const soughtRow = selection({
  ordinal: fromQuery(Number),
  space: fromQuery((id: string) => id as SpaceId),
  lineage: fromQuery(String),
  /** Null where a space is sought, or the page is not there. */
  page: nullable(fromQuery(String)),
  places: computed(parseLocations, sql`places`),
  /** The page and all above it, itself first. */
  chain: nullable(fromQuery(fromJson<State[]>())),
  /** The variables of the space, where conditions of the chain may name them. */
  variables: nullable(fromQuery(fromJson<Vars>())),
});
type SoughtPage = RecordOf<typeof soughtRow>;

const maxLevels = sql.raw(String(maxPageDepth));

/** An expression: the state of a page in a lineage in JSON; both are expressions. */
const stateIn = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)} SELECT ${selectPageState(id)})`;

const variablesIn = (lineage: SQL): SQL => sql`(
  WITH ${lineageCte(lineage)} SELECT json_group_object(v.id, json(v.data->'$.fields.value')) FROM lineage l
  CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'variable' AND v.until > l.seq AND v.since <= l.seq
  WHERE v.deleted = 0 AND ${isNearest})`;

/** Of a member, or whoever previews, those that the user may see; a visitor sees what the site shows. */
const homesCte = (site: SQL<SiteId>, user: SQL<UserId | null>): SQL => {
  const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return sql`homes(space, lineage, places) AS MATERIALIZED (
    SELECT s.id, ${selectBranchLineage(sql`s.id`)}, ${locationsInSite}
    FROM (SELECT DISTINCT space FROM wanted) w CROSS JOIN sites st ON st.id = ${site}
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = w.space AND s.organization = st.organization AND s.deleted_at IS NULL AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    WHERE EXISTS (SELECT 1 FROM site_spaces x INDEXED BY site_spaces_by_space WHERE x.space = s.id AND x.site = st.id)
      AND (${user} IS NULL OR COALESCE(${rank}, 0) > 0))`;
};

/**
 * Looks up pages of spaces that a site shows: rows follow what is wanted. `wanted` is a SELECT of (ordinal, space, page,
 * slugs): a page by its id, else by its path, as a JSON array of slugs; without either the space itself.
 */
const soughtIn = (wanted: SQL, { site, user }: { site: SQL<SiteId>; user: SQL<UserId | null> }) => {
  const above = sql`(u.state->>${pageStateIndex.parent})`;
  const byPath = selectPageIdAtPath(sql`h.lineage`, sql<string>`w.slugs`, sql<number>`json_array_length(w.slugs)`);
  const columns = soughtRow.with({
    ordinal: sql`w.ordinal`,
    space: sql`h.space`,
    lineage: sql`h.lineage`,
    page: sql`b.id`,
    chain: sql`c.chain`,
    variables: sql`CASE WHEN c.conditions LIKE '%space%' THEN k.variables END`,
  });
  return soughtRow.query(sql`
    WITH RECURSIVE wanted(ordinal, space, page, slugs) AS MATERIALIZED (${wanted}), ${homesCte(site, user)},
    begun(ordinal, lineage, id) AS MATERIALIZED (
      SELECT w.ordinal, h.lineage, COALESCE(CASE WHEN ${stateIn(sql`h.lineage`, sql`w.page`)} IS NOT NULL THEN w.page END, ${byPath})
      FROM wanted w CROSS JOIN homes h ON h.space = w.space WHERE w.page IS NOT NULL OR w.slugs IS NOT NULL
    ), up(ordinal, place, lineage, state) AS (
      SELECT b.ordinal, 0, b.lineage, ${stateIn(sql`b.lineage`, sql`b.id`)} FROM begun b WHERE b.id IS NOT NULL
      UNION ALL
      SELECT u.ordinal, u.place + 1, u.lineage, ${stateIn(sql`u.lineage`, above)} FROM up u
      WHERE ${above} <> '' AND u.place <= ${maxLevels}
    ), chains(ordinal, chain, conditions) AS MATERIALIZED (
      SELECT ordinal, json_group_array(json(state) ORDER BY place), group_concat(state->>${pageStateIndex.condition}) FROM up GROUP BY ordinal
    ), scopes(space, variables) AS MATERIALIZED (
      SELECT h.space, ${variablesIn(sql`h.lineage`)} FROM homes h WHERE h.space IN (
        SELECT w.space FROM chains c CROSS JOIN wanted w ON w.ordinal = c.ordinal WHERE c.conditions LIKE '%space%')
    )
    SELECT ${columns} FROM wanted w CROSS JOIN homes h ON h.space = w.space
    LEFT JOIN begun b ON b.ordinal = w.ordinal LEFT JOIN chains c ON c.ordinal = w.ordinal
    LEFT JOIN scopes k ON k.space = w.space ORDER BY w.ordinal`);
};

/** Pages that are named, as JSON: a list of [space, page, slugs], the latter two or null. */
export const soughtByName = prepareStatement((site: SQL<SiteId>, user: SQL<UserId | null>, named: SQL<string>) =>
  soughtIn(sql`SELECT key, value->>0, value->>1, value->>2 FROM json_each(${named})`, { site, user }),
);

/** An expression: the slugs on the way to a page, in JSON. */
const slugsOf = (lineage: SQL<string>, page: SQL<string>): SQL => sql`(
  WITH RECURSIVE ${lineageCte(lineage)}, rise(level, state) AS (
    SELECT 0, ${selectPageState(page)}
    UNION ALL
    SELECT level + 1, ${selectPageState(sql`(rise.state->>${pageStateIndex.parent})`)} FROM rise
    WHERE rise.state->>${pageStateIndex.parent} <> '' AND level <= ${maxLevels})
  SELECT json_group_array(state->>${pageStateIndex.slug} ORDER BY level DESC) FROM rise)`;

/** So many other site spaces of its sections are looked through for a page of a space. */
const maxBeside = 30;

/** The space itself, and the page of a lineage in the spaces that stand beside it in its sections, or in a site without sections. */
export const soughtBeside = prepareStatement(
  (site: SQL<SiteId>, user: SQL<UserId | null>, space: SQL<SpaceId>, page: SQL<string>, lineage: SQL<string>) =>
    soughtIn(
      sql`SELECT 0, ${space}, NULL, NULL UNION ALL SELECT ordinal, space, ${page}, ${slugsOf(lineage, page)} FROM (
        SELECT row_number() OVER (ORDER BY sec.position, beside.position, beside.id) AS ordinal, beside.space FROM (
          SELECT DISTINCT own.section FROM site_spaces own INDEXED BY site_spaces_by_space
          WHERE own.space = ${space} AND own.site = ${site}) here
        CROSS JOIN site_spaces beside INDEXED BY site_spaces_by_place ON beside.site = ${site} AND beside.section = here.section
        LEFT JOIN site_sections sec ON sec.id = beside.section
        WHERE beside.space <> ${space} ORDER BY ordinal LIMIT ${sql.raw(String(maxBeside))})`,
      { site, user },
    ),
);
