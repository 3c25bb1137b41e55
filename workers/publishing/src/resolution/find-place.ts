import { isShownTo } from '@octavo/expression';
import type { Claims } from '@octavo/schema';
import type { FoundSite, SectionCandidate, SiteSpaceCandidate } from './find-site.ts';

/** Where in a site an address leads, and what of its path is left for the space. */
export interface PlaceInSite {
  section: SectionCandidate | undefined;
  siteSpace: SiteSpaceCandidate;
  rest: string[];
  /** Whether nothing of the site's own can follow: what does is of the space. */
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
 * What a path leads to in the sections and site spaces that a visitor is shown: those that it names, else the default, or
 * the first in its place. What is named but not shown is not there. Without claims all is shown.
 */
export function findPlace(
  site: Pick<FoundSite, 'sections' | 'siteSpaces'>,
  segments: string[],
  claims: Claims | null,
): PlaceInSite | undefined {
  const shown = <Of extends { condition: string | null }>(all: Of[]) =>
    all.filter(({ condition }) => claims === null || isShownTo(condition, claims));
  const open = shown(site.siteSpaces);
  const sections = shown(site.sections).filter(({ id }) => open.some(({ section }) => section === id));
  if (site.sections.length > 0 && sections.length === 0) return undefined;
  const [section, afterSection] = pick(sections, segments);
  const siteSpaces = open.filter((each) => each.section === (section?.id ?? ''));
  const [siteSpace, rest] = pick(siteSpaces, afterSection);
  if (siteSpace === undefined) return undefined;
  const mayFollow = (level: Level | undefined, isNamed: boolean) =>
    !isNamed && level !== undefined && shown(level.siblings.map((condition) => ({ condition }))).length > 0;
  const isOpen =
    mayFollow(section, afterSection.length < segments.length) ||
    mayFollow(siteSpace, rest.length < afterSection.length);
  return { section, siteSpace, rest, isTerminal: !isOpen };
}

/** The one of a level that the path names, and what is left of the path; else the default, or the first in its place. */
function pick<Of extends Level>(level: Of[], segments: string[]): [Of | undefined, string[]] {
  const named = level.find(({ path }) => path === segments[0]);
  if (named !== undefined) return [named, segments.slice(1)];
  const [first] = level.toSorted((one, other) => (one.position < other.position ? -1 : 1));
  return [level.find(({ isDefault }) => isDefault) ?? first, segments];
}
