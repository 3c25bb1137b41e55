import type { RevisionPoint } from '@octavo/db';
import type { PageMetaLinks, SpaceId, Visitor } from '@octavo/schema';
import { isMadeId } from '../computed/make-pages.ts';
import type { SiteReading, SoughtRows } from './find-places.ts';
import { readSought, shownPlaces } from './find-places.ts';
import { maxBeside, soughtBeside } from './sought-pages.ts';

interface Sought {
  visitor: Visitor;
  point: RevisionPoint;
  space: { id: SpaceId };
}

/** The statements that find a page in the spaces beside its own, for a batch. */
export const readAlternates = (page: string, { visitor, point, space: { id } }: Sought) =>
  readSought(visitor, soughtBeside(visitor.site, visitor.user ?? null, id, page, JSON.stringify(point.lineage)));

interface AlternatesReading extends SiteReading {
  /** As operations have it: alternates change without the revision. */
  alsoFollowsFrom: (what: string | undefined) => void;
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
  reading.alsoFollowsFrom(JSON.stringify(alternates));
  return alternates;
}
