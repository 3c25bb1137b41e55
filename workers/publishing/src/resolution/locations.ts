import type { RedirectRecord } from '@octavo/db';
import { getCapturedPath } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import { addAnchor, getLocationUrl, getSiteUrl } from '@octavo/runtime';
import type { Claims, FormerPath, PageReading, ResolvedPage, SiteRedirect } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { FoundSite } from './find-site.ts';
import type { ConfiguredRedirect, PathUseRecord, PathUserRecord } from './queries.ts';

type SectionCandidate = FoundSite['sections'][number];
type SiteSpaceCandidate = FoundSite['siteSpaces'][number];

/** The section and site space of an address, and the remaining path within the space. */
export interface SiteLocation {
  section: SectionCandidate | undefined;
  siteSpace: SiteSpaceCandidate;
  rest: string[];
  /** Whether no section or site space can follow in the path. */
  isTerminal: boolean;
}

interface Level {
  path: string;
  condition: string | null;
  isDefault: boolean;
  position: string;
  siblings: (string | null)[];
}

/**
 * Resolves a path among the sections and site spaces that a visitor can see. Returns the ones that the path names, else
 * the default, else the first. Without claims, all sections and site spaces count as visible.
 */
export function findLocation(
  site: Pick<FoundSite, 'sections' | 'siteSpaces'>,
  segments: string[],
  claims: Claims | null,
): SiteLocation | undefined {
  const filterVisible = <Of extends { condition: string | null }>(all: Of[]) =>
    all.filter(({ condition }) => claims === null || isShownTo(condition, claims));
  const open = filterVisible(site.siteSpaces);
  const sections = filterVisible(site.sections).filter(({ id }) => open.some(({ section }) => section === id));
  if (site.sections.length > 0 && sections.length === 0) return undefined;
  const [section, afterSection] = pickFromLevel(sections, segments);
  const siteSpaces = open.filter((each) => each.section === (section?.id ?? ''));
  const [siteSpace, rest] = pickFromLevel(siteSpaces, afterSection);
  if (siteSpace === undefined) return undefined;
  const mayFollow = (level: Level | undefined, isNamed: boolean) =>
    !isNamed && level !== undefined && filterVisible(level.siblings.map((condition) => ({ condition }))).length > 0;
  const isOpen =
    mayFollow(section, afterSection.length < segments.length) ||
    mayFollow(siteSpace, rest.length < afterSection.length);
  return { section, siteSpace, rest, isTerminal: !isOpen };
}

/** Returns the item named by the first segment and the remaining path, else the default or the first item. */
function pickFromLevel<Of extends Level>(level: Of[], segments: string[]): [Of | undefined, string[]] {
  const namedItem = level.find(({ path }) => path === segments[0]);
  if (namedItem !== undefined) return [namedItem, segments.slice(1)];
  const [first] = level.toSorted((one, other) => (one.position < other.position ? -1 : 1));
  return [level.find(({ isDefault }) => isDefault) ?? first, segments];
}

interface PathOfLevel {
  path: string;
  isDefault: boolean;
}

/**
 * The current location of a space that was once at the address, with the remaining path and the periods in which the
 * space was there.
 */
export interface FormerLocation {
  section: PathOfLevel | undefined;
  siteSpace: PathOfLevel & { id: string };
  formerPath: FormerPath;
}

type Times = FormerPath['times'];

const maxFormerLocations = 6;
const maxTimes = 32;

interface FormerLocationQuery {
  segments: string[];
  claims: Claims | null;
  /** The current location of the address. */
  location: SiteLocation;
}

/**
 * Returns the current locations of the spaces that were once at an address, newest first. Empty if only the current
 * space was ever there. Periods in which another location took precedence are removed.
 */
export function findFormerLocations(
  { pathUses, pathUsers }: Pick<FoundSite, 'pathUses' | 'pathUsers'>,
  query: FormerLocationQuery,
): FormerLocation[] {
  const { segments, claims, location } = query;
  if (location.rest.length === 0) return [];
  const depths = new Map(getPrefixes(segments).map((path, depth) => [path, depth]));
  const matchingUses = pathUses.filter(({ path }) => depths.has(path));
  const shownUsers = pathUsers.filter((each) => isShown(each, claims));
  const hidden = new Set(pathUsers.map(({ space }) => space)).difference(new Set(shownUsers.map(({ space }) => space)));
  const hidingUses = matchingUses.filter(({ space }) => !hidden.has(space));
  const locations = new Map<string, FormerLocation>();
  for (const use of matchingUses) {
    const ofSpace = shownUsers.filter(({ space }) => space === use.space);
    const siteSpace = ofSpace.find(({ id }) => id === use.siteSpace) ?? ofSpace[0];
    if (siteSpace === undefined) continue;
    const path = segments.slice(depths.get(use.path)).join('/');
    const key = JSON.stringify([siteSpace.id, path]);
    const location = locations.get(key) ?? toLocation(siteSpace, path);
    location.formerPath.times.push(...getTimes(use, hidingUses));
    locations.set(key, location);
  }
  const present = JSON.stringify([location.siteSpace.id, location.rest.join('/')]);
  if ([...locations.keys()].every((key) => key === present)) return [];
  return [...locations.values()]
    .filter(({ formerPath }) => formerPath.times.length > 0)
    .map(sortTimes)
    .toSorted(compareEnds)
    .slice(0, maxFormerLocations);
}

/** Returns the prefixes of a path that may name a section and site space: '', its first segment, and its first two. */
function getPrefixes([one, two]: string[]): string[] {
  if (one === undefined || one.includes('/')) return [''];
  return two === undefined || two.includes('/') ? ['', one] : ['', one, `${one}/${two}`];
}

const isShown = ({ isSeen, condition, section }: PathUserRecord, claims: Claims | null): boolean =>
  isSeen && (claims === null || [condition, section?.condition].every((each) => isShownTo(each ?? null, claims)));

const toLocation = (siteSpace: PathUserRecord, path: string): FormerLocation => ({
  ...{ section: siteSpace.section ?? undefined, siteSpace },
  formerPath: { space: siteSpace.space, path, times: [] },
});

/** Returns the periods of a use, without the periods in which a use of a higher rank took precedence. */
const getTimes = ({ rank, since, until }: PathUseRecord, all: PathUseRecord[]): Times =>
  all
    .filter((other) => other.rank > rank)
    .reduce((times, other) => times.flatMap((time) => subtractTimes(time, other)), [[since, until]] as Times);

const subtractTimes = ([from, until]: Times[number], other: PathUseRecord): Times =>
  (
    [
      [from, Math.min(until, other.since)],
      [Math.max(from, other.until), until],
    ] as Times
  ).filter(([start, end]) => start < end);

const sortTimes = (location: FormerLocation): FormerLocation => {
  const times = location.formerPath.times.toSorted(([, one], [, other]) => other - one).slice(0, maxTimes);
  return { ...location, formerPath: { ...location.formerPath, times } };
};

const getEnd = ({ formerPath: { times } }: FormerLocation): number => times[0]?.[1] ?? 0;
const compareEnds = (one: FormerLocation, other: FormerLocation): number => getEnd(other) - getEnd(one);

/** Returns the location of a resolved page: the current location, or one of the former locations. */
export const getPageLocation = (
  location: SiteLocation,
  formerLocations: FormerLocation[],
  { former }: ResolvedPage,
): Pick<FormerLocation, 'section' | 'siteSpace'> =>
  former === undefined ? location : (formerLocations[former] ?? location);

/** A requested path of a site, which a redirect may apply to. */
export interface RedirectRequest {
  source: string;
  /** The claims of a visitor; null for a member, who sees items with any condition. */
  claims: Claims | null;
  site: Pick<FoundSite, 'site' | 'redirects'>;
  shareKey: string | undefined;
  env: PublishingEnvironment;
}

/** Returns the page to look up for each redirect; null if its destination is not a page. */
export const getDestinationReadings = (
  { redirects }: Pick<FoundSite, 'redirects'>,
  claims: Claims | null,
): (PageReading | null)[] =>
  redirects.map(({ destination, siteSpace }) =>
    destination.kind === 'site-page' && siteSpace !== null
      ? { space: siteSpace.space, path: '', page: destination.pageId, claims }
      : null,
  );

interface AppliedRedirect {
  redirect: SiteRedirect;
  target: string;
}

/**
 * Returns the first redirect whose destination exists and is visible. `pages` are the results of
 * `getDestinationReadings`.
 */
export function findFirstRedirect(
  pages: (ResolvedPage | null)[],
  request: RedirectRequest,
): AppliedRedirect | undefined {
  for (const [index, redirect] of request.site.redirects.entries()) {
    const target = getTarget(redirect, pages[index] ?? null, request);
    const captured = getCapturedPath(redirect, request.source);
    if (redirect.destination.kind !== 'external' && isPreviewPath(captured)) continue;
    const fullTarget = target && appendPath(target, captured);
    if (fullTarget !== undefined) return { redirect: presentRedirect(redirect), target: fullTarget };
  }
  return undefined;
}

export const getShownSource = ({ source, wildcard }: Pick<RedirectRecord, 'source' | 'wildcard'>): string =>
  wildcard ? `${source}/*` : source;

export const presentRedirect = (redirect: RedirectRecord): SiteRedirect => ({
  object: 'site-redirect',
  id: redirect.id,
  source: getShownSource(redirect),
  draft: redirect.draft,
  captureWildcard: redirect.captureWildcard,
  permanent: redirect.permanent,
  destination: redirect.destination,
  createdAt: formatTimestamp(redirect.createdAt),
  ...(redirect.updatedAt === redirect.createdAt ? {} : { updatedAt: formatTimestamp(redirect.updatedAt) }),
});

/**
 * Whether a captured path would redirect to a path that is not that of a page, such as the preview `~/changes/<id>`.
 */
const isPreviewPath = (captured: string): boolean => /^\/(?:~|%7e)(?:\/|$)/i.test(captured);

/** Whether a captured path could escape the destination's path, also after further decoding. */
const escapesTarget = (captured: string): boolean =>
  /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|\\/.test(
    captured.replace(/%(?:25)*(2e|2f|5c)/gi, (_, code) => decodeURIComponent(`%${code}`)),
  );

/** Appends the captured path to a URL; undefined if it would escape the destination's path. */
function appendPath(target: string, captured: string): string | undefined {
  if (captured === '') return target;
  if (escapesTarget(captured)) return undefined;
  const url = new URL(target);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${captured}`;
  return url.href;
}

function getTarget(
  { destination, siteSpace, section }: ConfiguredRedirect,
  page: ResolvedPage | null,
  { claims, site: { site }, shareKey, env }: RedirectRequest,
): string | undefined {
  if (destination.kind === 'external') return new URL(destination.url).href;
  if (siteSpace === null) return undefined;
  const conditions = claims === null ? [] : [siteSpace.condition, section?.condition];
  const isShown = conditions.every((condition) => isShownTo(condition, claims ?? {}));
  if (!isShown || (destination.kind === 'site-page' && page === null)) return undefined;
  const target = { shareKey, section: section ?? undefined, siteSpace };
  const url = getLocationUrl(getSiteUrl(env, site), { ...target, page: page?.path });
  return addAnchor(url, destination.kind === 'site-page' ? destination.anchor : undefined);
}
