import { isShownTo } from '@octavo/expression';
import type { Claims, FormerPath, ResolvedPage } from '@octavo/schema';
import type { PlaceInSite } from './find-place.ts';
import type { FoundSite } from './find-site.ts';
import type { ClaimantRecord, ClaimRecord } from './former-places-sql.ts';

interface PathOfLevel {
  path: string;
  isDefault: boolean;
}

/** Where what an address was once of stands now, and what of the address was left for its space, and when. */
export interface FormerPlace {
  section: PathOfLevel | undefined;
  siteSpace: PathOfLevel & { id: string };
  reading: FormerPath;
}

type Times = FormerPath['times'];

const maxPlaces = 6;
const maxTimes = 32;

interface Asked {
  segments: string[];
  claims: Claims | null;
  /** Where the address leads now. */
  place: PlaceInSite;
}

/**
 * The places that an address was of, where there are others than that of which it is; the last first. What stood in the
 * way of another is taken off its time.
 */
export function formerPlaces(
  { claims: all, claimants }: Pick<FoundSite, 'claims' | 'claimants'>,
  asked: Asked,
): FormerPlace[] {
  const { segments, claims, place } = asked;
  if (place.rest.length === 0) return [];
  const depths = new Map(prefixesOf(segments).map((path, depth) => [path, depth]));
  const met = all.filter(({ path }) => depths.has(path));
  const shown = claimants.filter((each) => isShown(each, claims));
  const hidden = new Set(claimants.map(({ space }) => space)).difference(new Set(shown.map(({ space }) => space)));
  const inTheWay = met.filter(({ space }) => !hidden.has(space));
  const places = new Map<string, FormerPlace>();
  for (const claim of met) {
    const ofSpace = shown.filter(({ space }) => space === claim.space);
    const siteSpace = ofSpace.find(({ id }) => id === claim.siteSpace) ?? ofSpace[0];
    if (siteSpace === undefined) continue;
    const path = segments.slice(depths.get(claim.path)).join('/');
    const key = JSON.stringify([siteSpace.id, path]);
    const found = places.get(key) ?? placeOf(siteSpace, path);
    found.reading.times.push(...timesOf(claim, inTheWay));
    places.set(key, found);
  }
  const present = JSON.stringify([place.siteSpace.id, place.rest.join('/')]);
  if ([...places.keys()].every((key) => key === present)) return [];
  return [...places.values()]
    .filter(({ reading }) => reading.times.length > 0)
    .map(newestFirst)
    .toSorted(byEnd)
    .slice(0, maxPlaces);
}

/** What an address may have of section and site space: nothing, its first segment, its first two. */
function prefixesOf([one, two]: string[]): string[] {
  if (one === undefined || one.includes('/')) return [''];
  return two === undefined || two.includes('/') ? ['', one] : ['', one, `${one}/${two}`];
}

const isShown = ({ isSeen, condition, section }: ClaimantRecord, claims: Claims | null): boolean =>
  isSeen && (claims === null || [condition, section?.condition].every((each) => isShownTo(each ?? null, claims)));

const placeOf = (siteSpace: ClaimantRecord, path: string): FormerPlace => ({
  ...{ section: siteSpace.section ?? undefined, siteSpace },
  reading: { space: siteSpace.space, path, times: [] },
});

/** The time of a claim without that of those that come before it. */
const timesOf = ({ rank, since, until }: ClaimRecord, all: ClaimRecord[]): Times =>
  all
    .filter((other) => other.rank > rank)
    .reduce((times, other) => times.flatMap((time) => without(time, other)), [[since, until]] as Times);

const without = ([since, until]: Times[number], other: ClaimRecord): Times =>
  (
    [
      [since, Math.min(until, other.since)],
      [Math.max(since, other.until), until],
    ] as Times
  ).filter(([start, end]) => start < end);

const newestFirst = (place: FormerPlace): FormerPlace => {
  const times = place.reading.times.toSorted(([, one], [, other]) => other - one).slice(0, maxTimes);
  return { ...place, reading: { ...place.reading, times } };
};

const endOf = ({ reading: { times } }: FormerPlace): number => times[0]?.[1] ?? 0;
const byEnd = (one: FormerPlace, other: FormerPlace): number => endOf(other) - endOf(one);

/** Where the page stands that a path means: in the place that the path leads to, or in one of the former. */
export const placeOfPage = (
  place: PlaceInSite,
  formers: FormerPlace[],
  { former }: ResolvedPage,
): Pick<FormerPlace, 'section' | 'siteSpace'> => (former === undefined ? place : (formers[former] ?? place));
