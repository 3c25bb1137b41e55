import type { Database, Query, RowsOf, SiteRecord, SpacePlace } from '@octavo/db';
import { runBatch, siteById } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Urls } from '@octavo/runtime';
import { shareKeyFor } from '@octavo/runtime';
import type { Claims, SpaceId, Visitor } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { isPageShown, scopeOfSpace } from '../reading/shown-pages.ts';
import { shownMadePages } from './made-pages.ts';
import type { SoughtPage } from './sought-pages.ts';

/** Who looks for places in the site that is visited. */
export interface SiteReading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  visitor: Visitor;
}

/** Where in the site a visitor finds a page, or a space. */
export interface ShownPlace {
  ordinal: number;
  space: SpaceId;
  /** Undefined where a space was sought. */
  page: string | undefined;
  address: string;
  /** All places in the site in which the visitor is shown the space. */
  places: SpacePlace[];
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
export async function shownPlaces(
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
  ({ conditions }: SpacePlace): boolean =>
    conditions.every((condition) => isShownTo(condition, claims));

/** The page that was found with its path, where the conditions of it and of all above it hold. */
function pageOf({ page, chain, variables }: SoughtPage, claims: Claims): { page: string; path: string } | undefined {
  const whole = chain?.filter((state) => state !== null) ?? [];
  const type = whole[0]?.[2];
  if (page === null || whole.length !== chain?.length || (type !== 'document' && type !== 'group')) return undefined;
  const scope = { ...scopeOfSpace([], claims), space: { vars: variables ?? {} } };
  const isShown = whole.every(([, , , condition, vars]) => isPageShown({ condition, variables: vars }, scope));
  const path = whole.map(([, slug]) => slug).reverse();
  return isShown ? { page, path: path.join('/') } : undefined;
}

async function addressesIn(site: SiteRecord, { urls, env, visitor }: SiteReading) {
  const shareKey = await shareKeyFor(env, visitor);
  return ({ section, siteSpace }: SpacePlace, page?: string): string =>
    urls.published(site, { shareKey, section: section ?? undefined, siteSpace, page });
}
