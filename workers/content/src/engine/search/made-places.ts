import type { Database } from '@octavo/db';
import { given, readRows, selection, statement } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { MadePage } from '../computed/computed-pages.ts';
import { isSource, slugOf } from '../computed/computed-pages.ts';
import { computedCte } from '../computed/sources.ts';
import { lineageCte, lineageOfBranch } from '../store/lineage.ts';

const placeRow = selection({ place: given(String) });

/**
 * The places where computed pages stand that pages of `changed` have a say in: where they are such themselves, or were;
 * where they have the slug of a page that is made, or had it; or where they are made, in the index.
 */
const placesOf = statement((space: SQL<SpaceId>, changed: SQL<string>, states: SQL<string>) =>
  placeRow.query(sql`
    SELECT s.place FROM search_sources s WHERE s.space = ${space} AND (s.source IN (SELECT value FROM json_each(${changed}))
      OR EXISTS (SELECT 1 FROM json_each(s.beside) b WHERE b.value IN (SELECT value FROM json_each(${changed}))))
    UNION SELECT m.place FROM json_each(${states}) p CROSS JOIN search_made_pages m INDEXED BY search_made_pages_of_place
      ON m.space = ${space} AND m.place = p.value->>0 AND m.path = p.value->>1
    UNION SELECT m.place FROM json_each(${changed}) p CROSS JOIN search_made_pages m ON m.space = ${space} AND m.page = p.value`),
);

/** All places of a space that computed pages make pages under, or that the index has such pages under, each by a seek. */
const allPlaces = statement((space: SQL<SpaceId>) => {
  const next = (after: SQL) =>
    sql`(SELECT MIN(m.place) FROM search_made_pages m INDEXED BY search_made_pages_of_place WHERE m.space = ${space} ${after})`;
  return placeRow.query(sql`
    WITH RECURSIVE known(place) AS (
      SELECT ${next(sql``)} UNION ALL SELECT ${next(sql`AND m.place > known.place`)} FROM known WHERE place IS NOT NULL)
    SELECT place FROM known WHERE place IS NOT NULL
    UNION SELECT s.place FROM search_sources s WHERE s.space = ${space}
    UNION SELECT parent FROM (WITH ${lineageCte(lineageOfBranch(space))}, ${computedCte} SELECT parent FROM computed)`);
});

/** The places of a space where the index of made pages has to be, or is. */
export const findAllMadePlaces = async (db: Database, space: SpaceId): Promise<string[]> =>
  (await readRows(db, allPlaces(space))).map(({ place }) => place);

/** The places where the index of made pages has to follow a change of these pages, which are now as `nodes` says. */
export async function findMadePlaces(
  db: Database,
  space: SpaceId,
  changed: string[],
  nodes: Node[],
): Promise<string[]> {
  const states = nodes.map(({ parent, slug }) => [parent, slug]);
  const found = await readRows(db, placesOf(space, JSON.stringify(changed), JSON.stringify(states)));
  const own = nodes.filter(isSource).map(({ parent }) => parent);
  return [...new Set([...own, ...found.map(({ place }) => place)])];
}

/** The pages beside those that are made which have a slug that one of these would have, or a form of it. */
export function pagesBeside(made: MadePage[], written: Node[]): string[] {
  const wanted = made
    .map(({ madeOf, slug }) => ({ own: slugOf(madeOf.entry), slug }))
    .filter(({ own, slug }) => own !== slug);
  if (wanted.length === 0) return [];
  const owns = new Set(wanted.map(({ own }) => own));
  const isBeginning = beginningsOf([...owns]);
  const isForm = (slug: string) => owns.has(slug) || isBeginning(slug.replace(/-\d+$/, ''));
  return written.filter(({ slug }) => isForm(slug)).map(({ id }) => id);
}

/** Tells whether one of some words begins with a text, without looking at each. */
function beginningsOf(words: string[]): (text: string) => boolean {
  const sorted = words.sort();
  return (text) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(text) ?? false;
  };
}
